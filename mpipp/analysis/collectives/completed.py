# SPDX-License-Identifier: MIT
"""Check that completed calls of collective operations agreed (MPI-4.1, section 6.1)."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import NamedTuple

from mpipp.analysis.collectives import active, missing_calls
from mpipp.analysis.context.channel_history import Side, every, is_certain, is_collective
from mpipp.analysis.context.collective_call import CollectiveCall
from mpipp.analysis.context.world import World
from mpipp.analysis.deadlock import names
from mpipp.analysis.findings.finding import Finding, Findings
from mpipp.analysis.findings.limits import Limits
from mpipp.analysis.messages.match_by_ordinal import MOST_TURNS, Histories, Meeting, MeetingCount
from mpipp.common.text import wording
from mpipp.model import KeptCall, Stretch

_MOST_ALIKE = 1 << 16  # combinations of calls that are remembered as equal


class _Calls:
    # The calls of all processes on one communicator, window or file.

    def __init__(self) -> None:
        self.numbers: dict[int, int] = {}  # indices of histories, by the process's number
        self.sides: list[Side] = []
        self.histories = Histories(0)
        # True if different operations had one ordinal: then later ordinals do not match.
        self.is_parted = False
        self.alike: set[object] = set()
        # For each history the ordinal after its last call. A failed nonblocking call may be added
        # after later calls.
        self._ends: list[int] = []

    def add(self, side: Side) -> None:
        """Add a further part of a process's history."""
        process = side.member.process.number
        number = self.numbers.setdefault(process, len(self.sides))
        if number == len(self.sides):
            self.sides.append(side)
            self.histories.waiting.append([])
            self._ends.append(0)
        self.sides[number] = side
        for stretch in side.stretches:
            if stretch.end > self._ends[number]:
                first = max(stretch.first, self._ends[number])
                self.histories.waiting[number].append(stretch.part(first, stretch.end))
                self._ends[number] = stretch.end

    def calls_by_rank(self, met: Meeting) -> list[CollectiveCall]:
        """Return the calls of a meeting, sorted by rank."""
        calls = [replace(kept.call, ordinal=met.ordinal) for kept in met.calls]
        sides = [self.sides[number] for number in met.of]
        joined = [CollectiveCall(s.operation(c), s.member) for s, c in zip(sides, calls)]
        return sorted(joined, key=lambda one: one.operation.process.registry.info.world_rank or 0)


class _On(NamedTuple):
    # The communicator, window or file of collective calls.
    identity: int  # identity of the communicator
    sequence: str  # "collectives", "window calls", "file calls"
    made: int  # ordinal of the call that created the window or file


class Collectives:
    """The calls on all communicators, windows and files, compared as they become known.

    Attributes:
        limits: reasons why calls were left out.
    """

    def __init__(self) -> None:
        self.limits = Limits()
        self._of: dict[_On, _Calls] = {}
        self._new: dict[_On, None] = {}

    def add(self, side: Side) -> None:
        """Add a further part of a history of one process."""
        on = _On(side.member.comm.identity, side.channel.sequence, side.channel.tag)
        self._of.setdefault(on, _Calls()).add(side)
        self._new[on] = None

    @property
    def parted(self) -> set[int]:
        """The communicators on which different operations had the same ordinal."""
        return {on.identity for on, calls in self._of.items() if calls.is_parted}

    def compare(
        self, told: Collection[tuple[int, int]] = (), of_all: World | None = None
    ) -> Findings:
        """Yield the differences between the calls that are known so far.

        Args:
            told: operations to leave out, by communicator and ordinal.
            of_all: if passed, a call is compared only when all processes of this world have made
                it. Otherwise it is compared when two processes have made it.
        """
        changed, self._new = self._new, {}
        for on in changed:
            calls = self._of[on]
            least = 2
            if of_all is not None:
                peers = of_all.peers(calls.sides[0].member)
                least = max(least, sum(peer is not None for peer in peers))
            yield from self._compare(on, calls, least, told)

    def _compare(
        self, on: _On, calls: _Calls, least: int, told: Collection[tuple[int, int]]
    ) -> Findings:
        compared = MeetingCount()
        for met in calls.histories.meet(least):
            combination = met.of, *(kept.key for kept in met.calls)
            if calls.is_parted or combination in calls.alike:
                continue
            if on.sequence == "collectives" and (on.identity, met.ordinal) in told:
                continue
            joined = calls.calls_by_rank(met)
            if active.is_parted(joined):
                yield from active.compare(joined)
                calls.is_parted = True
                continue
            wrong: list[Finding] = []
            with self.limits.skip_on_error():
                wrong += active.compare(joined)
            for found in wrong:
                compared.add(found, met)
            if not wrong:
                if len(calls.alike) >= _MOST_ALIKE:
                    calls.alike.clear()
                calls.alike.add(combination)
        if calls.histories.left_out:
            self.limits.reached(
                f"only {MOST_TURNS} combinations of repeated collective calls were compared"
            )
        yield from compared.findings("collective call number {call_ordinal}", "call_ordinal")


def check(known: World) -> Findings:
    """Yield differences between the calls of collective operations that some processes have left.

    Raises MpippError at the end if not all calls were compared.
    """
    past = Collectives()
    ends: dict[tuple[int, int], int] = {}  # by process and communicator: last known ordinal + 1
    for side in every(known, is_collective):
        past.add(side)
        if side.channel.sequence == "collectives" and side.stretches:
            process, comm = side.member
            ends[process.number, comm.identity] = side.stretches[-1].end
    for side in _inside(known):
        process, comm = side.member
        if side.stretches[0].first >= ends.get((process.number, comm.identity), 1):
            past.add(side)
    yield from past.compare(active.reported_operations(known))
    yield from missing_calls.check(known, past.parted)
    for sentence in _after_failures(known):
        past.limits.reached(sentence)
    past.limits.raise_reasons()


def _after_failures(known: World) -> Iterator[str]:
    # Calls after a failed one are not compared: it is unknown whether MPI had begun that call.
    failed: dict[str, list[int]] = {}
    for process in known.processes:
        for comm in known.comms(process):
            for channel in comm.channels:
                follow = channel.frozen and channel.posted > channel.count
                if channel.sequence == "collectives" and follow and is_certain(comm, channel):
                    failed.setdefault(names.comm(comm), []).append(known.rank(process) or 0)
    for on, ranks in failed.items():
        yield f"collective calls on {on} after a call that failed in {wording.ranks(ranks)}"


def _inside(known: World) -> Iterator[Side]:
    # The active calls: the history has a collective call only after MPI has accepted it.
    for process in known.processes:
        for operation in process.operations:
            call, member = operation.call, known.member_of(operation)
            collective = call.dest is None and call.source is None and call.facts.over
            if operation.tid is None or member is None or not collective or not call.ordinal:
                continue
            for channel in member.comm.channels:
                if channel.sequence == "collectives" and is_certain(member.comm, channel):
                    yield Side(member, channel, [Stretch(call.ordinal, 1, (KeptCall.of(call),))])
