# SPDX-License-Identifier: MIT
"""The launcher of a watched run, and the messages of its watchers."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mpipp.cli.line_start import line_start, write_blocks
from mpipp.cli.progress_line import Progress
from mpipp.common.errors import MpippError
from mpipp.common.text import wording
from mpipp.common.text.sanitize import plain
from mpipp.render import finding_head
from mpipp.watcher.ipc import launch, run_flags
from mpipp.watcher.ipc.protocol import INTERRUPTED, LAUNCHER
from mpipp.watcher.output.finding_blocks import (
    Block,
    counted,
    is_to_be_printed,
    merged,
    repeats,
    too,
)
from mpipp.watcher.output.totals import NOTHING, SO_FAR, Total
from mpipp.watcher.processes.liveness import is_stopped, processor_time, wants_processor

if TYPE_CHECKING:
    from mpipp.cli.commands.run.job_output import JobOutput
    from mpipp.cli.commands.run.open_gdb import GdbOpener
    from mpipp.watcher.nodes.merge_results import GatheredResults

_LATE = 40.0  # seconds that a watcher may be idle after the program's end
_STOPPED = 2.0  # seconds that a watcher may be stopped by a signal
_ALONE = 2.0  # seconds after which a launcher that still runs has not received the signal
# Signals that end the launcher of a hung job, and the seconds before each. Open MPI's mpiexec
# sometimes waits forever after a single signal.
_ENDING = ((0.0, signal.SIGTERM), (10.0, signal.SIGTERM), (20.0, signal.SIGKILL))


def _has_terminal() -> bool:
    # Return whether a Ctrl-C in the terminal reaches this process, and with it the launcher. A
    # signal from `kill` reaches only this process or its group. Do not pass Ctrl-C on to the
    # launcher: a launcher that gets it twice ends at once with a message.
    try:
        with open("/dev/tty", "rb", buffering=0) as terminal:
            return os.tcgetpgrp(terminal.fileno()) == os.getpgrp()
    except OSError:
        return False


class LauncherSession:
    """Run the launcher, and receive messages from the watchers on this node."""

    def __init__(
        self,
        directory: str,
        shared: str,
        progress: Progress,
        opening: GdbOpener | None,
        job_output: JobOutput | None,
    ) -> None:
        self._shared = shared
        self.total: Total = NOTHING
        self._opening = opening
        self._job_output = job_output  # with messages of other nodes
        self._progress = progress
        self._blocks: list[Block] = []
        self._held: list[Block] = []  # findings that are not printed yet
        self._coloured = finding_head.has_colours(sys.stderr)
        self._unfinished = 0
        self._is_explained = False  # the reason why the watcher's report is incomplete was printed
        self._interrupted = 0  # the number of the signal that interrupted the run
        self.is_hung = False  # a watcher requested the job's end
        self._ended = 0
        self._looks = False  # a watcher is running checks
        self._hangs = False  # a watcher on this node reported that the job hangs
        self._given_up = False  # the user does not want to wait any longer
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(os.path.join(directory, LAUNCHER))
        self._listener.listen()
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ, None)
        self._rests: dict[socket.socket, bytes] = {}
        self._totals_so_far: dict[socket.socket, list[Any]] = {}
        self._directory = directory

    def run(self, command: Sequence[str], variables: Mapping[str, str]) -> int:
        """Start the launcher with more environment variables; returns its exit status."""
        try:
            how = self._opening.launching() if self._opening else {}
            if self._job_output:
                how["stderr"] = self._job_output.written
            child = subprocess.Popen(command, env={**os.environ, **variables}, **how)
        except OSError as error:
            raise MpippError(f"cannot start {command[0]}: {error.strerror}") from None
        if self._job_output:
            self._job_output.started()
            self._selector.register(self._job_output, selectors.EVENT_READ, None)

        def on_signal(number: int, _: object) -> None:
            # The terminal also sends the signal to the launcher, or to gdb while it is open. The
            # launcher ends, and then this process does.
            opening = self._opening if number in (signal.SIGINT, signal.SIGQUIT) else None
            if opening and opening.is_open:
                return
            self._interrupted = number
            self._say_interrupted()
            if opening:
                child.send_signal(number)
            if child.returncode is not None:
                self._given_up = True
            elif number in (signal.SIGTERM, signal.SIGHUP):
                child.terminate()
            elif not self._opening and not _has_terminal():
                due.append((time.monotonic() + _ALONE, number))

        due: list[tuple[float, int]] = []
        numbers = [signal.SIGINT, signal.SIGQUIT, signal.SIGTERM]
        if self._opening:
            numbers.append(signal.SIGHUP)  # the launcher's process group does not get this signal
        before = {number: signal.signal(number, on_signal) for number in numbers}
        try:
            while child.poll() is None:
                self._listen(0.05)
                if self._is_to_end():
                    now = time.monotonic()
                    due += [(now + seconds, number) for seconds, number in _ENDING]
                while due and due[0][0] < time.monotonic():
                    child.send_signal(due.pop(0)[1])
                if self._opening:
                    self._opening.open(lambda: self._listen(0.05))
                    self._report_delayed()
            self._finish()
        finally:
            self._progress.end()
            for number, handler in before.items():
                signal.signal(number, handler)
        return child.returncode if child.returncode >= 0 else 128 - child.returncode

    def _say_interrupted(self) -> None:
        # Notify the watchers first: the process may die of the signal, and writing a file is slow.
        for made in self._rests:
            with contextlib.suppress(OSError):
                made.send(INTERRUPTED)
        run_flags.say(self._shared, run_flags.INTERRUPTED)

    def _is_to_end(self) -> bool:
        # Return whether a watcher has just requested the end, here or on another node.
        asked = self._hangs or run_flags.is_set(self._shared, run_flags.HANGS)
        if not asked or self.is_hung or self._interrupted:
            return False
        self.is_hung = True
        self._say_interrupted()
        return True

    def _finish(self) -> None:
        # Wait for the watchers, which end by themselves. Some may connect only now.
        if self._job_output:
            self._receive_remote(self._job_output.rest())
        for made in self._rests:
            with contextlib.suppress(OSError):
                made.shutdown(socket.SHUT_WR)
        idle = stopped = 0.0
        took = 0
        while idle < _LATE and stopped < _STOPPED and not self._given_up and self._is_awaited():
            self._listen(0.05)
            before, took = took, sum(map(processor_time, self._watchers()))
            works = took > before or any(map(wants_processor, self._watchers()))
            idle = 0.0 if self._looks and works else idle + 0.05
            stopped = stopped + 0.05 if self._is_stopped() else 0.0
        if self._rests:
            self._count_reported()
        if stopped >= _STOPPED:
            self._end("the watcher was stopped by a signal")
        elif self._given_up:
            self._end("the watcher was interrupted before its checks had finished")
        elif self._rests:
            self._end(f"the watcher has not answered for {_LATE:g} seconds")

    def _count_reported(self) -> None:
        # If a watcher died without its last message, its findings so far still count.
        self.total = self.total.plus(counted(self._blocks))

    def _watchers(self) -> list[int]:
        return [launch.peer(made)[0] for made in self._rests]

    def _is_stopped(self) -> bool:
        watchers = self._watchers()
        return bool(watchers) and all(map(is_stopped, watchers))

    def _end(self, why: str) -> None:
        # Kill the watchers that are still connected: no other process would end them.
        for made in list(self._rests):
            os.kill(launch.peer(made)[0], signal.SIGKILL)
            self._selector.unregister(made)
            del self._rests[made]
            made.close()
        self._lose(why)
        self._is_explained = True

    def _lose(self, sentence: str) -> None:
        # Count the processes of a lost watcher as unchecked, with the reason in the report.
        self.total = self.total.plus(NOTHING._replace(failures=(sentence,)))

    def _is_awaited(self) -> bool:
        if self._rests:
            return True
        there = os.path.exists(os.path.join(self._directory, launch.SOCKET))
        return there and not self._ended and not self._unfinished

    def _listen(self, seconds: float) -> None:
        for key, _ in self._selector.select(seconds):
            if key.fileobj is self._job_output:
                self._receive_remote(self._job_output.messages())
                if self._job_output.has_ended:
                    self._selector.unregister(self._job_output)
            elif key.fileobj is self._listener:
                made, _ = self._listener.accept()
                if launch.peer(made)[1] != os.geteuid():
                    made.close()  # a watcher of this run belongs to this user
                    continue
                self._rests[made] = b""
                self._selector.register(made, selectors.EVENT_READ, None)
            else:
                assert isinstance(key.fileobj, socket.socket)
                self._hear(key.fileobj)

    def _hear(self, made: socket.socket) -> None:
        try:
            data = made.recv(1 << 16)
        except OSError:
            data = b""
        if not data:
            self._selector.unregister(made)
            total = self._totals_so_far.pop(made, None)
            if self._rests.pop(made) == b"ended":
                pass
            elif total is not None:  # a batch system has killed the watcher after its checks
                self._receive({"total": total})
            else:
                self._unfinished += 1
                self._count_reported()
            made.close()
            return
        *lines, rest = (self._rests[made] + data).split(b"\n")
        self._rests[made] = rest
        for message in map(json.loads, lines):
            if SO_FAR in message:
                self._totals_so_far[made] = message[SO_FAR]
            elif self._receive(message):
                self._rests[made] = b"ended"

    def _receive_remote(self, messages: Iterable[dict[str, Any]]) -> None:
        for message in messages:
            self._receive(message)

    def _receive(self, message: dict[str, Any]) -> bool:
        # Return whether the message is the watcher's last.
        if "block" in message:
            text, found = message["block"], message["findings"]
            block = Block(text, found)
            is_new = not repeats(self._blocks, block)
            printed = is_new and is_to_be_printed(self._shared, text, found)
            self._blocks.append(block._replace(printed=printed))
            if printed:
                self._held.append(block)
            if self._opening is None or not self._opening.is_open:
                self._report_delayed()
        elif "stops" in message and self._opening:
            self._progress.end()  # gdb gets the terminal
            self._opening.add(message["stops"], message["tid"])
            if self._opening.has(message["stops"][0]):
                self._report_delayed()
        elif "hangs" in message:
            self._hangs = True
        elif "looking" in message:
            self._look(message["looking"])
        elif "percent" in message:
            self._progress.advance(message["percent"])
        elif "failed" in message:
            self._lose(message["failed"])
            self._is_explained = True
        elif "total" in message:
            self.total = self.total.plus(Total._make(message["total"]))
            self._ended += 1
            return True
        return False

    def _report_delayed(self) -> None:
        # Findings wait while gdb is open, except the finding for its next stop.
        if self._held:
            self._progress.clear()
            held = [plain(block.shown(self._coloured)) for block in self._held]
            write_blocks(held, sys.stderr)
        self._held.clear()

    @property
    def has_reported(self) -> bool:
        """Return whether a watcher on this node has reported everything."""
        return self._ended > 0

    @property
    def blocks(self) -> Sequence[Block]:
        """The blocks of the report so far."""
        return self._blocks

    @property
    def remote_nodes(self) -> Collection[str]:
        """The nodes whose watchers have reported through the job's error output."""
        return self._job_output.names if self._job_output else ()

    def add(self, others: GatheredResults) -> None:
        """Add the results from the run's directory."""
        self._ended += others.nodes
        if self._job_output:
            self.total = self.total.plus(self._job_output.total())
        self._blocks += others.blocks
        self.total = self.total.plus(others.total)

    def join(self) -> None:
        """Merge findings that differ only by rank, and print those that were not printed yet."""
        self._blocks, self.total = merged(self._blocks, self.total)
        new = [plain(one.shown(self._coloured)) for one in self._blocks if not one.printed]
        new += [plain(f"mpipp: {too(one)}\n") for one in self._blocks if one.late]
        if new:
            write_blocks(new, sys.stderr)

    def _look(self, processes: int) -> None:
        self._looks = processes > 0
        if processes and (self._opening is None or not self._opening.is_open):
            counted = wording.counted(processes, "process", "processes")
            self._progress.begin(f"mpipp: checking the records of {counted}")
        else:
            self._progress.end()

    def end(self, status: int) -> None:
        """Close the session: no more messages come. `status` is the launcher's exit status."""
        if not self._is_explained and self._unfinished:
            self._lose("the watcher has ended before the program")
        elif not self._is_explained and not self._ended:
            self._lose("no watcher was running")
        ending = f"exit status {status}" if status else ""
        if self.is_hung:
            ending = f"ended after a hang, exit status {status}"
        elif self._interrupted:
            ending = f"ended by {signal.Signals(self._interrupted).name}"
        self.total = self.total._replace(ending=ending)

    def summary(self, quiet: bool) -> None:
        """Print the summary."""
        if not quiet or not self.total.is_well:
            sys.stderr.write(plain(line_start(sys.stderr)))
            sys.stderr.flush()
        for sentence in self.total.remarks():
            sys.stderr.write(plain(f"mpipp: {sentence}\n"))
        if not quiet or not self.total.is_well:
            sys.stderr.write(plain(self.total.last(self._coloured)))

    def write(self, directory: str, run: dict[str, Any]) -> None:
        """Write the findings as text, and the data of reports. `run` describes how the run was
        started."""
        from mpipp.watcher.nodes import merge_results

        found = merge_results.RunResult(self.total, self._blocks)
        try:
            merge_results.write(directory, found, run)
        except OSError as error:
            sys.stderr.write(plain(f"mpipp: cannot write {directory}: {error.strerror}\n"))
