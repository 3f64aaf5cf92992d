# SPDX-License-Identifier: MIT
"""Stop processes in calls, and open a debugger on them."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from mpipp.analysis.context.process import Process
from mpipp.analysis.findings import formatting
from mpipp.analysis.findings.finding import Finding
from mpipp.reports.stop_targets import Target
from mpipp.watcher.ipc import launch
from mpipp.watcher.processes.process import RUNNING, WatchedProcess, operations


class Launcher(Protocol):
    """The program that started the run, if there is one."""

    has_launcher: bool

    def block(self, text: str, found: list[dict[str, Any]]) -> None:
        """Output lines of a report."""
        ...

    def stops(self, pids: Sequence[int], tid: int) -> None:
        """Report that a thread stops. gdb opens on the processes `pids`, first on that of the
        thread."""
        ...


class ProcessStopper:
    """Stops processes in calls.

    Args:
        at: the calls to stop in, as members of `Target`.
        how: the way to stop: "" (not at all), "stop", "gdb", "gdb=all".
    """

    def __init__(
        self, how: str, at: Sequence[Sequence[Any]], to: Launcher, watched: Sequence[WatchedProcess]
    ) -> None:
        self._targets = [Target(*one) for one in at]
        self._stopped: set[tuple[int, int]] = set()
        self._told: set[int] = set()  # ids of the processes that have to stop
        self.is_asked_for = bool(how)
        self._how = how
        self._known: set[object] = set()
        self._to = to
        self._watched = watched

    def is_wanted(self, one: WatchedProcess, found: Sequence[Finding]) -> bool:
        """Return whether the process has to stop at these findings.

        With gdb, only one of the processes with the same error stops.
        """
        if not self._opens:
            return self.is_asked_for and bool(found)
        of = one.places.site
        known = {(each.rule.id, *(tuple(of(p.site)) for p in each.placed)) for each in found}
        is_new = not known <= self._known
        self._known |= known
        return is_new

    def line(self, one: WatchedProcess, place: str = "there") -> str:
        """The sentence about a process that stops."""
        if self._opens:
            return (
                f"  {one.label()} stops {place}: gdb opens; the program continues when you leave "
                "gdb"
            )
        where = "" if self._to.has_launcher else f" on {launch.node()}"
        command = f"mpipp attach {one.pid}; kill -CONT {one.pid} continues it"
        return f"  {one.label()} stops {place}:{where} {command}"

    def stop(self, one: WatchedProcess, tid: int) -> None:
        """Stop a thread of the process now."""
        one.stopped = True
        self._told.add(one.pid)
        if self._opens:
            others = [o.pid for o in self._watched if o.state == RUNNING and o is not one]
            self._to.stops([one.pid, *(others if self._how == "gdb=all" else [])], tid)

    def let_go_on(self) -> None:
        """Let all processes continue that have stopped or are about to stop.

        The user ends the program, and a stopped process would not end.
        """
        for one in self._watched:
            if one.state == RUNNING and one.pid in self._told:
                with contextlib.suppress(OSError):
                    os.kill(one.pid, signal.SIGCONT)

    def standing(
        self, of: Sequence[object], found: Iterable[Finding]
    ) -> list[tuple[WatchedProcess, int]]:
        """The processes of this node in some findings, each with the thread that is in the call.

        Returns only those that have to stop there; with gdb only the first. `of` has all processes,
        by number.
        """
        each: dict[int, tuple[WatchedProcess, int]] = {}
        for party in (party for finding in found for party in finding.parties):
            one = of[party.process]
            if self.is_asked_for and party.tid is not None and isinstance(one, WatchedProcess):
                each.setdefault(party.process, (one, party.tid))
        known = list(each.values())
        return known[:1] if self._opens else known

    def waiting_line(self, one: WatchedProcess) -> str:
        """The sentence about a process that stays inside a call."""
        if self._opens:
            return f"  {one.label()} is there: gdb opens"
        where = "" if self._to.has_launcher else f" on {launch.node()}"
        return f"  {one.label()} is there:{where} mpipp attach {one.pid}"

    def look_at(self, one: WatchedProcess, tid: int) -> None:
        """Note that a thread stays in its call. gdb opens there if the user wants it."""
        if self._opens:
            self.stop(one, tid)

    def stop_at(self, one: WatchedProcess, process: Process) -> bool:
        """Return whether a process has to stop in the call that it is about to make, and report it.

        Each call is reported once.
        """
        operation = next(operations(process))
        call, rank = operation.call, process.registry.info.world_rank
        one.places.refresh()
        place, text = one.places.site(call.site)[0], operation.party().text
        for number, target in enumerate(self._targets):
            fits = target.ordinal in (0, call.ordinal, call.recv_ordinal)
            fits = fits and target.fits(rank, call.procedure, place, formatting.matched(call))
            if fits and (one.pid, number) not in self._stopped:
                self._stopped.add((one.pid, number))
                self._say(one, text, place)
                self.stop(one, process.threads[0].tid)
                return True
        return False

    def say(self, one: WatchedProcess, tid: int) -> None:
        """Report that a thread stops, for a finding that another watcher reports."""
        operation = next(o for o in operations(one.process(0)) if o.tid == tid)
        one.places.refresh()
        self._say(one, operation.party().text, one.places.site(operation.call.site)[0])

    def _say(self, one: WatchedProcess, text: str, place: str) -> None:
        lines = [f"{one.label()}: {text}", f"  called at {place}", self.line(one)]
        self._to.block("\n".join(lines), [])

    def not_stopped(self) -> Sequence[str]:
        """Sentences about calls to stop in that no process has made."""
        done = {number for _, number in self._stopped}
        here = {one.registry.info.world_rank for one in self._watched}
        return [
            f"no process stopped at {target.place}: the program did not make this call"
            for number, target in enumerate(self._targets)
            if number not in done and here.intersection(target.ranks)
        ]

    @property
    def _opens(self) -> bool:
        return self._how.startswith("gdb") and self._to.has_launcher
