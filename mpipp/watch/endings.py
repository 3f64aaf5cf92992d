# SPDX-License-Identifier: MIT
"""What is to be said of processes that did not end as they should."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from mpipp.checks.finding import Finding, Party
from mpipp.checks.process import Process
from mpipp.checks.world import worlds
from mpipp.errors import MpippError
from mpipp.model import Site, procedures
from mpipp.show.phrases import Phrase
from mpipp.watch import connection
from mpipp.watch.watched import GONE, Watched, marked, operations

if TYPE_CHECKING:
    from mpipp.checks.hangs.sentences import Place

_INNOCENT = {"MPI_Init", "MPI_Init_thread", "MPI_Finalize"}
# They wait for a peer.
_WAITING = {
    *("MPI_Recv", "MPI_Mrecv", "MPI_Probe", "MPI_Mprobe", "MPI_Send", "MPI_Ssend", "MPI_Barrier"),
    *("MPI_Sendrecv", "MPI_Sendrecv_replace", "MPI_Buffer_flush", "MPI_Comm_flush_buffer"),
    *("MPI_Wait", "MPI_Waitall", "MPI_Waitany", "MPI_Waitsome"),
    *("MPI_Win_start", "MPI_Win_complete", "MPI_Win_wait", "MPI_Win_lock", "MPI_Win_lock_all"),
    *("MPI_Win_unlock", "MPI_Win_unlock_all", "MPI_Win_flush", "MPI_Win_flush_all"),
    *("MPI_Win_flush_local", "MPI_Win_flush_local_all"),
}
_WRONG_CALL = 0  # the least doubt
_OUTSIDE = 2  # of who is outside of MPI, and not the first of all nodes to be seen
_NO_SITE = Site(0)
_STILL = 0.02  # seconds in which who does not move is taken to stand still
_LOOKS = 50
_MOST_TOLD = 8  # processes, and groups of others

_HOW = {
    0: "process-died",
    connection.EXITING: "no-finalize",
    connection.ABORTING: "aborted",
}

# What to do about processes that died inside of calls: where an error was reported of each call,
# and where none was.
_WRONG = (
    "correct the call: MPI most likely ended the program because of it, as it does unless another "
    "error handler is set"
)
_INSIDE = (
    "look at what it printed: MPI ends a program where a call has failed, unless another error "
    "handler is set; of a process that a signal has killed the launcher says which, and mpipp gdb "
    "shows its core file"
)

# The program has not returned from main.
_EXITED_INSIDE = (
    "look at what is printed before: MPI, or an error handler, has called exit inside of the call"
)


def findings(
    ended: Sequence[tuple[Process, int]],
    others: Sequence[Process],
    place: Place,
    wrong: Collection[Process] = (),
) -> Iterator[Finding]:
    """One for each way in which processes have ended at the same time.

    Args:
        ended: how each did: an end that it has told (`connection`), 0 without.
        others: processes that did not, or only because the launcher ends all of a job.
        wrong: those inside of calls of which an error was told.
    """
    for end, rule in _HOW.items():
        processes = [process for process, how in ended if how == end]
        if not processes:
            continue
        parties = [party for one in processes[:_MOST_TOLD] for party in _parties(one)]
        details = _meanwhile(processes[0], others, place)
        if len(processes) > _MOST_TOLD:
            others_left = len(processes) - _MOST_TOLD
            details.insert(0, Phrase.of("and {others} others", others=others_left))
        parties[-1] = replace(parties[-1], details=tuple(details))
        advice, how = "", "" if end else "signal-"
        if not end and all(map(_is_inside, processes)):
            is_wrong = all(one in wrong for one in processes)
            advice, how = (_WRONG, "wrong-") if is_wrong else (_INSIDE, "inside-")
        elif end == connection.EXITING and all(map(_is_in_mpi, processes)):
            advice = _EXITED_INSIDE
        case = f"{how}{'several' if len(processes) > 1 else 'one'}"
        found = Finding.of(rule, parties, case, times=len(processes))
        found = replace(found, advice=Phrase(advice) if advice else found.advice)
        yield replace(found, standard=processes[0].registry.info.standard)


def causes(
    first: list[Watched],
    others: Sequence[Watched],
    is_wrong: Callable[[Watched], bool] = lambda one: False,
) -> list[Watched]:
    """Of processes that died, those that made the launcher end the others.

    Where MPI ends a program because of an error in a call, the process tells the launcher, and may
    be the last that it ends. So who is seen first, in a call in which nothing goes wrong or that
    waits for another, is not the cause if another is in one that does not. All are that died in
    calls of which errors were told.

    Args:
        first: that were seen first, at one time.
        others: the other processes, but for those that have died before.
        is_wrong: whether an error was told of the call that a process is inside of.
    """
    died = [one for one in others if one.state == GONE and not one.end]
    inside = [one for one in died if set(one.inside()) - _INNOCENT]
    if any(one.end for one in first):
        return first
    doubts = {one.pid: _doubt(one, is_wrong) for one in (*first, *inside)}
    least = min(doubts.values(), default=0)
    likely = [one for one in first if doubts[one.pid] == least]
    if not likely or least == _WRONG_CALL:  # who was seen first is of no account
        likely = [one for one in (*first, *inside) if doubts[one.pid] == least]
    return sorted(likely, key=lambda one: one.registry.info.world_rank or 0)


def causes_too(
    ended: Sequence[Watched],
    others: Sequence[Watched],
    is_wrong: Callable[[Watched], bool] = lambda one: False,
) -> list[Watched]:
    """The same of a node whose processes died just after others elsewhere had been seen to.

    Which was the first of all is hardly known then: if it is outside of MPI, it is rather that one
    than those that wait.
    """
    found = causes([], [*ended, *others], is_wrong)
    outside = [one for one in ended if not one.inside()]
    if outside and all(_doubt(one, is_wrong) > _OUTSIDE for one in found):
        return outside
    return found


def least_doubt(
    found: Sequence[Watched], is_first: bool, is_wrong: Callable[[Watched], bool]
) -> int | None:
    """The more, the less likely one of these is the cause; None without any."""
    least = _WRONG_CALL if is_first else _OUTSIDE
    doubts = [
        _doubt(one, is_wrong) if one.inside() else max(least, _doubt(one, is_wrong))
        for one in found
    ]
    return min(doubts, default=None)


def _doubt(one: Watched, is_wrong: Callable[[Watched], bool]) -> int:
    # The more, the less likely it is the cause.
    inside = {name.removesuffix("_c") for name in one.inside()}
    if inside and is_wrong(one):
        return _WRONG_CALL
    polling = {name for name in inside if procedures.of(name).polls}
    doubtful = inside - _INNOCENT - _WAITING - polling
    if not inside or not all(map(_may_wait, doubtful)):
        return 1
    if doubtful:
        return 3
    return 4 if inside - _INNOCENT else 5


def _may_wait(procedure: str) -> bool:
    # For all the others that take part.
    facts = procedures.of(procedure)
    return bool(facts.over) and not facts.returns_at_once


def _is_inside(process: Process) -> bool:
    recorded = {one.call.procedure for one in operations(process)}
    return bool(recorded - _INNOCENT) or any(marked(process))


def _is_in_mpi(process: Process) -> bool:
    return any(operations(process)) or any(marked(process))


def of_last_calls(found: Sequence[Finding], known: Sequence[Watched]) -> list[Finding]:
    """The errors of calls that processes are inside of at their end: they may be why it came."""
    if not found:
        return []
    sites = {
        number: {operation.call.site.address for operation in operations(one.process(number))}
        for number, one in enumerate(known)
    }

    def is_of_one(finding: Finding) -> bool:
        return any(party.site.address in sites[party.process] for party in finding.placed)

    return [one for one in found if one.rule.severity == "error" and is_of_one(one)]


def standing(others: list[Watched]) -> list[Watched]:
    """Those in which nothing changes; what others do soon ends where they have to wait."""
    found: list[Watched] = []
    for _ in range(_LOOKS):
        before = [one.movement() for one in others]
        time.sleep(_STILL)
        found = [one for one, was in zip(others, before) if one.movement() == was]
        if len(found) == len(others):
            break
    return found


def _parties(process: Process) -> list[Party]:
    # What the process did in MPI.
    inside = [operation.party() for operation in operations(process)]
    for one in marked(process):
        subject = Phrase.of("in {procedure}", procedure=one.procedure)
        inside.append(Party(process.number, subject, "called at", one.site, one.tid))
    if inside:
        return inside
    last = next(process.registry.last_calls(), None)
    if last is None:
        return [Party(process.number, Phrase("not in MPI"), "called at", _NO_SITE)]
    subject = Phrase.of("not in MPI; its last call was {procedure}", procedure=last.procedure)
    return [Party(process.number, subject, "called at", last.site, last.tid)]


def _meanwhile(process: Process, others: Sequence[Process], place: Place) -> list[Phrase]:
    # What the others of its world do then. What tells it takes some time to load.
    from mpipp.checks.hangs.analysis import explain
    from mpipp.checks.hangs.report import Report

    own = process.registry.info.world_rank
    try:
        world = next(one for one in worlds([process, *others]) if process in one.all)
        found = explain(world)
        ranks = [rank for rank in found.states if rank != own]
        groups = Report(found, place).groups(ranks)
    except (MpippError, StopIteration):  # of records that make no sense the checks tell
        return []
    return [
        Phrase.of("meanwhile {ranks}: {text}", ranks=tuple(members), text=text)
        for text, members in groups[:_MOST_TOLD]
    ]
