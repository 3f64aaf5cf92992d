# SPDX-License-Identifier: MIT
"""Did the calls of collective operations agree that some of their processes have left?
(MPI-4.1, section 6.1)"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from mpipp.checks import collectives
from mpipp.checks.exchanges import Joined
from mpipp.checks.finding import Findings
from mpipp.checks.past.meetings import Histories, Meeting, Met
from mpipp.checks.past.sides import Side, every
from mpipp.checks.world import World

_MOST_ALIKE = 1 << 16  # combinations that are remembered


class _Calls:
    # Those on one communicator, by process.

    def __init__(self) -> None:
        self.numbers: dict[int, int] = {}  # of their histories, by the process's own
        self.sides: list[Side] = []
        self.histories = Histories(0)
        self.is_parted = False  # different operations have met: later ones do not belong together
        self.alike: set[object] = set()

    def add(self, side: Side) -> None:
        """More of a process's history."""
        process = side.member.process.number
        number = self.numbers.setdefault(process, len(self.sides))
        if number == len(self.sides):
            self.sides.append(side)
            self.histories.waiting.append([])
        self.sides[number] = side
        self.histories.waiting[number] += side.stretches

    def joined(self, met: Meeting) -> list[Joined]:
        """Calls that met, in the order of the ranks."""
        calls = [replace(kept.call, ordinal=met.ordinal) for kept in met.calls]
        sides = [self.sides[number] for number in met.of]
        joined = [Joined(s.operation(c), s.member) for s, c in zip(sides, calls)]
        return sorted(joined, key=lambda one: one.operation.process.number)


class Collectives:
    """The collective calls on all communicators, compared as they become known."""

    def __init__(self) -> None:
        self._of: dict[int, _Calls] = {}  # by the communicator's identity
        self._new: dict[int, None] = {}

    def add(self, side: Side) -> None:
        """More of a communicator's history in one process."""
        identity = side.member.comm.identity
        self._of.setdefault(identity, _Calls()).add(side)
        self._new[identity] = None

    def compare(
        self, going_on: Collection[tuple[int, int]] = (), of_all: World | None = None
    ) -> Findings:
        """What differed between the calls that are there now.

        Args:
            going_on: operations that are left out, by communicator and ordinal.
            of_all: calls wait until all processes of this world have made theirs; else they are
                compared if there are two.
        """
        changed, self._new = self._new, {}
        for identity in changed:
            calls = self._of[identity]
            least = 2
            if of_all is not None:
                peers = of_all.peers(calls.sides[0].member)
                least = max(least, sum(peer is not None for peer in peers))
            yield from self._compare(identity, calls, least, going_on)

    def _compare(
        self, identity: int, calls: _Calls, least: int, going_on: Collection[tuple[int, int]]
    ) -> Findings:
        compared = Met()
        for met in calls.histories.meet(least):
            combination = met.of, *(kept.key for kept in met.calls)
            if calls.is_parted or combination in calls.alike or (identity, met.ordinal) in going_on:
                continue
            joined = calls.joined(met)
            if collectives.is_parted(joined):
                yield from collectives.compare(joined)
                calls.is_parted = True
                continue
            wrong = list(collectives.compare(joined))
            for found in wrong:
                compared.add(found, met)
            if not wrong:
                if len(calls.alike) >= _MOST_ALIKE:
                    calls.alike.clear()
                calls.alike.add(combination)
        yield from compared.findings("collective call")


def check(known: World) -> Findings:
    """What differed between the calls of a collective operation that some of them have left."""
    past = Collectives()
    for side in every(known):
        if side.channel.sequence == "collectives":
            past.add(side)
    yield from past.compare(collectives.live(known))
