# SPDX-License-Identifier: MIT
from __future__ import annotations

import time

from mpipp.datatypes.signatures import hashing, signature
from mpipp.datatypes.signatures.hashing import BYTE as HAS_BYTE
from mpipp.datatypes.signatures.hashing import EMPTY, PACKED, PRIME, Digest, digest, prefix
from tests.unit.makers import Maker, expanded
from tests.unit.samples import BYTE, CHAR, DOUBLE, INT, basic, contiguous, struct


def test_the_definition() -> None:
    # Compare with a direct computation of the polynomial.
    for seed in range(300):
        whole = Maker(seed).signature(4)
        kinds = expanded(whole)
        first = second = 0
        for kind in kinds:
            one = hashing.letter(kind)
            first = (first * hashing.POINTS[0] + one.first) % PRIME
            second = (second * hashing.POINTS[1] + one.second) % PRIME
        assert digest(whole) == (len(kinds), first, second, 0)
        for length in range(len(kinds)):
            assert prefix(whole, length).elements == length


def test_letters() -> None:
    # The wrapper computes the same numbers, so they must never change.
    assert hashing.mixed(0) == 0xE220A8397B1DCDAF  # the first number of splitmix64
    assert hashing.letter("MPI_INT") == (1, 0x2FB73C2AC9FECB6, 0x6EB44A3D70EB43C, 0)
    assert hashing.letters("MPI_LONG_LONG_INT") == hashing.letters("MPI_LONG_LONG")
    assert hashing.letters("MPI_LB") == ()
    pair = hashing.letters("MPI_DOUBLE_INT")
    assert pair == (hashing.letter("MPI_DOUBLE"), hashing.letter("MPI_INT"))
    assert pair[0].then(pair[1]) == digest(signature(basic("MPI_DOUBLE_INT", 12)))
    assert max(*hashing.POINTS, *hashing.letter("MPI_INT")) < PRIME


def test_what_matches_by_rules_of_its_own_is_marked() -> None:
    packed = basic("MPI_PACKED", 1)
    whole = signature(struct((1, 0, INT), (3, 4, BYTE), (2, 7, packed)))
    assert digest(whole).bits == HAS_BYTE | PACKED
    assert [prefix(whole, n).bits for n in (0, 1, 2, 4, 5)] == [0, 0, 1, 1, 3]
    assert digest(signature(CHAR, 7)).bits == 0


def test_large_ones() -> None:
    pair = struct((1, 0, INT), (1, 8, DOUBLE))
    half = digest(signature(pair, 2**70))
    assert half.then(half) == digest(signature(pair, 2**71))
    assert prefix(signature(pair, 2**71), 2**71) == half
    assert digest(signature(INT, 0)) == EMPTY == Digest(0, 0, 0, 0)
    deep = INT
    for _ in range(3000):
        deep = struct((2, 0, contiguous(1, deep)), (1, 90, CHAR), (2, 99, DOUBLE))
    assert digest(signature(deep)) == digest(signature(deep, 1))


def test_time_of_many_entries() -> None:
    # The wrapper computes this in 2 ms.
    kinds = (INT, DOUBLE, CHAR)
    entries = [(1 + i * i % 7, 100 * i, kinds[i * i % 11 % 3]) for i in range(100_000)]
    whole = signature(struct(*entries))
    start = time.process_time()
    digest(whole)
    assert time.process_time() - start < 2
