# SPDX-License-Identifier: MIT
"""The debugger of one job: its events, its waits, its end.

gdb's own messages about stops of single threads are hidden: `before_stop` runs as gdb's hook-stop,
before gdb writes, and `_stopped` after.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterable, Mapping
from typing import Any

import gdb

from mpipp.common.errors import MpippError
from mpipp.gdb import console
from mpipp.gdb.debug_session import descriptions
from mpipp.gdb.debug_session.breakpoints import TargetBreakpoint
from mpipp.gdb.debug_session.connections import Process
from mpipp.gdb.debug_session.group import Group
from mpipp.gdb.debug_session.input_gate import InputGate
from mpipp.gdb.debug_session.job_start import Actions, JobStart
from mpipp.gdb.debug_session.link import Link, Timer
from mpipp.gdb.debug_session.observer import Front, Observer
from mpipp.gdb.debug_session.waiting import PATIENCE, Waiting
from mpipp.gdb.selected_thread import selected_thread
from mpipp.ranks.stops import Stop

_MOMENT, _MOMENTS = 0.1, 20  # seconds, and how often gdb waits that long for the ranks to end
_START = 10.0  # seconds without a stop before main: it takes long on a busy machine
_SETTINGS = (
    "set non-stop on",
    "set pagination off",
    "set print thread-events off",
    "set print inferior-events off",
    # gdb's own SIGSTOP stops each thread of a process to which it attaches. Passed on, it would
    # stop the whole process again.
    "handle SIGSTOP nopass",
    # Open MPI's launcher sends it before SIGTERM. A stop there would say nothing.
    "handle SIGCONT nostop noprint pass",
)
_HOOK = """define hook-stop
python __import__('sys').modules['mpipp.gdb.debug_session.session'].before_stop()
end"""


class DebugSession:
    """The ranks of a job in this gdb, and its connection to `mpipp debug`.

    Attributes:
        observer: a front end may set its own.
    """

    def __init__(self, front: Front | None = None) -> None:
        self.group = Group()
        self.gate = front or InputGate(self._prompt, self.interrupt)
        self.observer = Observer()
        self.waiting = Waiting(self.gate.write, self._finish, self._where, self.gate.hint)
        actions = Actions(
            self.gate.close,
            self.gate.write,
            self._finish,
            lambda: self.required_link().send(release=True),
            self._run_to_entry,
            lambda proceed: self.observer.attached(proceed),
        )
        self.start = JobStart(self.group, actions)
        self._link: Link | None = None
        self._is_attached = False
        self.is_running_ranks = False  # whether a command of mpipp's lets ranks run now
        self._is_ending = False  # the user ended the job: ignore its last messages
        self._target: TargetBreakpoint | None = None  # the place that `run-to` named
        self._selected = 0  # the rank to select after a wait
        for setting in _SETTINGS:
            console.typed(setting)
        _forbid_downloads()
        console.typed(_HOOK)
        gdb.events.stop.connect(self._stopped)
        gdb.events.exited.connect(self._exited)

    def connect(self, path: str, is_attached: bool = False) -> None:
        """Connect to `mpipp debug` or `mpipp dap`, which then starts the job.

        Args:
            is_attached: the job runs already, and continues if the connection is lost.
        """
        self._link, self._is_attached = Link(path, self._hear), is_attached
        self.start.begin()

    def restart(self) -> None:
        """End the job, and start it again."""
        link = self.required_link()
        self.kill_ranks()
        self.start.begin()
        link.send(restart=True)

    def end_job(self) -> None:
        """End the job. Raises MpippError if `mpipp debug` did not start it."""
        link = self.required_link()
        self.kill_ranks()
        link.send(kill=True)

    def kill_ranks(self) -> None:
        """End the processes that gdb has."""
        self._let_go("kill")

    def detach_ranks(self) -> None:
        """Detach from the processes, and let them run."""
        self._let_go("detach")

    def _let_go(self, command: str) -> None:
        self._is_ending = True
        self.waiting.abandon()
        self.start.end()
        numbers = [one.num for one in gdb.inferiors() if one.pid]
        if numbers:
            console.output("{} inferiors {}", command, " ".join(map(str, numbers)))

    def required_link(self) -> Link:
        """The connection. Raises MpippError if `mpipp debug` did not start the job."""
        if self._link is None:
            raise MpippError("this gdb has not started the job: mpipp debug -n 4 -- ./app does")
        return self._link

    @property
    def ends_job(self) -> bool:
        """Return whether the job ends with this gdb: gdb started it, and did not attach to it."""
        return self._link is not None and not self._is_attached

    def run(
        self,
        ranks: Iterable[int],
        command: str,
        awaited: Iterable[int] | None,
        patience: float = PATIENCE,
    ) -> None:
        """Let ranks run, and hold the prompt back until the `awaited` ranks have stopped.

        Args:
            command: the gdb command, such as "next", for the last stopped thread of each rank.
                Other threads continue.
            awaited: None: do not wait.
            patience: seconds without a stop, after which mpipp reports ranks that still run.
        """
        self._selected = self.selected
        if awaited is not None:
            self.gate.close()
            self.waiting.begin(awaited, patience)
        self.is_running_ranks = True
        try:
            self._run(ranks, command)
        finally:
            self.is_running_ranks = False

    def _run(self, ranks: Iterable[int], command: str) -> None:
        for rank in ranks:
            try:
                self._run_rank(rank, command)
            except gdb.error as error:  # for example, gdb cannot insert a breakpoint
                stop = descriptions.stop(rank, None)
                self.waiting.add(stop._replace(cause=f"gdb cannot continue ({error})"))

    def _run_rank(self, rank: int, command: str) -> None:
        threads = self.group.threads(rank)
        if threads and command != "continue":
            self._step(rank, command)
            threads.pop(0)
        for thread in threads:
            thread.switch()
            console.checked("continue &")

    def _step(self, rank: int, command: str) -> None:
        # A step inside a library ends when the library returns to the program.
        self.group.select(rank)
        inner = gdb.selected_frame().newer()
        if inner is not None and command != "finish":
            inner.select()
            command = "finish"
        console.checked("{} &", command)

    def _run_to_entry(self, ranks: list[int], others: list[Stop]) -> None:
        self.group.select_one_of(ranks, 0)  # attaching has selected the last rank
        self.run(ranks, "continue", ranks if self.start.stops_at_entry else None, _START)
        for stop in others:
            self.waiting.add(stop)

    def run_to(self, target: TargetBreakpoint, ranks: Iterable[int]) -> None:
        """Let ranks run to a breakpoint. The next run-to deletes the breakpoint."""
        self._delete_target()
        self._target = target
        self.run(ranks, "continue", self.group.focus)

    @property
    def selected(self) -> int:
        """The rank of the selected inferior, or the rank that was selected before the last wait."""
        rank = self.group.rank(gdb.selected_inferior())
        return self._selected if rank is None else rank

    def interrupt(self) -> None:
        """Stop the ranks that a command waits for, or end the wait for the job's start."""
        if not self.waiting.is_active:
            self.start.continue_with_started()
        for rank in self.waiting.expected:
            self.interrupt_rank(rank)

    def interrupt_rank(self, rank: int) -> None:
        """Stop a running thread of a rank, if possible the thread that stopped last."""
        inferior = self.group.inferior(rank)
        threads = inferior.threads() if inferior is not None else ()
        running = [thread for thread in threads if thread.is_running()]
        if running:
            is_other = self.group.is_other
            min(running, key=lambda one: (is_other(rank, one), one.num)).switch()
            console.output("interrupt")

    def _delete_target(self) -> None:
        if self._target is not None and self._target.is_valid():
            self._target.delete()
        self._target = None

    def _prompt(self) -> str:
        return f"(gdb {self.group.focus_text}) "

    def _where(self, rank: int) -> str:
        inferior = self.group.inferior(rank)
        return "running" if inferior is None else descriptions.running(inferior)

    def _finish(self, lines: Iterable[str]) -> None:
        lines = list(lines)
        self.start.end()
        self.group.select_one_of(self.group.focus, self._selected)
        self.gate.open(lines)

    def _hear(self, message: Mapping[str, Any]) -> None:
        word, value = next(iter(message.items()))
        if word == "started":
            self._is_ending = False
        elif word == "request":
            self.observer.request(value)
        elif self._is_ending and word != "lost":
            return
        elif word == "held":
            process = Process(value["pid"], value.get("gdbserver", ""))
            self.start.hold(value["rank"], value["size"], process)
        elif word == "output":
            self.gate.write(value)
        elif word == "ended":
            sentence = f"the job has ended with exit status {value}{self.gate.after_end}"
            self._end(sentence, value)
        elif word == "failed":
            self.start.give_up()
            self._end(value)
        elif word == "lost":
            self._link = None
            self._let_go("detach" if self._is_attached else "kill")
            self._end("mpipp debug has ended")

    def _end(self, sentence: str, status: int | None = None, moments: int = _MOMENTS) -> None:
        if self.waiting.is_active and self.group.alive and moments:
            Timer(_MOMENT, functools.partial(self._end, sentence, status, moments - 1))
            return
        if self.waiting.is_active:
            self.waiting.end()
        self.waiting.report()
        if self.gate.is_closed:
            self.gate.open([sentence])
        else:
            self.gate.write([sentence])
        self.observer.ended(sentence, status)

    def _stopped(self, event: gdb.StopEvent) -> None:
        _hide_notifications(False)
        thread = getattr(event, "inferior_thread", None) or selected_thread()
        rank = self.group.rank(thread.inferior) if thread is not None else None
        if rank is None:
            return
        if self.start.takes(rank, thread):
            return
        hit = descriptions.breakpoints(event)
        stop = descriptions.stop(rank, event, hit)
        if not stop.cause and self.group.is_other(rank, thread):
            return  # at an attach, every thread stops
        self.group.note(rank, thread)
        self.waiting.add(stop)
        self.observer.stopped(stop, thread, event, hit)

    def _exited(self, event: gdb.ExitedEvent) -> None:
        rank = self.group.rank(event.inferior)
        if rank is not None and not self._is_ending:
            stop = descriptions.ended(rank, event)
            self.waiting.add(stop)
            self.observer.exited(stop)


_session: DebugSession | None = None


def create(front: Front | None = None) -> DebugSession:
    """Create the session, which makes this gdb debug a job, at its terminal or a front end."""
    global _session
    _session = DebugSession(front)
    return _session


def required() -> DebugSession:
    """The session of this gdb. Raises MpippError if there is none."""
    if _session is None:
        raise MpippError("this gdb does not debug the ranks of a job: start it with mpipp debug")
    return _session


def _forbid_downloads() -> None:
    # While gdb attaches, the user cannot answer whether to download debug information.
    with contextlib.suppress(gdb.error, RuntimeError):  # gdb before 12 has no such setting
        if gdb.parameter("debuginfod enabled") == "ask":
            console.execute("set debuginfod enabled off")


def before_stop() -> None:
    """Hide gdb's text about a stop. gdb calls this before it writes the text."""
    _hide_notifications(True)


def _hide_notifications(hidden: bool) -> None:
    with contextlib.suppress(gdb.error):  # gdb before 12 has no such setting
        console.execute("set suppress-cli-notifications {}", "on" if hidden else "off")
