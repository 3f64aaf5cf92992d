# SPDX-License-Identifier: MIT
"""Check for collective calls on several communicators that would wait for each other in a cycle.

A program must not rely on collective calls that return before the others have called (MPI-4.1,
section 6.14). So the calls are replayed as if each blocking call waited for all processes of its
communicator. Other waits are left out, and processes of which not all calls are known never make
others wait. So each wait that the replay finds is certain.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import NamedTuple

from mpipp.analysis.calls.leaks import at_the_end
from mpipp.analysis.collectives import call_sequence
from mpipp.analysis.collectives.call_sequence import Turn, blocks, is_in_turns
from mpipp.analysis.context.channel_history import Side, every
from mpipp.analysis.context.process import Process
from mpipp.analysis.context.world import World
from mpipp.analysis.deadlock import names
from mpipp.analysis.findings.finding import Finding, Findings
from mpipp.common.errors import MpippError
from mpipp.common.text import wording
from mpipp.model import Call, Stretch
from mpipp.render.phrases import Phrase

MOST = 1 << 18  # turns of all processes together
_MOST_TOLD = 64


class _Way:
    """The calls of one process on its communicators, in order.

    Attributes:
        count: the number of its calls, by communicator.
        begun: the last ordinal that it has reached, by communicator.
        turn: the turn in which it waits; None at the end.
        is_cut: whether it has more calls than were checked.
    """

    def __init__(self, known: call_sequence.Turns, most: int) -> None:
        self.sides = known.sides
        self.count = {identity: side.channel.count for identity, side in self.sides.items()}
        self.begun = dict.fromkeys(self.count, 0)
        self._turns = known.each(most)
        self._known: dict[int, tuple[list[Stretch], list[int]]] = {}
        self.turn: Turn | None = None
        self.is_cut = False
        self.next()

    def next(self) -> None:
        """Continue with the next turn that has a blocking call."""
        for turn in self._turns:
            if turn is None:
                self.is_cut = True
                break
            if turn.identity not in self.count:
                continue
            self.begun[turn.identity] = turn.last
            last = self._blocking(turn.identity, turn.first, turn.last, back=True)
            if last:
                self.turn = turn._replace(last=last)
                return
        self.turn = None
        self.begun = self.count

    def waits(self, beyond: int) -> tuple[Side, Call, int]:
        """Return the first blocking call of the current turn with an ordinal after `beyond`."""
        assert self.turn is not None
        side = self.sides[self.turn.identity]
        first = max(self.turn.first, beyond + 1)
        ordinal = self._blocking(self.turn.identity, first, self.turn.last)
        found = self._stretch(self.turn.identity, ordinal)[0]
        assert found is not None
        return side, replace(found.at(ordinal).call, ordinal=ordinal), ordinal

    def _stretch(self, identity: int, ordinal: int) -> tuple[Stretch | None, int, int]:
        # The stretch with an ordinal, or None. Also the nearest known ordinals before and after it,
        # or 0.
        if identity not in self._known:
            stretches = self.sides[identity].stretches
            self._known[identity] = stretches, [one.first for one in stretches]
        stretches, firsts = self._known[identity]
        at = bisect_right(firsts, ordinal) - 1
        if at >= 0 and ordinal < stretches[at].end:
            return stretches[at], ordinal - 1, ordinal + 1
        before = stretches[at].end - 1 if at >= 0 else 0
        return None, before, firsts[at + 1] if at + 1 < len(firsts) else 0

    def _blocking(self, identity: int, first: int, last: int, back: bool = False) -> int:
        # The first, or with `back` the last, of these ordinals with a blocking call; 0 if none is
        # known.
        ordinal = last if back else first
        while first <= ordinal <= last:
            found, before, after = self._stretch(identity, ordinal)
            if found is not None and blocks(found.at(ordinal).call):
                return ordinal
            ordinal = before if back else after
        return 0


def check(known: World) -> Findings:
    """Yield each cycle of processes; then the processes continue as if there were no cycle.

    Raises MpippError at the end if there were too many calls, or cycles.
    """
    ways = list(_ways(known))
    members: dict[int, list[_Way]] = {}
    for way in ways:
        for identity in way.count:
            members.setdefault(identity, []).append(way)
    for told in count():
        _go_on(ways, members)
        held = next((way for way in ways if way.turn is not None), None)
        if held is None:
            break
        if told == _MOST_TOLD:
            raise MpippError(f"the search stopped after {_MOST_TOLD} cycles of collective calls")
        circle = _circle(held, members)
        yield _finding(circle)
        for way in circle:
            way.next()
    if any(way.is_cut for way in ways):
        raise MpippError(
            f"only {MOST} changes of communicator were checked in the order of collective calls"
        )


def _go_on(ways: list[_Way], members: dict[int, list[_Way]]) -> None:
    # Moves each process as far as possible.
    moved = True
    while moved:
        moved = False
        for way in ways:
            while way.turn is not None and not _late(way, members):
                way.next()
                moved = True


def _late(way: _Way, members: dict[int, list[_Way]]) -> list[_Way]:
    # The processes for which `way` waits: they have not made all calls of its turn, but will.
    if way.turn is None:
        return []
    identity, last = way.turn.identity, way.turn.last
    return [
        one
        for one in members[identity]
        if one is not way and one.begun[identity] < min(last, one.count[identity])
    ]


def _circle(way: _Way, members: dict[int, list[_Way]]) -> list[_Way]:
    met: list[_Way] = []
    while way not in met:
        met.append(way)
        way = _late(way, members)[0]
    return met[met.index(way) :]


def _finding(circle: list[_Way]) -> Finding:
    # In the cycle, each process waits for a call of the next process, which makes it only after the
    # call in which it waits itself.
    at = []
    for way, late in zip(circle, (*circle[1:], circle[0])):
        assert way.turn is not None
        at.append(way.waits(late.begun[way.turn.identity]))
    named = _named(circle, [side.member.comm.identity for side, _, _ in at])
    here = [
        Phrase.of(
            "number {call_ordinal} on {comm}",
            call_ordinal=ordinal,
            comm=named[side.member.comm.identity].text,
        )
        for side, _, ordinal in at
    ]
    parties = [
        side.operation(call).party(
            Phrase.of("collective call {one}, before {other}", one=here[i], other=here[i - 1])
        )
        for i, (side, call, _) in enumerate(at)
    ]
    for one in named.values():
        if one.is_alike:
            name = Phrase.of("{comm}", comm=one.text)
            parties.append(one.side.member.process.object_party(one.side.member.comm, name))
    comms = wording.listed(sorted(one.text for one in named.values()))
    return Finding.of("comm-order", parties, comm=comms)


class _Named(NamedTuple):
    # The words for a communicator, and a process that knows it.
    text: str
    is_alike: bool  # whether another communicator of the cycle has this name
    side: Side


def _named(circle: list[_Way], identities: list[int]) -> dict[int, _Named]:
    sides = {
        identity: next(way.sides[identity] for way in circle if identity in way.sides)
        for identity in identities
    }
    equal: dict[names.Name, list[int]] = {}
    for identity in sorted(sides, key=lambda one: sides[one].member.comm.header.serial):
        equal.setdefault(names.name(sides[identity].member.comm), []).append(identity)
    named = {}
    for name, of in equal.items():
        for number, identity in enumerate(of, 1):
            text = name.text(number if len(of) > 1 else 0)
            named[identity] = _Named(text, len(of) > 1, sides[identity])
    return named


def _ways(known: World) -> Iterator[_Way]:
    sides: dict[Process, list[Side]] = {}
    for side in every(known, is_in_turns):
        sides.setdefault(side.member.process, []).append(side)
    found = (call_sequence.recorded_turns(known, process, of) for process, of in sides.items())
    made = [one for one in found if one is not None]
    ended = sum(at_the_end(process) for process in known.processes)
    for one in made:
        yield _Way(one, MOST // ended)
