# SPDX-License-Identifier: MIT
"""Select the abnormal ends of processes to report, and the time of the report."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from mpipp.common.errors import MpippError
from mpipp.watcher.ipc import protocol as said
from mpipp.watcher.nodes.root_cause import AFTER, CLEANED_UP, Deaths
from mpipp.watcher.output.reporter import Reporter
from mpipp.watcher.processes import abnormal_exit
from mpipp.watcher.processes.death_parties import AbnormalExit
from mpipp.watcher.processes.exit_status import Ending
from mpipp.watcher.processes.labels import ShownProcess, View
from mpipp.watcher.processes.liveness import goes_on
from mpipp.watcher.processes.process import GONE, LOST, OVER, WatchedProcess
from mpipp.watcher.processes.remote import Nodes, RemoteProcess, has_remote
from mpipp.watcher.progress import held_resources

KILLED = 0.3  # seconds for a launcher to kill the remaining processes after a death
_OTHER_NODES = 5.0  # seconds for watchers to notice deaths on their nodes


class AbnormalEnds:
    """The abnormal ends on one node.

    Args:
        directory: the run's directory, which the watchers of all nodes share; "" if there is none.
        watched: all processes; the list may grow.
    """

    def __init__(
        self, directory: str, watched: Sequence[WatchedProcess], reporter: Reporter, nodes: Nodes
    ) -> None:
        self._watched = watched
        self._reporter = reporter
        self._nodes = nodes
        self._deaths = Deaths(directory)
        self._ended: list[WatchedProcess] = []  # the processes that ended abnormally, in order
        self._told: set[float] = set()  # the times of ends that were reported

    def __bool__(self) -> bool:
        return bool(self._ended)

    def add(self, one: WatchedProcess, heard: float) -> None:
        """Add a process that has ended abnormally.

        Args:
            heard: the time at which all earlier messages had been read.
        """
        # The launcher probably caused a death that follows another one. epoll reports the deaths in
        # their order.
        if any(other.state == LOST and not goes_on(other.pid) for other in self._watched):
            return
        now = time.monotonic()
        last = max((other.ended_at for other in self._ended), default=-CLEANED_UP)
        # A busy watcher notices deaths late. The launcher may have killed this process soon after
        # `heard`.
        if heard - last < CLEANED_UP:
            return
        if self._deaths.order(one, self._watched) != AFTER:
            one.ended_at = now
            self._ended.append(one)

    def report(self, interrupted: bool) -> float | None:
        """Report new abnormal ends, with the current activity of the processes that still wait.

        Returns the time of the next call; None if all ends are reported.

        Args:
            interrupted: True if the user has ended the program.
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
                left = self._deaths.ended_on_other_nodes(known, at + _OTHER_NODES)
                if left is None:
                    return time.monotonic() + KILLED
                if not self._deaths.are_the_cause():
                    continue
                elsewhere = left
            ended = [*ended, *self._died_too(ended, known)]
            self._report_group(ended, [one for one in known if one not in ended], elsewhere)
        self._told |= times
        return None

    def _died_too(
        self, ended: Sequence[WatchedProcess], known: Sequence[WatchedProcess]
    ) -> list[WatchedProcess]:
        # If the first process died of a signal that no launcher sends, add other processes that got
        # such a signal. They are not yet in `ended` if the launcher killed them before that signal
        # did.
        if any(one.end for one in ended) or not all(map(abnormal_exit.is_certain, ended)):
            return []
        found = [one for one in known if one not in ended and one.fatal and one.fatal.signal]
        left = abnormal_exit.of_own_accord([*ended, *found], [])
        return [one for one in found if one in left and not one.ended_at]

    def _report_group(
        self,
        ended: Sequence[WatchedProcess],
        others: list[WatchedProcess],
        elsewhere: Sequence[RemoteProcess],
    ) -> None:
        members: list[ShownProcess] = [*ended, *abnormal_exit.standing(others), *elsewhere]
        processes = [one.process(number) for number, one in enumerate(members)]
        how = [
            AbnormalExit.of(
                one, number, self._reporter.is_reported(one), list(held_resources.unfinished(one))
            )
            for number, one in enumerate(ended)
        ]
        view = View(members)
        deaths = abnormal_exit.findings(how, processes[len(ended) :], view, view.where)
        found = [self._reporter.with_cause(one, members) for one in deaths]
        if not any(one.end for one in ended) and self._nodes.are_interrupted:
            return  # meanwhile a watcher has noted that the user ended the program
        self._reporter.report(members, found)

    def _causes(
        self, ended: list[WatchedProcess], known: list[WatchedProcess]
    ) -> list[WatchedProcess]:
        # The processes that caused the end: some of `ended`, or of the processes that still ran
        # then.
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
        """Report the deaths before MPI_Init has returned and after MPI_Finalize, when all have
        ended.

        Args:
            uncalled: label and ending of each process that has never called MPI.
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
        # A reported call after MPI_Finalize is the last call of its process: do not report the end,
        # too.
        is_wrong = self._reporter.is_wrong
        died = [
            one for one in died if abnormal_exit.is_certain(one) or not (one.end and is_wrong(one))
        ]
        if died:
            self._report_group(died, [], ())

    def _has_failed(self) -> bool:
        # Return whether other processes, here or on other nodes, have ended in a way that makes a
        # launcher end the remaining ones.
        if any(has_remote(one.registry.info, self._watched) for one in self._watched[:1]):
            return True
        known = [by for one in self._watched if (by := one.ending()) is not None]
        return any(by.code for by in known)


def _may_be_launchers(by: Ending | None) -> bool:
    return by is not None and by.may_be_launchers


def _has_died_unheard(one: WatchedProcess) -> bool:
    # Return whether the process died before MPI_Init returned, or after MPI_Finalize.
    try:
        is_over = one.end == said.FINALIZED and one.state == OVER
        is_early = one.state == GONE and not one.initialized
        if one.is_left_out or not (is_over or is_early) or goes_on(one.pid):
            return False
        inside = bool({*one.inside()} - {"MPI_Finalize"})
    except MpippError:
        return False  # another check reports the damaged records
    by = one.ending()
    if by is None:
        return inside
    return bool(by.signal) or (inside and by.code > 0)
