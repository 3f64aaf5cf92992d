# SPDX-License-Identifier: MIT
"""`--strict` between nodes: nonblocking collective calls, compared where a process completes one.

Nobody waits in them for others, which may complete theirs much later; but all have started them. So
whoever has completed one that seems not to agree waits, and each node's watcher, which finds that
in the run's directory, leaves there what its own processes have called so far.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mpipp.agreement import saving
from mpipp.checks.every import cited
from mpipp.checks.finding import Finding
from mpipp.checks.past.agreement import Collectives
from mpipp.checks.past.sides import Side, every, is_joined
from mpipp.checks.world import Member, World
from mpipp.errors import MpippError
from mpipp.watch.connection import Disagreeing
from mpipp.watch.elsewhere import are_elsewhere
from mpipp.watch.everywhere import Leaving, Meeting
from mpipp.watch.growing import Growing
from mpipp.watch.stopping import Stopping
from mpipp.watch.strict import STOPS, answer
from mpipp.watch.telling import Telling
from mpipp.watch.view import Shown, View
from mpipp.watch.watched import Watched

_INTERVAL = 0.1  # seconds between looks whether others have asked
_SOON = 2.0  # seconds in which others may follow one that was asked
_LATE = 15.0  # seconds in which the watchers of other nodes have looked
_MOST_STRETCHES = 4096  # of a channel of each process: the last
_LOOKS, _LOOK = 3, 0.005  # and seconds between them: what was there at one is told at the next
_BETWEEN_NODES = "nonblocking collective calls as they completed (--strict), between nodes"


class _Asker(NamedTuple):
    connection: socket.socket
    call: Disagreeing


class _Call:
    # Calls on one communicator that seem not to agree.

    def __init__(self, meeting: Meeting, processes: int) -> None:
        self.since = time.monotonic()
        self.meeting = meeting
        self.processes = processes
        self.own: list[Leaving] = []  # on this node
        self.askers: list[_Asker] = []
        self.stops: _Asker | None = None  # one of them


class Afterwards:
    """Processes that wait until what they have completed is compared with other nodes.

    Args:
        directory: the run's, where the watchers of all nodes meet; "": there is none.
        watched: the processes of this node, also those that come.
    """

    def __init__(
        self, directory: str, watched: Sequence[Watched], telling: Telling, stopping: Stopping
    ) -> None:
        self._directory = directory
        self._watched = watched
        self._telling = telling
        self._stopping = stopping
        self._calls: dict[int, _Call] = {}
        self._over: set[int] = set()  # numbers of those that were compared
        self._met: list[Meeting] = []
        self._next = 0.0
        self._last = -_SOON  # when one was asked

    @property
    def are_waiting(self) -> bool:
        """Whether watchers of other nodes are awaited, or may await this one."""
        return bool(self._calls) or time.monotonic() < self._last + _SOON

    def add(self, connection: socket.socket, call: Disagreeing) -> None:
        """A process has asked, and between those of its node nothing was found."""
        if call.number not in self._over and self._is_shared() and self._join(call):
            self._calls[call.number].askers.append(_Asker(connection, call))
            self._compare()
        else:
            answer(connection, 0)

    def look(self) -> None:
        """Take part in what others have asked; compare what all have left, and answer."""
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + _INTERVAL
        if self._is_shared():
            self._take_part()
        self._compare()
        while self._met and self._met[0].is_over:
            self._met.pop(0).forget()

    def end(self) -> None:
        """The last process is over."""
        self._compare()
        for number in list(self._calls):
            self._end(number, 0)

    def _compare(self) -> None:
        for number, call in list(self._calls.items()):
            try:
                if call.meeting.count + len(call.own) < call.processes:
                    if time.monotonic() - call.since <= _LATE:
                        continue
                    raise MpippError("not all watchers of the other processes have left theirs")
                found = self._compared(call)
            except MpippError as error:
                found = 0
                self._fail(error)
            self._end(number, found)

    def _is_shared(self) -> bool:
        strict = [one for one in self._watched if one.strict]
        return bool(
            self._directory and strict and are_elsewhere(strict[0].registry.info, self._watched)
        )

    def _take_part(self) -> None:
        try:
            names = os.listdir(os.path.join(self._directory, saving.STRICT))
        except OSError:
            return
        for name in names:
            number = _number(name)
            if number and number not in self._over and number not in self._calls:
                try:
                    asked = next(iter(self._meeting(number).calls()), None)
                except MpippError as error:
                    self._fail(error)
                    return
                if asked is not None:
                    self._join(asked)

    def _meeting(self, number: int) -> Meeting:
        return Meeting(self._directory, f"{saving.STARTED}{number:016x}")

    def _join(self, asked: Disagreeing) -> bool:
        if asked.number not in self._calls:
            self._last = time.monotonic()
            call = _Call(self._meeting(asked.number), asked.processes)
            self._met.append(call.meeting)
            try:
                call.own = [*_left(self._watched, asked)]
                call.meeting.leave(call.own)
            except MpippError as error:
                self._fail(error)
                return False
            self._calls[asked.number] = call
        return True

    def _fail(self, error: MpippError) -> None:
        # It is waited for once.
        self._telling.not_checked(f"{_BETWEEN_NODES}: {error}")
        self._directory = ""

    def _end(self, number: int, found: int) -> None:
        self._over.add(number)
        call = self._calls.pop(number)
        for asker in call.askers:
            answer(asker.connection, found | STOPS if asker is call.stops else found)

    def _compared(self, call: _Call) -> int:
        # Whether there is anything new.
        of: list[Shown] = [one.process for one in call.own]
        of += [one for one, _ in call.meeting.others()]
        of.sort(key=lambda one: one.registry.info.world_rank or 0)
        sides = {id(one.process): one.past for one in call.own}
        processes = [one.process(number) for number, one in enumerate(of)]
        past = Collectives()
        for one, process in zip(of, processes):
            for side in sides.get(id(one)) or every(World([process]), is_joined):
                member = Member(process, side.member.comm)
                past.add(Side(member, side.channel, side.stretches))
        found = cited(list(past.compare()), processes)
        chosen = filter(self._telling.collected.is_chosen, found)
        frames, is_known = View(of).frames, self._telling.collected.is_known
        return self._tell(call, of, [one for one in chosen if not is_known(one, frames)])

    def _tell(self, call: _Call, of: Sequence[Shown], found: list[Finding]) -> int:
        # Who watches the first process tells; of each node who has completed it first stops.
        view = View(of)
        new = [one for one in found if not self._telling.before.has(one, view.where)]
        if not new:
            return 0
        by_pid = {one.pid: one for one in self._watched}
        if self._stopping.is_asked_for:
            call.stops = next((one for one in call.askers if one.call.pid in by_pid), None)
        stops = by_pid[call.stops.call.pid] if call.stops else None
        own = [one for one in new if isinstance(of[one.parties[0].process], Watched)]
        if own:
            self._telling.tell(of, own, self._stopping.line(stops) if stops else "")
        elif stops and call.stops:
            self._stopping.say(stops, call.stops.call.tid)
        self._telling.before.add(new, view.where)
        if stops and call.stops:
            self._stopping.stop(stops, call.stops.call.tid)
        return 1


def _number(name: str) -> int:
    # Of a call, by the folder that it is in; 0: it is no such folder.
    try:
        return int(name[len(saving.STARTED) :], 16) if name.startswith(saving.STARTED) else 0
    except ValueError:
        return 0


def _left(watched: Sequence[Watched], asked: Disagreeing) -> Iterator[Leaving]:
    # What processes have called on a communicator so far; all have started the calls by now.
    each = [(one, Growing(one)) for one in watched]
    for _ in range(_LOOKS - 1):
        for _, growing in each:
            list(growing.look())
        time.sleep(_LOOK)
    for one, growing in each:
        process = one.process(0)
        seen = [
            channel
            for channel in growing.look()
            if channel.comm.identity == asked.identity and is_joined(channel.channel)
        ]
        past = [
            Side(side.member, side.channel, side.stretches[-_MOST_STRETCHES:])
            for side in growing.sides(process, seen, float("inf"))
        ]
        if past:
            call = asked._replace(pid=one.pid, tid=one.pid)
            yield Leaving(one, call, past)
