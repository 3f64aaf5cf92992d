# SPDX-License-Identifier: MIT
"""Compare nonblocking collective calls between nodes when a process completes one, for `--strict`.

In a nonblocking call no process waits for the others, which may complete it much later. But when
one process has completed it, all have started it. So a process asks its watcher after the
completion if fingerprints differ, and waits. The watchers of all nodes find the query in the run's
directory, and write there the calls of their own processes so far.
"""

from __future__ import annotations

import os
import socket
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from mpipp.analysis.all_checks import cited
from mpipp.analysis.collectives.completed import Collectives
from mpipp.analysis.context.channel_history import Side, every, is_collective
from mpipp.analysis.context.world import Member, World
from mpipp.analysis.findings.finding import Finding
from mpipp.common.errors import MpippError
from mpipp.common.run_directory import STARTED, STRICT, paths
from mpipp.model import Comm, Stretch
from mpipp.watcher.collective_precheck.node_exchange import LocalCall, NodeExchange
from mpipp.watcher.history.incremental_reader import ChannelSnapshot, HistoryReader
from mpipp.watcher.ipc.protocol import CollectiveQuery
from mpipp.watcher.output.reporter import Reporter
from mpipp.watcher.processes.collective_comparison import STOPS, ReportedCalls, answer
from mpipp.watcher.processes.labels import ShownProcess, View
from mpipp.watcher.processes.process import WatchedProcess
from mpipp.watcher.processes.remote import has_remote
from mpipp.watcher.queries.process_stopper import ProcessStopper

_INTERVAL = 0.1  # seconds between two searches for queries of other nodes
_SOON = 2.0  # seconds in which more queries may follow a query
_LATE = 15.0  # seconds after which the watchers of other nodes must have answered
_MOST_CALLS = 1000  # latest calls to keep in a channel of a process
_MOST_VAIN = 8  # comparisons on a communicator without a finding, after which no more are made
# The number of readings of a history, and the seconds between two of them. Each reading returns the
# calls that existed at the previous one.
_LOOKS, _LOOK = 3, 0.005
_BETWEEN_NODES = "nonblocking collective calls as they completed (--strict), between nodes"


class _Asker(NamedTuple):
    connection: socket.socket
    call: CollectiveQuery


class _OwnCalls:
    # The latest calls of a process on the requested communicators.

    def __init__(self, one: WatchedProcess) -> None:
        self.one = one
        self._reader = HistoryReader(one)
        self._last: dict[int, list[Stretch]] = {}  # by the address of a history

    def look(self) -> list[ChannelSnapshot]:
        return list(self._reader.look())

    def call_histories(
        self, asked: CollectiveQuery, looked: Iterable[ChannelSnapshot]
    ) -> Iterator[LocalCall]:
        process = self.one.process(0)
        on = [seen for seen in looked if seen.comm.identity == asked.identity]
        joined = [seen for seen in on if is_collective(seen.channel)]
        for side in self._reader.sides(process, joined, float("inf")):
            before = self._last.get(side.channel.history, [])
            self._last[side.channel.history] = _last_of([*before, *side.stretches])
        for comm in process.registry.objects("comm", ended=True):
            if isinstance(comm, Comm) and comm.identity == asked.identity:
                known = [channel for channel in comm.channels if channel.history in self._last]
                member = Member(process, comm)
                past = [Side(member, each, self._last[each.history]) for each in known]
                call = asked._replace(pid=self.one.pid, tid=self.one.pid)
                yield LocalCall(self.one, call, past)
                return


class _Comparison(NamedTuple):
    # The result of a comparison.
    found: int
    stopped: bool  # True if no further process of this node has to stop


class _Call:
    # Calls on one communicator whose fingerprints differ.

    def __init__(self, meeting: NodeExchange, asked: CollectiveQuery) -> None:
        self.since = time.monotonic()
        self.meeting = meeting
        self.processes = asked.processes
        self.identity = asked.identity
        self.own: list[LocalCall] = []  # calls of this node
        self.askers: list[_Asker] = []
        self.stops: _Asker | None = None  # the process of this node that stops


class NonblockingPrecheck:
    """The processes that wait until their completed calls are compared with other nodes.

    Args:
        directory: the run's directory, which the watchers of all nodes share; "" if there is none.
        watched: the processes of this node; the list may grow.
    """

    def __init__(
        self,
        directory: str,
        watched: Sequence[WatchedProcess],
        reporter: Reporter,
        stopper: ProcessStopper,
    ) -> None:
        self._directory = directory
        self._watched = watched
        self._reporter = reporter
        self._stopper = stopper
        self._calls: dict[int, _Call] = {}
        self._own: dict[WatchedProcess, _OwnCalls] = {}
        # By number of the call. Numbers that exist at the start are left from another run.
        self._over = dict.fromkeys(self._numbers() if directory else (), _Comparison(0, True))
        self._vain: Counter[int] = Counter()  # by the identity of the communicator
        self._met: list[NodeExchange] = []
        self._next = 0.0
        self._last = -_SOON  # time of the last query

    @property
    def are_waiting(self) -> bool:
        """Return whether this watcher waits for others, or they may soon ask this one."""
        return bool(self._calls) or time.monotonic() < self._last + _SOON

    def add(self, connection: socket.socket, call: CollectiveQuery) -> None:
        """Add a process that asks. The process's node has already found no error among its own
        processes."""
        if over := self._over.get(call.number):
            self._answer(_Asker(connection, call), over)
        elif self._is_to_be_compared(call) and self._join(call):
            self._calls[call.number].askers.append(_Asker(connection, call))
            self._compare()
        else:
            answer(connection, 0)

    def _is_to_be_compared(self, call: CollectiveQuery) -> bool:
        one = next((one for one in self._watched if one.pid == call.pid), None)
        known = one is not None and not one.spawned and call.identity and call.number
        return bool(known) and self._vain[call.identity] < _MOST_VAIN and self._is_shared()

    def _answer(self, asker: _Asker, over: _Comparison) -> None:
        # Other processes of this node have made the same query earlier. If none of them has
        # stopped, this process stops.
        one = next((one for one in self._watched if one.pid == asker.call.pid), None)
        stops = over.found and not over.stopped and one is not None
        if one is not None and stops:
            one.refresh()
            self._stopper.say(one, asker.call.tid)
            self._stopper.stop(one, asker.call.tid)
            self._over[asker.call.number] = over._replace(stopped=True)
        answer(asker.connection, over.found | STOPS if stops else over.found)

    def look(self) -> None:
        """Join the comparisons of other nodes, compare complete ones, and answer the processes."""
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + _INTERVAL
        if self._is_shared():
            self._take_part()
        self._compare()
        while self._met and self._met[0].is_expired:
            self._met.pop(0).forget()

    def end(self) -> None:
        """Answer all waiting processes after the end of the last process."""
        self._compare()
        for number in list(self._calls):
            self._end(number, 0)

    def _compare(self) -> None:
        for number, call in list(self._calls.items()):
            try:
                # The node that cancelled the comparison has reported the reason.
                if call.meeting.is_cancelled or not self._directory:
                    self._directory = ""
                    self._end(number, 0)
                    continue
                if call.meeting.count + len(call.own) < call.processes:
                    if time.monotonic() - call.since <= _LATE:
                        continue
                    raise MpippError("some watchers of the other processes did not write theirs")
                found = self._compared(call)
            except MpippError as error:
                found = 0
                self._fail(error, call.meeting)
            self._end(number, found)

    def _is_shared(self) -> bool:
        strict = [one for one in self._watched if one.strict]
        return bool(
            self._directory and strict and has_remote(strict[0].registry.info, self._watched)
        )

    def _numbers(self) -> list[int]:
        # The numbers of the calls in the run's directory.
        folders = paths(os.path.join(self._directory, STRICT))
        return [number for path in folders if (number := _number(os.path.basename(path)))]

    def _take_part(self) -> None:
        for number in self._numbers():
            if number not in self._over and number not in self._calls:
                meeting = self._meeting(number)
                try:
                    asked = next(iter(meeting.calls()), None)
                except MpippError as error:
                    self._fail(error, meeting)
                    return
                if asked is not None and not self._join(asked):
                    return

    def _meeting(self, number: int) -> NodeExchange:
        return NodeExchange(self._directory, f"{STARTED}{number:016x}")

    def _join(self, asked: CollectiveQuery) -> bool:
        if asked.number not in self._calls:
            self._last = time.monotonic()
            call = _Call(self._meeting(asked.number), asked)
            self._met.append(call.meeting)
            try:
                call.own = [*self._local_calls(asked)]
                call.meeting.leave(call.own, self._reporter.before)
            except MpippError as error:
                self._fail(error, call.meeting)
                return False
            self._calls[asked.number] = call
        return True

    def _local_calls(self, asked: CollectiveQuery) -> Iterator[LocalCall]:
        # All processes have started these calls by now. Leave out spawned jobs, because their
        # communicators may have the same identities.
        own = [
            self._own.setdefault(one, _OwnCalls(one)) for one in self._watched if not one.spawned
        ]
        for _ in range(_LOOKS - 1):
            for each in own:
                each.look()
            time.sleep(_LOOK)
        for each in own:
            yield from each.call_histories(asked, each.look())

    def _fail(self, error: MpippError, meeting: NodeExchange) -> None:
        # Do not wait again after a failure, on any node.
        self._reporter.note_not_checked(f"{_BETWEEN_NODES}: {error}")
        meeting.cancel()
        self._directory = ""

    def _end(self, number: int, found: int) -> None:
        call = self._calls.pop(number)
        has_stopped = not self._stopper.is_asked_for or call.stops is not None
        self._over[number] = _Comparison(found, has_stopped)
        if call.askers and not found:
            self._vain[call.identity] += 1
        for asker in call.askers:
            answer(asker.connection, found | STOPS if asker is call.stops else found)

    def _compared(self, call: _Call) -> int:
        # Return 1 if the comparison has a new finding, else 0.
        of: list[ShownProcess] = [one.process for one in call.own]
        of += [one for one, _ in call.meeting.remote_calls()]
        of.sort(key=lambda one: one.registry.info.world_rank or 0)
        sides = {id(one.process): one.history for one in call.own}
        processes = [one.process(number) for number, one in enumerate(of)]
        past = Collectives()
        for one, process in zip(of, processes):
            # For a process of this node, only `look` may read the growing history.
            left = sides.get(id(one))
            for side in every(World([process]), is_collective) if left is None else left:
                member = Member(process, side.member.comm)
                past.add(Side(member, side.channel, side.stretches))
        found = cited(list(past.compare()), processes)
        chosen = filter(self._reporter.collected.is_chosen, found)
        frames, is_known = View(of).frames, self._reporter.collected.has_suppression
        return self._report(call, of, [one for one in chosen if not is_known(one, frames)])

    def _report(self, call: _Call, of: Sequence[ShownProcess], found: list[Finding]) -> int:
        # The watcher of the first process reports the finding. On each node, the process that
        # completed the call first stops.
        view = View(of)
        new = [one for one in found if not self._reporter.before.has(one, view.where)]
        if not new:
            return 0
        elsewhere = ReportedCalls()  # findings that other nodes have reported
        call.meeting.add_reported(elsewhere)
        by_pid = {one.pid: one for one in self._watched}
        if self._stopper.is_asked_for:
            call.stops = next((one for one in call.askers if one.call.pid in by_pid), None)
        stops = by_pid[call.stops.call.pid] if call.stops else None
        untold = [one for one in new if not elsewhere.has(one, view.where)]
        own = [one for one in untold if isinstance(of[one.parties[0].process], WatchedProcess)]
        if own:
            self._reporter.report(of, own, self._stopper.line(stops) if stops else "")
        elif stops and call.stops:
            self._stopper.say(stops, call.stops.call.tid)
        self._reporter.before.add(new, view.where)
        if stops and call.stops:
            self._stopper.stop(stops, call.stops.call.tid)
        return 1


def _number(name: str) -> int:
    # The number of a call, from the name of its folder; 0 for another name.
    try:
        return int(name[len(STARTED) :], 16) if name.startswith(STARTED) else 0
    except ValueError:
        return 0


def _last_of(stretches: Sequence[Stretch]) -> list[Stretch]:
    # The ordinals are equal in all processes, so all keep about the same calls.
    first = stretches[-1].end - _MOST_CALLS if stretches else 0
    return [one.part(max(first, one.first), one.end) for one in stretches if one.end > first]
