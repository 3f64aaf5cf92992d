# SPDX-License-Identifier: MIT
"""The watcher's loop: who comes and goes, and when the processes' records are looked at.

Records are looked at when they are at rest: of processes that wait for the watcher at their end,
that have died, or in which nothing has changed for a while. What was sent and received is also
compared while they run (periodic_compare.py).
"""

from __future__ import annotations

import contextlib
import selectors
import socket
import time
from collections.abc import Iterable, Iterator

from mpipp.analysis import all_checks
from mpipp.analysis.context.process import Process
from mpipp.analysis.findings.finding import Finding
from mpipp.analysis.rules import deadlocks, leaks, selection
from mpipp.common.errors import MpippError
from mpipp.reports import suppressions
from mpipp.watcher.damaged_records import Faults, Traces
from mpipp.watcher.history.periodic_compare import Comparing
from mpipp.watcher.ipc import launch
from mpipp.watcher.ipc import protocol as said
from mpipp.watcher.ipc.new_connections import NewConnections
from mpipp.watcher.ipc.settings import Settings
from mpipp.watcher.nodes.process_ends import KILLED, Ends
from mpipp.watcher.nodes.strict_vote import INTERVAL, WaitingProcesses
from mpipp.watcher.output.channel import Output
from mpipp.watcher.output.deduplicate import Collected
from mpipp.watcher.output.node_results import ProcessFiles
from mpipp.watcher.output.not_checked import last_words
from mpipp.watcher.output.reporter import Reporter
from mpipp.watcher.output.totals import NOTHING
from mpipp.watcher.processes import abnormal_exit
from mpipp.watcher.processes.exit_batching import Together
from mpipp.watcher.processes.exit_status import Ending, Exit
from mpipp.watcher.processes.labels import View
from mpipp.watcher.processes.liveness import goes_on
from mpipp.watcher.processes.process import GONE, LOST, OVER, RUNNING, Watched, handed
from mpipp.watcher.processes.remote import Nodes, has_remote
from mpipp.watcher.processes.strict_comparison import NOT_BEFORE, STOPS, answer
from mpipp.watcher.progress.hang_detector import HangDetector
from mpipp.watcher.queries.answer import QueryHandler
from mpipp.watcher.queries.stop_process import ProcessStopper
from mpipp.watcher.strict.blocking import BlockingPrecheck
from mpipp.watcher.strict.nonblocking import NonblockingPrecheck

_HEARD = 2.0  # seconds in which `mpipp run` says that the user ends it, or that it has ended
_LOOK = 0.5  # seconds between looks whether anything moves, at most; and at least
_LATE_LOOKS, _LATE_LOOK = 3, 0.005  # and seconds between them, where calls disagree
_MOST_DEFERRED = 200  # times, of the end of a process, for what others have said before
_LINGER = 0.3  # seconds after the last process
_LATEST = 60.0  # seconds until the first comes


class Watcher:
    """Watches all that connect to the listening socket, until the last has gone."""

    def __init__(
        self, listener: socket.socket, output: Output, settings: Settings, traces: Traces
    ) -> None:
        self._output = output
        self._settings = settings
        self._selector = selectors.EpollSelector()
        self._new_connections = NewConnections(listener, self._selector)
        self._is_last = False  # the launcher has said so
        self._interrupted = False  # by the user
        self._total = NOTHING
        if output.fileno() >= 0:
            self._selector.register(output.fileno(), selectors.EVENT_READ, output)
        self._jobs: dict[int, int] = {}  # numbered as they come, by what tells them apart
        self._programs: dict[int, tuple[str, Exit]] = {}  # what was started, by process number
        self._any_came = False
        self._watched: list[Watched] = []
        self._made = made = selection.merged([settings.checks])
        self._compares = selection.has_group(made, "messages", "collectives")
        self._between = self._compares or selection.has_group(made, "deadlocks", "windows", "rma")
        collected = Collected(suppressions.read(settings.suppress), made)
        self._reporter = reporter = Reporter(output, settings, collected)
        self._faults = Faults(traces, self._watched, reporter)
        self._comparing = Comparing()
        self._due: float | None = None  # when to look at those at rest
        self._together = Together()
        self._stopper = ProcessStopper(settings.stop, settings.stop_at, output, self._watched)
        self._queries = QueryHandler(
            self._watched,
            self._tell_of_all,
            reporter.note_not_checked,
            reporter.note_failure,
            self._stopper,
            collected.is_chosen,
            lambda finding: collected.has_suppression(finding, View(self._watched).frames),
        )
        self._emptied = self._hearing = self._heard_all = time.monotonic()
        self._looked_at: object = None  # the last time, once they were at rest
        self._keep: set[int] = set()  # processes that MPI_Finalize has left what may yet be freed
        self._unsure: list[str] = []  # what was not checked of several then: more may come to rest
        self._asked_strict = 0  # questions about collective calls that seem to disagree
        self._blocking_precheck = BlockingPrecheck(settings.report, reporter, self._stopper)
        self._nonblocking_precheck = NonblockingPrecheck(
            settings.report if self._compares else "", self._watched, reporter, self._stopper
        )
        self._waiting_processes = WaitingProcesses(settings.report)
        self._process_files = ProcessFiles(settings.report)
        self._nodes = Nodes(settings.report)
        self._ends = Ends(settings.report, self._watched, reporter, self._nodes)
        self._hang_detector = HangDetector(
            self._watched, settings.hang_after, reporter, output, self._stopper, self._nodes
        )

    def run(self) -> None:
        """Until there is nobody to watch."""
        guard = self._faults.guard
        while not self._is_done():
            events = self._selector.select(self._timeout())
            self._heard_all, self._hearing = self._hearing, time.monotonic()
            self._accept()
            for key, _ in events:
                if key.data is None:
                    continue
                if key.data is self._output:
                    self._hear_launcher()
                else:
                    self._hear_one(key.data)
            guard(self._look_if_due)
            guard(self._take_part)
            guard(self._compare)
            guard(self._look_at_hangs)
        guard(self._look)
        guard(self._look_for_what_is_kept)
        guard(self._report_rest)
        guard(self._blocking_precheck.end)
        guard(self._nonblocking_precheck.end)
        guard(self._count)
        self._output.total(self._total)

    def _look_if_due(self) -> None:
        if self._interrupted:
            self._stopper.let_go_on()
        now = time.monotonic()
        if self._queries.due is not None and now >= self._queries.due:
            self._queries.report()
        if self._due is not None and now >= self._due:
            self._due = None
            self._look()

    def _take_part(self) -> None:
        # In what is decided with watchers of other nodes.
        self._blocking_precheck.look(self._running())
        self._nonblocking_precheck.look()
        for sentence in self._waiting_processes.decide(self._watched):
            self._reporter.note_not_checked(sentence)

    def _look_at_hangs(self) -> None:
        self._hang_detector.look(self._findings)

    def _report_rest(self) -> None:
        self._ends.report_rest(self._interrupted, self._uncalled())

    def _count(self) -> None:
        self._reporter.collected.unchecked.update(dict.fromkeys(self._unsure))
        counted = [one for one in self._watched if self._reporter.can_read(one)]
        calls = sum(one.calls for one in counted)
        tables = last_words(counted, self._made, self._reporter.note_not_checked)
        self._reporter.collected.questions = self._queries.count + self._asked_strict
        for sentence in (*self._stopper.not_stopped(), *self._process_files.not_compared(counted)):
            self._reporter.note_not_checked(sentence)
        if not (counted or self._reporter.collected.lost):
            self._reporter.note_failure(self._nothing())
        self._total = self._reporter.collected.total(len(counted), calls)._replace(**tables)

    def _uncalled(self) -> Iterator[tuple[str, Ending]]:
        # What was started and has not called MPI.
        known = {one.pid for one in self._watched}
        for pid, (label, ended) in self._programs.items():
            by = ended.ending() if pid not in known else None
            if by is not None:
                yield label, by

    def _nothing(self) -> str:
        # What is said where nobody was watched.
        count = len(self._programs.keys() | {one.pid for one in self._watched})
        none = "the process has not" if count == 1 else f"none of {count} processes has"
        return f"{none} initialized MPI"

    def _hear_launcher(self) -> None:
        if self._output.receive() == said.INTERRUPTED:
            self._interrupted = True
        else:
            self._selector.unregister(self._output.fileno())
            self._is_last = True
        if self._due is not None and not self._running():
            self._due = time.monotonic()

    def _is_done(self) -> bool:
        now = time.monotonic()
        are_over = all(ended.has_exited for _, ended in self._programs.values())
        # What a process has called after MPI_Finalize may not have been heard when it has ended.
        are_heard = not any(one.has_said_more() for one in self._watched)
        if not (are_over and are_heard) or self._new_connections or self._running():
            self._emptied = now
            return False
        if self._due is not None:
            return False
        return self._is_last or now - self._emptied > (_LINGER if self._any_came else _LATEST)

    def _timeout(self) -> float:
        waiting = self._waiting_processes.are_waiting or self._blocking_precheck.are_meeting
        waiting |= self._nonblocking_precheck.are_waiting
        due = [time.monotonic() + (INTERVAL if waiting else _LOOK)]
        if self._due is not None:
            due.append(self._due)
        if self._running() and self._compares:
            due.append(self._comparing.due)
        if self._queries.due is not None:
            due.append(self._queries.due)
        return max(0.0, min(due) - time.monotonic())

    # Who comes and goes.

    def _accept(self) -> None:
        # All that have come, before any that is over.
        for made in self._new_connections.ready_connections():
            try:
                self._greet(made)
            except (MpippError, OSError) as error:
                made.close()
                if isinstance(error, MpippError):
                    self._reporter.note_not_checked(str(error))

    def _greet(self, made: socket.socket) -> None:
        hello = handed(made)
        self._any_came |= hello is not None
        if isinstance(hello, said.Hello):
            one = Watched(made, hello)
            one.spawned = self._jobs.setdefault(one.job, len(self._jobs))
            self._watched.append(one)
            self._selector.register(made, selectors.EVENT_READ, one)
            one.answer(said.MET)
            return
        if isinstance(hello, said.Disagreeing) and not hello.number:
            self._reporter.note_not_checked(NOT_BEFORE)
            made.close()
            return
        if isinstance(hello, said.Disagreeing):
            self._asked_strict += 1
            self._blocking_precheck.add(made, hello)
            self._blocking_precheck.look(self._running())
            return
        if isinstance(hello, said.Strict):
            self._waiting_processes.add(made, hello, self._watched)
            return
        if isinstance(hello, said.Late):
            self._asked_strict += 1
            if found := self._compare_late(hello.call):
                answer(made, found)
            else:
                self._nonblocking_precheck.add(made, hello.call)
            return
        if isinstance(hello, said.Touching):
            answer(made, self._queries.touching(hello))
            return
        if isinstance(hello, said.Started):
            pid, _ = launch.peer(made)
            label = f"rank {hello.rank}" if hello.rank else f"process {pid}"
            self._programs[pid] = label, Exit(made, pid)
        made.close()

    def _hear_one(self, one: Watched) -> None:
        try:
            self._hear(one)
        except Exception as error:
            self._faults.leave_out(one, error)

    def _hear(self, one: Watched) -> None:
        try:
            data = one.connection.recv(4096)
        except OSError:
            data = b""
        asked, first = said.question(data), said.questions(data)
        end = said.end(data)
        if one.is_left_out and data:
            one.answer(said.LOOKED if end is not None else said.ANSWERED)
            return
        if asked is not None:
            self._queries.answer(one, asked)
            return
        if first is not None:
            self._queries.answer_all(one, first)
            return
        now = time.monotonic()
        if end is not None and one.state == RUNNING:
            one.state, one.end = OVER, end
            one.places.refresh()
            over = (o for o in self._watched if o.state == OVER)
            due = self._together.due(self._due, now, over) if self._running() else now
            self._due = due
            if end != said.FINALIZED:
                self._ends.add(one, self._heard_all)
                self._due = now
        elif not data and not self._is_heard_later(one):
            self._selector.unregister(one.connection)
            was = one.state
            one.disconnect()
            if was != RUNNING or not self._reporter.can_read(one):
                return
            if goes_on(one.pid):
                one.state = LOST
                self._reporter.note_failure(
                    f"{one.label()} goes on unseen: it has become another program, or has closed "
                    "the files that it had open"
                )
            elif one.registry.info.status == "started":
                self._ends.add(one, self._heard_all)
                self._together.forget()
                self._due = min(self._due or now + KILLED, now + KILLED)
                if not self._running():
                    self._due = now + self._until_heard()

    def _until_heard(self) -> float:
        # Seconds until it is known whether the user has ended them all: the signal that they die of
        # is also that of `mpipp run`, which may come to say so only after they have died. Processes
        # that are over, and watchers of other nodes, do not wait as long.
        waiting = any(one.state == OVER and one.connection.fileno() >= 0 for one in self._watched)
        if not self._settings.launched or self._interrupted or self._is_last:
            return 0.0
        with contextlib.suppress(MpippError):
            waiting |= has_remote(self._watched[0].registry.info, self._watched)
        return _HEARD if self._output.has_launcher and not waiting else KILLED

    def _is_heard_later(self, one: Watched) -> bool:
        # Others may have said that they end before this one was ended, behind questions.
        if one.state != RUNNING or not any(o.has_said_more() for o in self._running()):
            return False
        one.deferred += 1
        return one.deferred <= _MOST_DEFERRED

    def _running(self) -> list[Watched]:
        return [one for one in self._watched if one.state == RUNNING]

    # What is looked at.

    def _look(self) -> None:
        self._queries.report()
        resting = [one for one in self._watched if one.state in (OVER, GONE)]
        waiting = [one for one in resting if one.connection.fileno() >= 0]
        for one in waiting:
            one.answer(said.AT_WORK)
        self._output.show_progress(len(resting))
        known = [one for one in resting if self._reporter.can_read(one)]
        for sentence in self._process_files.leave(known, self._watched):
            self._reporter.note_not_checked(sentence)
        as_they_are = [(one, one.end, one.calls) for one in known]
        found: list[Finding] = []
        if as_they_are != self._looked_at:
            self._looked_at = as_they_are
            self._unsure.clear()
            found = list(self._findings(known))
        causes = abnormal_exit.of_last_calls(found, known)
        self._reporter.report(known, causes)
        due = self._ends.report(self._interrupted)
        self._due = self._due if due is None else due
        self._reporter.report(known, (one for one in found if one not in causes))
        self._output.show_progress(0)
        for one in waiting:
            one.answer(said.LOOKED)

    def _compare(self) -> None:
        # While they run.
        if time.monotonic() >= self._comparing.due and self._running() and self._compares:
            self._compare_now()

    def _compare_late(self, asking: said.Disagreeing) -> int:
        # What there is at one look is compared at the next. Who asks stops if something is found.
        by_pid = {one.pid: one for one in self._running()}
        for _ in range(_LATE_LOOKS if self._compares else 0):
            stops = by_pid.get(asking.pid) if self._stopper.is_asked_for else None
            if self._compare_now(self._stopper.line(stops) if stops else ""):
                if stops:
                    self._stopper.stop(stops, asking.tid)
                return 1 | STOPS if stops else 1
            time.sleep(_LATE_LOOK)
        return 0

    def _compare_now(self, line: str = "") -> bool:
        found = self._comparing.look(self._watched)
        if not found:
            return False
        for one in self._running():
            one.places.refresh()
        any_new = self._reporter.report(self._watched, iter(found), line)
        self._reporter.before.add(found, View(self._watched).where)
        return any_new

    def _findings(self, resting: list[Watched]) -> Iterator[Finding]:
        processes = [one.process(number) for number, one in enumerate(resting)]
        view = View(resting)

        def failed(process: Process | None, error: MpippError) -> None:
            asked = resting if process is None else [resting[process.number]]
            if self._process_files.has_reported(error) or any(
                one.memory.not_there for one in asked
            ):
                return
            who = f"{view.label(process.number)}: " if process else ""
            (self._reporter.note_not_checked if process else self._unsure.append)(f"{who}{error}")

        left = self._process_files.logged_processes(resting, self._watched)
        is_all = self._between and len(resting) == len(self._watched)
        for finding in all_checks.findings(
            processes, failed, between_too=self._between, left=left, spawned_too=is_all
        ):
            one = resting[finding.parties[0].process]
            if finding.rule in leaks.UNTIL_EXIT and one.end == said.FINALIZED:
                self._keep.add(one.pid)
            # Who waits for one that has died, or has been told of already.
            elif finding.rule not in deadlocks.RULES or not (
                self._ends or self._hang_detector.has_reported
            ):
                yield finding
        for one, process in zip(resting, processes):
            if one.end == said.EXITING:
                found = all_checks.findings([process], failed, leaks_too=True, between_too=False)
                yield from (each for each in found if each.rule in leaks.RULES)

    def _look_for_what_is_kept(self) -> None:
        # When the processes have ended: until then they may free it.
        ended = [one for one in self._watched if one.pid in self._keep and not goes_on(one.pid)]
        if not ended:
            return
        self._output.show_progress(len(ended))
        kept = [one for one in ended if self._reporter.can_read(one)]

        def failed(process: Process | None, error: MpippError) -> None:
            assert process
            self._reporter.note_not_checked(f"process {kept[process.number].pid}: {error}")

        processes = [one.process(number) for number, one in enumerate(kept)]
        found = all_checks.leak_findings(processes, failed)
        self._reporter.report(kept, (each for each in found if each.rule in leaks.UNTIL_EXIT))
        self._output.show_progress(0)

    def _tell_of_all(self, found: Iterable[Finding], line: str) -> bool:
        return self._reporter.report(self._watched, found, line)
