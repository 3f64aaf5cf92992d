# SPDX-License-Identifier: MIT
"""Processes that do not end as they should: which of them are told of, and when."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from mpipp.common.errors import MpippError
from mpipp.watcher.ipc import protocol as said
from mpipp.watcher.nodes.root_cause import AFTER, CLEANED_UP, Deaths
from mpipp.watcher.output.reporter import Reporter
from mpipp.watcher.processes import abnormal_exit
from mpipp.watcher.processes.abnormal_exit import AbnormalExit
from mpipp.watcher.processes.exit_status import Ending
from mpipp.watcher.processes.labels import Shown, View
from mpipp.watcher.processes.liveness import goes_on
from mpipp.watcher.processes.process import GONE, LOST, OVER, Watched
from mpipp.watcher.processes.remote import Nodes, RemoteProcess, has_remote

KILLED = 0.3  # seconds in which a launcher ends the others of one that has died
_OTHER_NODES = 5.0  # seconds in which the watchers of others have seen theirs end


class Ends:
    """Those of one node.

    Args:
        directory: the run's, where the watchers of all nodes meet; "": there is none.
        watched: all processes; they may become more.
    """

    def __init__(
        self, directory: str, watched: Sequence[Watched], reporter: Reporter, nodes: Nodes
    ) -> None:
        self._watched = watched
        self._reporter = reporter
        self._nodes = nodes
        self._deaths = Deaths(directory)
        self._ended: list[Watched] = []  # not as they should, in order
        self._told: set[float] = set()  # times of their ends

    def __bool__(self) -> bool:
        return bool(self._ended)

    def add(self, one: Watched, heard: float) -> None:
        """One has ended badly; `heard`: when all that was said until then had been heard."""
        # What comes soon after another's end is the launcher's doing; epoll tells who was first.
        if any(other.state == LOST and not goes_on(other.pid) for other in self._watched):
            return
        now = time.monotonic()
        last = max((other.ended_at for other in self._ended), default=-CLEANED_UP)
        # It was not heard while the watcher was at work: it may have ended just after it was last.
        if heard - last < CLEANED_UP:
            return
        if self._deaths.order(one, self._watched) != AFTER:
            one.ended_at = now
            self._ended.append(one)

    def report(self, interrupted: bool) -> float | None:
        """Tell of those that were not told of, with what the others do then, as far as they stand
        still. Returns when to look again; None: all is told.

        Args:
            interrupted: whether the user has ended the program.
        """
        if interrupted or self._nodes.are_interrupted:
            self._ended = [one for one in self._ended if one.state == OVER]
        times = {one.ended_at for one in self._ended} - self._told
        for at in sorted(times):
            ended = [
                one for one in self._ended if one.ended_at == at and self._reporter.can_read(one)
            ]
            known = [one for one in self._watched if self._reporter.can_read(one)]
            ended = self._causes(ended, known)
            elsewhere: list[RemoteProcess] = []
            if not any(one.end for one in ended):
                left = self._deaths.ended_elsewhere(known, at + _OTHER_NODES)
                if left is None:
                    return time.monotonic() + KILLED
                if not self._deaths.are_the_cause():
                    continue
                elsewhere = left
            self._report_group(ended, [one for one in known if one not in ended], elsewhere)
        self._told |= times
        return None

    def _report_group(
        self, ended: Sequence[Watched], others: list[Watched], elsewhere: Sequence[RemoteProcess]
    ) -> None:
        members: list[Shown] = [*ended, *abnormal_exit.standing(others), *elsewhere]
        processes = [one.process(number) for number, one in enumerate(members)]
        how = [
            AbnormalExit.of(one, number, self._reporter.is_wrong(one))
            for number, one in enumerate(ended)
        ]
        found = list(abnormal_exit.findings(how, processes[len(ended) :], View(members)))
        if not any(one.end for one in ended) and self._nodes.are_interrupted:
            return  # that the user has ended them was said meanwhile
        self._reporter.report(members, found)

    def _causes(self, ended: list[Watched], known: list[Watched]) -> list[Watched]:
        # Of processes that ended at one time, and those that died then or after; others are told.
        is_wrong = self._reporter.is_wrong
        rest = [one for one in known if one not in ended and not one.ended_at]
        is_first = self._deaths.is_first
        found = (abnormal_exit.causes if is_first else abnormal_exit.causes_too)(
            ended, rest, is_wrong
        )
        if not any(one.end for one in found):
            self._deaths.say(known, abnormal_exit.least_doubt(found, is_first, is_wrong))
        return found

    def report_rest(self, interrupted: bool, uncalled: Iterable[tuple[str, Ending]]) -> None:
        """All have gone: tell of those that died before MPI_Init had returned, and after
        MPI_Finalize.

        Args:
            uncalled: those that have not called MPI at all: what they are called, and how each has
                ended.
        """
        if interrupted or self._nodes.are_interrupted:
            return
        silent = [(label, by) for label, by in uncalled if by.signal]
        died = [one for one in self._watched if _has_died_unheard(one)]
        own = [one for one in died if not _may_be_launchers(one.ending())]
        if own or self or any(not by.may_be_launchers for _, by in silent) or self._has_failed():
            died = own  # the launcher has ended the others
            silent = [(label, by) for label, by in silent if not by.may_be_launchers]
        for label, by in silent:
            self._reporter.note_failure(f"{label}: it died before it had initialized MPI, {by}")
        # Of a call after MPI_Finalize that was told of it goes without saying that it is the last.
        is_wrong = self._reporter.is_wrong
        died = [
            one for one in died if abnormal_exit.is_certain(one) or not (one.end and is_wrong(one))
        ]
        if died:
            self._report_group(died, [], ())

    def _has_failed(self) -> bool:
        # Whether others have ended so that a launcher ends the rest, here or on other nodes.
        if any(has_remote(one.registry.info, self._watched) for one in self._watched[:1]):
            return True
        known = [by for one in self._watched if (by := one.ending()) is not None]
        return any(by.code for by in known)


def _may_be_launchers(by: Ending | None) -> bool:
    return by is not None and by.may_be_launchers


def _has_died_unheard(one: Watched) -> bool:
    # Before MPI was there for it, or after.
    try:
        is_over = one.end == said.FINALIZED and one.state == OVER
        is_early = one.state == GONE and not one.initialized
        if one.is_left_out or not (is_over or is_early) or goes_on(one.pid):
            return False
        inside = bool({*one.inside()} - {"MPI_Finalize"})
    except MpippError:
        return False  # it is said that its records make no sense
    by = one.ending()
    if by is None:
        return inside
    return bool(by.signal) or (inside and by.code > 0)
