# SPDX-License-Identifier: MIT
"""The watcher's event loop: handles messages of processes and of the launcher, and timers.

A process is checked when it rests (`process_end_checks`): it waits for the watcher at its end, has
died, or has not changed for a while. Messages and collective calls are also compared while
processes run (`history.running_comparison`).
"""

from __future__ import annotations

import selectors
import signal
import socket
import time

from mpipp.analysis.rules import selection
from mpipp.common.errors import MpippError
from mpipp.reports import suppressions
from mpipp.watcher.collective_precheck.prechecks import Prechecks
from mpipp.watcher.damaged_records import FaultGuard, TracebackFile
from mpipp.watcher.history.growth import Growth
from mpipp.watcher.history.running_comparison import RunningComparison
from mpipp.watcher.ipc import protocol as said
from mpipp.watcher.ipc.layouts import Dying
from mpipp.watcher.ipc.new_connections import NewConnections
from mpipp.watcher.nodes.process_ends import AbnormalEnds
from mpipp.watcher.nodes.process_exits import ProcessExits
from mpipp.watcher.output import run_summary
from mpipp.watcher.output.channel import Output
from mpipp.watcher.output.finding_filter import FindingCollection
from mpipp.watcher.output.launcher import Launcher
from mpipp.watcher.output.node_results import ProcessFiles
from mpipp.watcher.output.reporter import Reporter
from mpipp.watcher.output.totals import NOTHING
from mpipp.watcher.process_end_checks import ProcessEndChecks
from mpipp.watcher.processes.collective_comparison import answer
from mpipp.watcher.processes.dying_processes import DyingProcesses
from mpipp.watcher.processes.fatal_signal import FatalSignal
from mpipp.watcher.processes.labels import View
from mpipp.watcher.processes.process import WatchedProcess, handed
from mpipp.watcher.processes.process_table import ProcessTable
from mpipp.watcher.processes.remote import Nodes
from mpipp.watcher.progress.hang_detector import HangDetector
from mpipp.watcher.queries.process_stopper import ProcessStopper
from mpipp.watcher.queries.query_handler import QueryHandler
from mpipp.watcher.settings import Settings

_LOOK = 0.5  # longest and shortest seconds between two checks for progress
_LINGER = 0.3  # seconds to wait after the end of the last process
_LATEST = 60.0  # seconds to wait for the first process


class EventLoop:
    """Serves all connections of the listening socket, until the last process has ended."""

    def __init__(
        self, listener: socket.socket, output: Output, settings: Settings, traces: TracebackFile
    ) -> None:
        self._output = output
        self._selector = selectors.EpollSelector()
        self._new_connections = NewConnections(listener, self._selector)
        if output.fileno() >= 0:
            self._selector.register(output.fileno(), selectors.EVENT_READ, output)
        self._table = table = ProcessTable()
        self._dying = DyingProcesses()
        self._made = made = selection.merged([settings.checks])
        collected = FindingCollection(suppressions.read(settings.suppress), made)
        self._reporter = reporter = Reporter(output, settings, collected)
        self._faults = FaultGuard(traces, table.watched, reporter)
        self._stopper = stopper = ProcessStopper(
            settings.stop, settings.stop_at, output, table.watched
        )
        self._queries = QueryHandler(
            table.watched,
            lambda found, line: reporter.report(table.watched, found, line),
            reporter.note_not_checked,
            reporter.note_failure,
            stopper,
            collected.is_chosen,
            lambda finding: collected.has_suppression(finding, View(table.watched).frames),
        )
        compares = selection.has_group(made, "messages", "collectives")
        between = compares or selection.has_group(
            made, "deadlocks", "portability", "windows", "rma", "races"
        )
        self._comparison = RunningComparison(table, reporter, stopper, compares)
        self._growth = Growth(table, reporter, selection.has_group(made, "leaks"))
        self._prechecks = Prechecks(
            settings.report,
            settings.report if compares else "",
            table,
            self._comparison,
            reporter,
            stopper,
        )
        self._launcher = Launcher(output, settings.launched)
        nodes = Nodes(settings.report)
        ends = AbnormalEnds(settings.report, table.watched, reporter, nodes)
        self._exits = ProcessExits(table, ends, self._launcher, reporter)
        self._process_files = ProcessFiles(settings.report)
        hang_detector = HangDetector(
            table.watched,
            settings.hang_after,
            reporter,
            output,
            stopper,
            nodes,
            settings.ends_hung,
        )
        self._checks = ProcessEndChecks(
            table,
            self._exits,
            hang_detector,
            reporter,
            output,
            self._process_files,
            between,
        )
        self._any_came = False
        self._emptied = self._hearing = self._heard_all = time.monotonic()
        self._total = NOTHING

    def run(self) -> None:
        """Serve until all processes have ended, then write the total."""
        guard = self._faults.guard
        while not self._is_done():
            events = self._selector.select(self._timeout())
            self._heard_all, self._hearing = self._hearing, time.monotonic()
            self._accept()
            if self._dying:
                guard(self._read_dying)
            for key, _ in events:
                if key.data is self._output:
                    self._hear_launcher()
                elif key.data is not None:
                    self._hear_process(key.data)
            guard(self._check_if_due)
            if not events:
                guard(self._queries.check_owners)
            guard(self._prechecks.take_part)
            guard(self._comparison.compare_if_due)
            guard(self._checks.check_hangs)
            guard(self._growth.report_if_due)
            self._release_exiting()
        self._finish()
        self._output.total(self._total)

    def _release_exiting(self) -> None:
        # The last process waits for the results, because a batch system may kill the watcher when
        # that process has exited.
        if not self._table.exiting:
            return
        if self._table.are_exiting() and not self._table.exit_inside():
            is_due = self._exits.due is not None
            if is_due or self._new_connections or self._table.have_said_more():
                return
            self._finish()
            self._output.total_so_far(self._total)
        for one in self._table.exiting:
            one.release()

    def _finish(self) -> None:
        guard = self._faults.guard
        guard(self._check)
        guard(self._checks.check_unfreed)
        guard(self._exits.report_rest)
        guard(self._prechecks.end_blocking)
        guard(self._prechecks.end_nonblocking)
        guard(self._count)

    def _check_if_due(self) -> None:
        if self._launcher.is_interrupted:
            self._stopper.let_go_on()
        now = time.monotonic()
        if self._queries.due is not None and now >= self._queries.due:
            self._queries.report()
        if self._exits.due is not None and now >= self._exits.due:
            self._exits.due = None
            self._check()

    def _check(self) -> None:
        self._queries.finish_owners(self._checks.say_at_work)
        self._queries.report()
        self._checks.check()

    def _count(self) -> None:
        self._total = run_summary.total(
            self._table,
            self._reporter,
            self._stopper,
            self._process_files,
            self._made,
            self._queries.count + self._prechecks.count,
            self._checks.unsure,
        )

    # The methods below decide how long the watcher waits.

    def _is_done(self) -> bool:
        now = time.monotonic()
        if self._new_connections or not self._table.are_done():
            self._emptied = now
            return False
        if self._exits.due is not None:
            return False
        wait = _LINGER if self._any_came else _LATEST
        return self._launcher.has_ended or now - self._emptied > wait

    def _timeout(self) -> float:
        now = time.monotonic()
        interval = self._prechecks.interval
        due = [
            now + (_LOOK if interval is None else interval),
            self._exits.due,
            self._comparison.due,
            self._queries.due,
            now if self._queries.has_owners else None,
        ]
        return max(0.0, min(at for at in due if at is not None) - now)

    # The methods below read from sockets.

    def _hear_launcher(self) -> None:
        self._launcher.receive()
        if self._launcher.has_ended:
            self._selector.unregister(self._output.fileno())
        self._exits.launcher_spoke()

    def _accept(self) -> None:
        # Accept all waiting connections before the loop handles a closed connection.
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
            one = self._table.join(made, hello)
            self._selector.register(made, selectors.EVENT_READ, one)
            one.answer(said.MET)
        elif isinstance(hello, (said.CollectiveQuery, said.StrictQuery, said.NonblockingQuery)):
            self._prechecks.add(made, hello)
        elif isinstance(hello, Dying):
            self._dying.add(made, hello, self._table.watched)
        elif isinstance(hello, said.AccessQuery):
            answer(made, self._queries.touching(hello))
        else:
            if isinstance(hello, said.ProgramStart):
                self._table.note_program(made, hello)
            made.close()

    def _read_dying(self) -> None:
        # Read all dying processes before the first continues, because the launcher then ends all of
        # them.
        with self._dying:
            while (one := self._dying.read_next()) is not None:
                if one.fatal is not None and one.fatal.signal:
                    self._output.dies(f"{one.label()} got {_received(one, one.fatal)}")
                self._accept()

    def _hear_process(self, one: WatchedProcess) -> None:
        try:
            self._hear(one)
        except Exception as error:
            self._faults.leave_out(one, error)

    def _hear(self, one: WatchedProcess) -> None:
        try:
            data = one.connection.recv(4096)
        except OSError:
            data = b""
        asked, first = said.question(data), said.questions(data)
        end = said.end(data)
        if one.is_left_out and data:
            one.answer(said.LOOKED if end is not None else said.ANSWERED)
            if said.exits(data):
                one.release()
        elif said.exits(data):
            one.exits = True
        elif asked is not None:
            self._queries.answer(one, asked)
        elif first is not None:
            self._queries.answer_all(one, first)
        elif end is not None:
            self._exits.finish(one, end, self._heard_all)
        elif not data and not self._exits.is_deferred(one):
            self._selector.unregister(one.connection)
            self._exits.disconnect(one, self._heard_all)


def _received(one: WatchedProcess, fatal: FatalSignal) -> str:
    # A signal's name, and the line where it arrived.
    name = signal.Signals(fatal.signal).name
    frames = one.places.frames(fatal.site) if fatal.site is not None else []
    return f"{name} at {frames[0].text}" if frames else f"{name} in MPI"
