# SPDX-License-Identifier: MIT
"""Handle failures that no check expects: leave out the process with damaged records.

A program may damage any record. A reader that does not notice fails with a Python exception, or
runs out of memory. The watcher continues with the other processes.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Sequence
from typing import TypeVar

from mpipp.analysis import all_checks
from mpipp.analysis.context import channel_history
from mpipp.analysis.context.world import World
from mpipp.common.errors import MpippError
from mpipp.watcher.ipc import launch
from mpipp.watcher.output.reporter import Reporter
from mpipp.watcher.processes.process import WatchedProcess
from mpipp.watcher.settings import Settings

BEGIN, END = "watcher-", ".log"  # start and end of the names of traceback files
_MOST = 1 << 20  # bytes of all tracebacks

_Result = TypeVar("_Result")


class TracebackFile:
    """The file of tracebacks for developers, in the run's directory if the user keeps it."""

    def __init__(self, directory: str, settings: Settings) -> None:
        where = settings.report if settings.kept else directory
        self.path = os.path.join(where, f"{BEGIN}{launch.node()}{END}")

    def keep(self, error: BaseException) -> None:
        """Append one traceback."""
        import traceback  # slow to import

        text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        with contextlib.suppress(OSError):
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            with open(os.open(self.path, flags, 0o600), "ab") as log:
                if log.tell() < _MOST:
                    log.write(text.encode(errors="backslashreplace"))


class FaultGuard:
    """Runs steps that may fail because of damaged records."""

    def __init__(
        self, traces: TracebackFile, watched: Sequence[WatchedProcess], reporter: Reporter
    ) -> None:
        self._traces = traces
        self._watched = watched
        self._reporter = reporter
        self._given_up: set[str] = set()  # names of the steps that are no longer run

    def guard(self, step: Callable[[], _Result]) -> _Result | None:
        """Run a step; None if it fails.

        If the records of some processes made the step fail, leave out these processes and repeat
        it.
        """
        while step.__qualname__ not in self._given_up:
            try:
                return step()
            except Exception as error:
                self._traces.keep(error)
                failed = error
            if not self._leave_out():
                self._given_up.add(step.__qualname__)
                self._reporter.note_failure(
                    f"{_named(failed)}: its traceback is in {self._traces.path}"
                )
        return None

    def _leave_out(self) -> bool:
        # Leave out the processes whose records cannot be read even alone.
        found = [(one, error) for one in self._watched if (error := _fails(one)) is not None]
        for one, error in found:
            self._traces.keep(error)
            self.leave_out(one, error)
        return bool(found)

    def leave_out(self, one: WatchedProcess, error: Exception) -> None:
        """Stop reading the records of a process."""
        who = one.leave_out()
        self._reporter.note_failure(
            f"{who}: its records are damaged ({_named(error)}): the traceback is in "
            f"{self._traces.path}"
        )


def _named(error: Exception) -> str:
    if isinstance(error, MpippError):
        return str(error)
    return f"the watcher has failed: {type(error).__name__}: {error}".rstrip(": ")


def _fails(one: WatchedProcess) -> Exception | None:
    # The exception from reading all records of one process; None without one, and for MpippError.
    if one.is_left_out:
        return None
    try:
        one.refresh()
        _ = one.label(), one.calls, one.initialized, one.movement(), one.progress(), one.inside()
        process = one.process(0)
        found = all_checks.findings([process], lambda process, error: None, leaks_too=True)
        for _finding in found:
            continue
        with contextlib.suppress(MpippError):  # the checks report this error
            for side in channel_history.every(World([process])):
                list(side.stretches)
            process.registry.onesided()
    except Exception as error:
        return error
    return None
