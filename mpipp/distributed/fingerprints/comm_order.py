# SPDX-License-Identifier: MIT
"""Fingerprints of the order in which processes call on the communicators that they share.

Processes on the same communicators must make their blocking collective calls in the same order
(`analysis.collectives.comm_order`). A process's blocking collective calls are a word with a letter
for each communicator.

There is a set of processes for the members of each communicator, and one for the common members of
each pair. Each member of a set has a word of its calls on the communicators that all members of the
set share. The fingerprint of the word enters a sum with the weight of the member's rank, less the
weight of the next rank in the set. So the sum is zero if all words are equal. A member's other
communicators belong to other sets, so they do not change this word.

Like the sums of channels (module `process`), these sums only select the processes to compare. They
miss cycles in which no two processes share two communicators.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from mpipp.analysis.collectives import call_sequence
from mpipp.analysis.context import channel_history
from mpipp.analysis.context.channel_history import Side
from mpipp.analysis.context.process import Process
from mpipp.analysis.context.world import World
from mpipp.datatypes.signatures.hashing import PRIME
from mpipp.distributed.fingerprints.arithmetic import (
    Pair,
    added,
    hashed,
    negative,
    times,
    weight,
)
from mpipp.distributed.fingerprints.process import Part
from mpipp.model import KeptCall

MOST = 1 << 18  # steps for one process: turns that are read, and members of communicators

# The n-th letter of a word is multiplied by the n-th power of these numbers.
_POINTS = (0x11C3D9E2A47B5F06, 0x0F6A83B1C52D9E74)
_INVERSES = tuple(pow(point - 1, -1, PRIME) for point in _POINTS)


class _Run(NamedTuple):
    # Turns that are repeated. A turn is the identity of a communicator, and its number of blocking
    # calls in sequence.
    turns: list[tuple[int, int]]
    times: int


class _TooMany(Exception):
    pass


class _Steps:
    def __init__(self) -> None:
        self._left = MOST

    def take(self, count: int) -> None:
        self._left -= count
        if self._left < 0:
            raise _TooMany

    def take_members(self, count: int) -> None:
        self.take(1 + count // 16)  # set operations are fast


def parts(process: Process) -> list[Part] | None:
    """Return the terms of a process; in each, a hash of the word replaces the peer.

    The hash is below -1. Returns None if it would take too long. Raises MpippError if the records
    are invalid.
    """
    known = World([process])
    rank = known.rank(process)
    found = call_sequence.recorded_turns(
        known, process, channel_history.every(known, call_sequence.is_in_turns)
    )
    if found is None or rank is None:
        return []
    try:
        return list(_parts(rank, found, _Steps()))
    except _TooMany:
        return None


def _parts(rank: int, found: call_sequence.Turns, steps: _Steps) -> Iterator[Part]:
    runs = list(_runs(found, steps))
    called = {identity for run in runs for identity, _ in run.turns}
    for members, shared in _shared([found.sides[one] for one in sorted(called)], steps):
        steps.take(sum(len(run.turns) for run in runs))
        key = hashed(5, *shared)
        word = _word(runs, {one: weight(key, one) for one in shared})
        ring = added(weight(key, rank), negative(weight(key, _following(members, rank))))
        yield Part(key, -2 - (hashed(*word) >> 3), times(ring, word))


def _following(members: frozenset[int], rank: int) -> int:
    return min((one for one in members if one > rank), default=min(members))


# The sets of processes that share communicators.


def _shared(found: Sequence[Side], steps: _Steps) -> Iterator[tuple[frozenset[int], list[int]]]:
    # Yields sets of processes that share several communicators, with these communicators.
    members: dict[frozenset[int], list[int]] = {}
    made: dict[Sequence[int], frozenset[int]] = {}
    for side in found:
        ranks = side.member.comm.world_ranks
        if ranks is None or len(ranks) < 2:
            continue
        ranks = ranks if isinstance(ranks, range) else tuple(ranks)
        if ranks not in made:
            steps.take_members(len(ranks))
            made[ranks] = frozenset(ranks)
        members.setdefault(made[ranks], []).append(side.member.comm.identity)
    sets = set(members)
    for one, other in combinations(members, 2):
        steps.take_members(min(len(one), len(other)))
        if len(one & other) > 1:
            sets.add(one & other)
    for of in sets:
        steps.take_members(len(of) * len(members))
        shared = [identity for one in members if of <= one for identity in members[one]]
        if len(shared) > 1:
            yield of, sorted(shared)


# The words of one process.


def _runs(found: call_sequence.Turns, steps: _Steps) -> Iterator[_Run]:
    # Yields the turns of a process with their repetitions; nothing if some turns are unknown.
    blocking = {identity: _Blocking(side) for identity, side in found.sides.items()}
    told: dict[int, int] = {}
    known: dict[object, tuple[int, int]] = {}
    runs: list[_Run] = []
    at = 1

    def add(of_each: list[tuple[int, int]], often: int) -> None:
        kept, often = _without_lone_calls(of_each, often, told, blocking, steps)
        if kept and often == 1 and runs and runs[-1].times == 1:
            runs[-1].turns.extend(kept)
        elif kept and often:
            runs.append(_Run(kept, often))

    for stretch in found.past:
        if stretch.first != at:
            return
        at = stretch.end
        steps.take(len(stretch.calls))
        of_each = [_turn(kept, known) for kept in stretch.calls]
        often, rest = divmod(stretch.count, len(of_each))
        add(of_each, often)
        add(of_each[:rest], 1)
    left = found.uncovered_turns(told)
    if len(left) > 1:
        return
    for one in left:
        add([(one.identity, one.last + 1 - one.first)], 1)
    yield from runs


def _turn(kept: KeptCall, known: dict[object, tuple[int, int]]) -> tuple[int, int]:
    found = known.get(kept.words)
    if found is None:
        found = known[kept.words] = call_sequence.turn_of(kept.call)
    return found


def _without_lone_calls(
    of_each: list[tuple[int, int]],
    often: int,
    told: dict[int, int],
    blocking: Mapping[int, _Blocking],
    steps: _Steps,
) -> tuple[list[tuple[int, int]], int]:
    # Selects the blocking calls from turns that are repeated `often` times. `told` counts the calls
    # on each communicator before these turns, and is updated.
    of_each = [(identity, count) for identity, count in of_each if identity in blocking]
    if any(blocking[identity].some for identity, _ in of_each):
        steps.take(often * len(of_each))
        of_each, often = of_each * often, 1
    kept = []
    for identity, count in of_each:
        before = told.get(identity, 0)
        told[identity] = before + count * often
        calls = blocking[identity].between(before, before + count)
        if calls:
            kept.append((identity, calls))
    return kept, often


class _Blocking:
    """The blocking calls on one communicator.

    Attributes:
        some: whether only some of the calls block.
    """

    def __init__(self, side: Side) -> None:
        known: dict[object, bool] = {}
        self._firsts = [stretch.first for stretch in side.stretches]
        self._counts = [stretch.count for stretch in side.stretches]
        self._before: list[int] = []  # number of blocking calls before each stretch
        # For each stretch: the number of blocking calls among the first 0, 1, 2 ... calls of its
        # period.
        self._of_each: list[list[int]] = []
        number = 0
        for stretch in side.stretches:
            self._before.append(number)
            of_each = [0]
            for kept in stretch.calls:
                of_each.append(of_each[-1] + _blocks(kept, known))
            self._of_each.append(of_each)
            number += _first(of_each, stretch.count)
        self.some = len(set(known.values())) > 1
        self._all = set(known.values()) == {True}

    def between(self, before: int, last: int) -> int:
        """Return the number of blocking calls with ordinals after `before`, up to `last`."""
        if not self.some:
            return last - before if self._all else 0
        return self._upto(last) - self._upto(before)

    def _upto(self, ordinal: int) -> int:
        at = bisect_right(self._firsts, ordinal) - 1
        if at < 0:
            return 0
        calls = min(ordinal + 1 - self._firsts[at], self._counts[at])
        return self._before[at] + _first(self._of_each[at], calls)


def _first(of_each: list[int], count: int) -> int:
    # The number of blocking calls among the first `count` calls of a stretch.
    often, rest = divmod(count, len(of_each) - 1)
    return often * of_each[-1] + of_each[rest]


def _blocks(kept: KeptCall, known: dict[object, bool]) -> bool:
    found = known.get(kept.key)
    if found is None:
        found = known[kept.key] = call_sequence.blocks(kept.call)
    return found


def _word(runs: Sequence[_Run], letters: Mapping[int, Pair]) -> Pair:
    # The n-th call on a communicator with a letter contributes this letter times the n-th power of
    # the point. The loop adds a run's repetitions as a geometric series.
    found = []
    for number, (point, inverse) in enumerate(zip(_POINTS, _INVERSES)):
        total, at = 0, 1
        powers: dict[int, int] = {}
        of_each = {identity: pair[number] * inverse % PRIME for identity, pair in letters.items()}
        for run in runs:
            cycle, power = 0, 1
            for identity, calls in run.turns:
                letter = of_each.get(identity)
                if letter is not None:
                    by = powers.get(calls)
                    if by is None:
                        by = powers[calls] = pow(point, calls, PRIME)
                    after = power * by % PRIME
                    cycle = (cycle + (after - power) * letter) % PRIME
                    power = after
            if power == 1:
                continue
            end = power
            if run.times > 1:
                end = pow(power, run.times, PRIME)
                cycle = cycle * (end - 1) % PRIME * pow(power - 1, -1, PRIME) % PRIME
            total += at * cycle
            at = at * end % PRIME
        found.append(total % PRIME)
    return found[0], found[1]
