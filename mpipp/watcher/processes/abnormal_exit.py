# SPDX-License-Identifier: MIT
"""The findings on processes that ended abnormally."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from mpipp.analysis.context.process import Process
from mpipp.analysis.context.world import worlds
from mpipp.analysis.findings.finding import Finding, Party
from mpipp.analysis.objects import growth
from mpipp.common.errors import MpippError
from mpipp.model import procedures
from mpipp.render.phrases import Phrase, Value
from mpipp.watcher.ipc import protocol
from mpipp.watcher.processes import death_parties, signal_sender
from mpipp.watcher.processes.death_parties import AbnormalExit
from mpipp.watcher.processes.exit_status import Ending
from mpipp.watcher.processes.process import GONE, WatchedProcess, marked, operations

if TYPE_CHECKING:
    from mpipp.analysis.deadlock.sentences import Place

_INNOCENT = {"MPI_Init", "MPI_Init_thread", "MPI_Finalize"}
# Calls in which a process waits for a peer. The process is hardly the cause if it dies there.
_WAITING = {
    *("MPI_Recv", "MPI_Mrecv", "MPI_Probe", "MPI_Mprobe", "MPI_Send", "MPI_Ssend", "MPI_Barrier"),
    *("MPI_Sendrecv", "MPI_Sendrecv_replace", "MPI_Buffer_flush", "MPI_Comm_flush_buffer"),
    *("MPI_Wait", "MPI_Waitall", "MPI_Waitany", "MPI_Waitsome"),
    *("MPI_Win_start", "MPI_Win_complete", "MPI_Win_wait", "MPI_Win_lock", "MPI_Win_lock_all"),
    *("MPI_Win_unlock", "MPI_Win_unlock_all", "MPI_Win_flush", "MPI_Win_flush_all"),
    *("MPI_Win_flush_local", "MPI_Win_flush_local_all"),
}
_CERTAIN = -1  # smallest doubt: the process died of a signal that no launcher sends
_WRONG_CALL = 0
# Smallest doubt for a process outside MPI, on a node that did not notice the first death.
_OUTSIDE = 2
_STILL = 0.02  # seconds without movement after which a process counts as still
_LOOKS = 50
_MOST_TOLD = 8  # processes, and groups of other processes

# Signals that a process gets when it has lost another process.
_AFTER_OTHERS = (signal.SIGABRT, signal.SIGPIPE)

_DIED, _DIED_OF_ERROR, _DIED_LATE = "process-died", "died-of-error", "died-late"
_ENDED = "ended-by-signal"
_HOW = {
    protocol.EXITING: "no-finalize",
    protocol.ABORTING: "aborted",
}
_UNKNOWN = "by a signal or _exit"
_OF_OUTPUT = "read its output"
_OF_CORE = "read its output, and open its core file with mpipp gdb"

# Advice for processes that died inside calls without a reported error.
_AFTER_FAILURE = "read its output: by default MPI ends a program when a call fails"
_INSIDE = f"{_AFTER_FAILURE}; if a signal killed it, the launcher's message names the signal"

_NOT_AFTER = "check destructors and exit handlers for MPI calls: few procedures may be called then"
# The program has not returned from main.
_EXITED_INSIDE = "read the output before this: MPI or an error handler called exit in this call"


def findings(
    ended: Sequence[AbnormalExit],
    others: Sequence[Process],
    place: Place,
    where: Callable[[Party], Sequence[str]],
) -> Iterator[Finding]:
    """Yield one finding for each way in which processes ended at the same time.

    Args:
        others: processes that did not end, or only because the launcher ends the whole job.
        where: returns the source lines of a party.
    """
    # A process that stops at a finding is already reported.
    ended = [one for one in ended if one.end != protocol.STOPPED]
    for way in sorted({one.way for one in ended}, key=lambda way: (way[0], str(way[1]))):
        alike = [one for one in ended if one.way == way]
        processes = [one.process for one in alike]
        groups = death_parties.groups(alike, where)
        parties = [party for group in groups[:_MOST_TOLD] for party in death_parties.parties(group)]
        parties += growth.parties(processes[0])
        details = _peer_states(processes[0], others, place)
        if len(groups) > _MOST_TOLD:
            others_left = sum(map(len, groups[_MOST_TOLD:]))
            details.insert(0, Phrase.of("and {others} others", others=others_left))
        parties[-1] = parties[-1].with_details(*details)
        rule, case, facts, advice = _case_text(alike, *way)
        case = f"{case}{'several' if len(processes) > 1 else 'one'}"
        found = Finding.of(rule, parties, case, times=len(processes), **facts)
        found = replace(found, advice=Phrase(advice) if advice else found.advice)
        yield replace(found, standard=processes[0].registry.info.standard)


class _CaseText(NamedTuple):
    # The parts of a finding; an empty `advice` selects the rule's own advice.
    rule: str
    case: str
    facts: dict[str, Value]
    advice: str


def _case_text(alike: Sequence[AbnormalExit], end: int, by: Ending | None) -> _CaseText:
    if end in _HOW:
        is_inside = end == protocol.EXITING and all(_is_in_mpi(one.process) for one in alike)
        if is_inside and all(one.is_wrong for one in alike):
            return _CaseText(_DIED_OF_ERROR, "exit-", {}, "")
        return _CaseText(_HOW[end], "", {}, _EXITED_INSIDE if is_inside else "")
    how = Phrase.of(", {how}", how=_UNKNOWN if by is None else str(by))
    is_inside = all(_is_inside(one.process) for one in alike)
    if is_inside and all(one.is_wrong for one in alike) and end != protocol.FINALIZED:
        # If MPI itself ended the process, the way of its end does not show the reason.
        of_own = by is not None and is_own(by)
        return _CaseText(_DIED_OF_ERROR, "", {"ending": how if of_own else Phrase("")}, "")
    if _may_be_from_outside(alike, by) and not (by is None and end == protocol.FINALIZED):
        advice = signal_sender.advice(by)
        if is_inside and end != protocol.FINALIZED:
            advice = f"{_AFTER_FAILURE}; otherwise {advice}"
        known = Phrase.of(" {how}", how=_UNKNOWN if by is None else str(by))
        return _CaseText(_ENDED, "", {"ending": known}, advice)
    if end == protocol.FINALIZED:
        case, advice = ("inside-", _NOT_AFTER) if is_inside else ("", "")
        return _CaseText(_DIED_LATE, case, {"ending": how}, advice)
    if not is_inside:
        advice = "" if by is None else _OF_CORE if by.signal else _OF_OUTPUT
        return _CaseText(_DIED, "signal-", {"ending": how}, advice)
    of_own = by is not None and is_own(by)
    facts: dict[str, Value] = {"ending": how if of_own else Phrase("")}
    return _CaseText(_DIED, "inside-", facts, _OF_CORE if of_own else _INSIDE)


def _may_be_from_outside(alike: Sequence[AbnormalExit], by: Ending | None) -> bool:
    # Return whether the processes may have been ended from outside, without an error of theirs. A
    # process that has noticed its own signal or exit was not.
    if any(one.fatal is not None for one in alike):
        return False
    return by is None or by.is_from_outside


def of_own_accord(
    first: Sequence[WatchedProcess], gone: Sequence[WatchedProcess]
) -> list[WatchedProcess]:
    """The processes that the launcher has not killed. If it may have killed any, return all.

    If the system does not know how the processes ended, this cannot distinguish them. A process may
    also exit by itself in a handler of the launcher's signal. But such a process is not the first
    whose end a watcher notices.
    """
    died = [*first, *gone]
    known = [(one, by) for one in died if (by := one.ending()) is not None]
    certain = [(one, by) for one, by in known if is_own(by)]
    if certain:
        before = [one for one, by in certain if by.signal not in _AFTER_OTHERS]
        return before or [one for one, _ in certain]
    exited = [one for one, by in known if not by.signal]
    has_first = any(one in exited for one in first) and len(known) == len(died)
    return exited if has_first else died


def is_own(by: Ending) -> bool:
    """Return whether a process ended by a signal that no launcher sends."""
    return bool(by.signal) and not by.may_be_launchers


def is_certain(one: WatchedProcess) -> bool:
    """Return whether a process died of a signal that no launcher sends."""
    by = one.ending()
    return by is not None and is_own(by)


def causes(
    first: list[WatchedProcess],
    others: Sequence[WatchedProcess],
    is_wrong: Callable[[WatchedProcess], bool] = lambda one: False,
) -> list[WatchedProcess]:
    """Select the processes that made the launcher end the others.

    When MPI ends a program because of an error in a call, the process notifies the launcher, which
    may kill it last. So the first process that dies may not be the cause. It is not the cause if
    its call cannot fail or waits for a peer, while another process is in a call that can fail. All
    processes that died in calls with reported errors are causes.

    Args:
        first: the processes whose deaths were noticed first, at one time.
        others: the other processes, except those that died before.
        is_wrong: returns whether an error was reported for the current call of a process.
    """
    if any(one.end for one in first):
        return first
    gone = _vanished(others)
    possible = of_own_accord(first, gone)
    if all(map(is_certain, possible)):
        return sorted(possible, key=_rank)
    first = [one for one in first if one in possible]
    died = [one for one in gone if one in possible]
    inside = [one for one in died if set(one.inside()) - _INNOCENT]
    doubts = {one.pid: _doubt(one, is_wrong) for one in (*first, *inside)}
    least = min(doubts.values(), default=0)
    likely = [one for one in first if doubts[one.pid] == least]
    if not likely or least == _WRONG_CALL:  # the order of deaths does not matter
        likely = [one for one in (*first, *inside) if doubts[one.pid] == least]
    return sorted(likely, key=_rank)


def causes_too(
    ended: Sequence[WatchedProcess],
    others: Sequence[WatchedProcess],
    is_wrong: Callable[[WatchedProcess], bool] = lambda one: False,
) -> list[WatchedProcess]:
    """Select the causes on a node whose processes died just after those on another node.

    The order of such deaths is almost unknown. A process outside MPI is a likelier cause than
    waiting processes.
    """
    gone = _vanished(others)
    if len(of_own_accord(ended, gone)) < len(ended) + len(gone):  # the way of their ends decides
        return causes(list(ended), others, is_wrong)
    found = causes([], [*ended, *others], is_wrong)
    outside = [one for one in ended if not one.inside()]
    if outside and all(_doubt(one, is_wrong) > _OUTSIDE for one in found):
        return outside
    return found


def least_doubt(
    found: Sequence[WatchedProcess], is_first: bool, is_wrong: Callable[[WatchedProcess], bool]
) -> int | None:
    """The doubt of the likeliest cause in `found`, or None. A larger number is less likely."""
    least = _WRONG_CALL if is_first else _OUTSIDE
    if any(map(is_certain, found)):
        return _CERTAIN
    doubts = [
        _doubt(one, is_wrong) if one.inside() else max(least, _doubt(one, is_wrong))
        for one in found
    ]
    return min(doubts, default=None)


def _doubt(one: WatchedProcess, is_wrong: Callable[[WatchedProcess], bool]) -> int:
    # The doubt whether a process is the cause. A larger number is less likely.
    inside = {name.removesuffix("_c") for name in one.inside()}
    if inside and is_wrong(one):
        return _WRONG_CALL
    polling = {name for name in inside if procedures.procedure(name).polls}
    doubtful = inside - _INNOCENT - _WAITING - polling
    if not inside or not all(map(_may_wait, doubtful)):
        return 1
    if doubtful:
        return 3
    return 4 if inside - _INNOCENT else 5


def _vanished(others: Sequence[WatchedProcess]) -> list[WatchedProcess]:
    # The processes that died without announcing their end.
    return [one for one in others if one.state == GONE and not one.end]


def _rank(one: WatchedProcess) -> int:
    return one.registry.info.world_rank or 0


def _may_wait(procedure: str) -> bool:
    # Return whether the procedure may wait for all other members of a communicator.
    facts = procedures.procedure(procedure)
    return bool(facts.over) and not facts.returns_immediately


def _is_inside(process: Process) -> bool:
    recorded = {one.call.procedure for one in operations(process)}
    return bool(recorded - _INNOCENT) or any(marked(process))


def _is_in_mpi(process: Process) -> bool:
    return any(operations(process)) or any(marked(process))


def of_last_calls(found: Sequence[Finding], known: Sequence[WatchedProcess]) -> list[Finding]:
    """The errors in the calls that processes were in at their end, as possible reasons
    of the end."""
    if not found:
        return []
    sites = {
        number: {operation.call.site.address for operation in operations(one.process(number))}
        for number, one in enumerate(known)
    }

    def is_at_site(finding: Finding) -> bool:
        return any(party.site.address in sites[party.process] for party in finding.placed)

    return [one for one in found if one.rule.severity == "error" and is_at_site(one)]


def standing(others: list[WatchedProcess]) -> list[WatchedProcess]:
    """The processes that make no MPI call. Tries again until all stand still, but only for a
    second."""
    found: list[WatchedProcess] = []
    for _ in range(_LOOKS):
        before = [one.movement() for one in others]
        time.sleep(_STILL)
        found = [one for one, was in zip(others, before) if one.movement() == was]
        if len(found) == len(others):
            break
    return found


def _peer_states(process: Process, others: Sequence[Process], place: Place) -> list[Phrase]:
    # Explain the states of the other processes of its world. The analysis is slow to import.
    from mpipp.analysis.deadlock.analysis import explain
    from mpipp.analysis.deadlock_text.report import Report

    own = process.registry.info.world_rank
    try:
        world = next(one for one in worlds([process, *others]) if process in one.processes)
        found = explain(world)
        ranks = [rank for rank in found.states if rank != own]
        groups = Report(found, place).groups(ranks)
    except (MpippError, StopIteration):  # the checks report damaged records
        return []
    return [
        Phrase.of("meanwhile {ranks}: {text}", ranks=tuple(members), text=doing.text)
        for doing, members in groups[:_MOST_TOLD]
    ]
