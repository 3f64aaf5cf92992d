# SPDX-License-Identifier: MIT
"""The owner of accessed memory, if windows share memory."""

from __future__ import annotations

import random
from collections.abc import Iterable

from mpipp.model.rma_events import Comb
from mpipp.registry.rma_log.shared_segments import OWN, Segment, Segments


def bytes_of(memory: Iterable[Comb]) -> list[int]:
    return [
        first + block * stride + byte
        for first, length, stride, times in memory
        for block in range(times)
        for byte in range(length)
    ]


def test_each_byte_is_its_owners() -> None:
    chance = random.Random(1)
    for _ in range(3000):
        segments, some, low = Segments(), list[Segment](), 0
        for owner in range(chance.randint(0, 4)):
            low += chance.randint(0, 6)
            high = low + chance.randint(1, 12)
            some.append(Segment(1, low, high, owner, 1000 * (owner + 1)))
            low = high
        for one in chance.sample(some, len(some)):
            segments.add(one)
        comb = Comb(*(chance.randint(*most) for most in ((0, 40), (1, 9), (1, 11), (1, 6))))
        expected: dict[int, set[int]] = {}
        for byte in bytes_of([comb]):
            of = next((one for one in some if one.low <= byte < one.high), None)
            owner, shift = (of.owner, of.there - of.low) if of else (OWN, 0)
            expected.setdefault(owner, set()).add(byte + shift)
        found = [(owner, set(bytes_of(memory))) for owner, memory in segments.parts(comb)]
        assert dict(found) == expected
        assert len(found) == len(expected)
        downwards = comb._replace(
            first=max(bytes_of([comb])) + 1 - comb.length, stride=-comb.stride
        )
        own, lent = segments.of_buffer((downwards,), True)
        assert set(bytes_of(own)) == expected.pop(OWN, set())
        assert {one.owner: set(bytes_of(one.memory)) for one in lent} == expected
        assert {(one.owner, one.shift) for one in lent} <= {
            (one.owner, one.there - one.low) for one in some
        }


def test_the_memory_of_a_window_is_gone_with_it() -> None:
    segments, comb = Segments(), Comb(0, 8)
    segments.add(Segment(1, 0, 4, 7, 100))
    segments.add(Segment(2, 4, 8, 8, 200))
    assert list(segments.parts(comb)) == [(7, (Comb(100, 4),)), (8, (Comb(200, 4),))]
    segments.free(1)
    assert list(segments.parts(comb)) == [(8, (Comb(200, 4),)), (OWN, (Comb(0, 4),))]


def test_what_makes_no_sense_takes_no_time() -> None:
    segments = Segments()
    segments.add(Segment(1, 1 << 20, 1 << 21, 7, 0))
    found = dict(segments.parts(Comb(0, 1 << 62, 1, 1 << 62)))
    assert found[7] == (Comb(0, 1 << 20),)
    found = dict(segments.parts(Comb(0, 4, 1 << 20, 1 << 62)))
    assert found[7] == (Comb(0, 4, 1 << 20, 1),)
    assert dict(segments.parts(Comb(0, 4, 8, 0))) == {OWN: (Comb(0, 4, 8, 0),)}
