# SPDX-License-Identifier: MIT
"""What is to be said of processes that did not end as they should."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from mpipp.analysis.context.process import Process
from mpipp.analysis.context.world import worlds
from mpipp.analysis.findings.finding import Finding, Party
from mpipp.common.errors import MpippError
from mpipp.model import Site, procedures
from mpipp.render.phrases import Phrase, Value
from mpipp.watcher.ipc import protocol
from mpipp.watcher.processes.exit_status import Ending
from mpipp.watcher.processes.process import GONE, Watched, marked, operations

if TYPE_CHECKING:
    from mpipp.analysis.deadlock.sentences import Place

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
_CERTAIN = -1  # the least doubt: a signal that no launcher sends
_WRONG_CALL = 0
_OUTSIDE = 2  # of who is outside of MPI, and not the first of all nodes to be seen
_NO_SITE = Site(0)
_STILL = 0.02  # seconds in which who does not move is taken to stand still
_LOOKS = 50
_MOST_TOLD = 8  # processes, and groups of others

# What a process dies of that has lost another.
_AFTER_OTHERS = (signal.SIGABRT, signal.SIGPIPE)

_DIED, _DIED_LATE = "process-died", "died-late"
_HOW = {
    protocol.EXITING: "no-finalize",
    protocol.ABORTING: "aborted",
}
_UNKNOWN = "by a signal or _exit"
_OF_OUTPUT = "look at what it printed"
_OF_CORE = "look at what it printed, and at its core file with mpipp gdb"

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

_NOT_AFTER = (
    "look for destructors and exit handlers that call MPI: few procedures may be called then"
)
# The program has not returned from main.
_EXITED_INSIDE = (
    "look at what is printed before: MPI, or an error handler, has called exit inside of the call"
)


class AbnormalExit(NamedTuple):
    """A process that did not end as it should.

    Attributes:
        end: what it has told of that (`protocol`), 0: nothing.
        by: how it has, None if the system does not say.
        is_wrong: whether an error was told of the call that it is inside of.
    """

    process: Process
    end: int
    by: Ending | None
    is_wrong: bool = False

    @classmethod
    def of(cls, one: Watched, number: int, is_wrong: bool) -> AbnormalExit:
        """A watched process, which is that number of those that are told of."""
        return cls(one.process(number), one.end, one.ending(), is_wrong)

    @property
    def way(self) -> tuple[int, Ending | None]:
        """What it has in common with others that are told of with it."""
        return self.end, None if self.end in _HOW else self.by


def findings(
    ended: Sequence[AbnormalExit], others: Sequence[Process], place: Place
) -> Iterator[Finding]:
    """One for each way in which processes have ended at the same time.

    Args:
        others: processes that did not, or only because the launcher ends all of a job.
    """
    # Who is stopped for an error that was found is told of already.
    ended = [one for one in ended if one.end != protocol.STOPPED]
    for way in sorted({one.way for one in ended}, key=lambda way: (way[0], str(way[1]))):
        alike = [one for one in ended if one.way == way]
        processes = [one.process for one in alike]
        parties = [party for one in processes[:_MOST_TOLD] for party in _parties(one)]
        details = _meanwhile(processes[0], others, place)
        if len(processes) > _MOST_TOLD:
            others_left = len(processes) - _MOST_TOLD
            details.insert(0, Phrase.of("and {others} others", others=others_left))
        parties[-1] = replace(parties[-1], details=tuple(details))
        rule, case, facts, advice = _case_text(alike, *way)
        case = f"{case}{'several' if len(processes) > 1 else 'one'}"
        found = Finding.of(rule, parties, case, times=len(processes), **facts)
        found = replace(found, advice=Phrase(advice) if advice else found.advice)
        yield replace(found, standard=processes[0].registry.info.standard)


class _CaseText(NamedTuple):
    # The rule, the beginning of its case, the facts, and what to do: "" if the rule says it.
    rule: str
    case: str
    facts: dict[str, Value]
    advice: str


def _case_text(alike: Sequence[AbnormalExit], end: int, by: Ending | None) -> _CaseText:
    if end in _HOW:
        is_inside = end == protocol.EXITING and all(_is_in_mpi(one.process) for one in alike)
        return _CaseText(_HOW[end], "", {}, _EXITED_INSIDE if is_inside else "")
    how = Phrase.of(", {how}", how=_UNKNOWN if by is None else str(by))
    is_inside = all(_is_inside(one.process) for one in alike)
    if end == protocol.FINALIZED:
        case, advice = ("inside-", _NOT_AFTER) if is_inside else ("", "")
        return _CaseText(_DIED_LATE, case, {"ending": how}, advice)
    if not is_inside:
        advice = "" if by is None else _OF_CORE if by.signal else _OF_OUTPUT
        return _CaseText(_DIED, "signal-", {"ending": how}, advice)
    # How MPI ends a process says nothing of why.
    of_own = by is not None and is_own(by)
    is_wrong = all(one.is_wrong for one in alike)
    advice = _OF_CORE if of_own else _WRONG if is_wrong else _INSIDE
    case = "wrong-" if is_wrong else "inside-"
    return _CaseText(_DIED, case, {"ending": how if of_own else Phrase("")}, advice)


def of_own_accord(first: Sequence[Watched], gone: Sequence[Watched]) -> list[Watched]:
    """Of processes that died those that the launcher has not ended; all, if it may have been any.

    The system may not say how they have ended; then nothing tells them apart here. What the
    launcher ends may exit by itself, in a handler of its signal: it is not seen first.
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
    """Whether it is by a signal that no launcher sends."""
    return bool(by.signal) and not by.may_be_launchers


def is_certain(one: Watched) -> bool:
    """Whether a process has died so."""
    by = one.ending()
    return by is not None and is_own(by)


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
    if not likely or least == _WRONG_CALL:  # who was seen first is of no account
        likely = [one for one in (*first, *inside) if doubts[one.pid] == least]
    return sorted(likely, key=_rank)


def causes_too(
    ended: Sequence[Watched],
    others: Sequence[Watched],
    is_wrong: Callable[[Watched], bool] = lambda one: False,
) -> list[Watched]:
    """The same of a node whose processes died just after others elsewhere had been seen to.

    Which was the first of all is hardly known then: if it is outside of MPI, it is rather that one
    than those that wait.
    """
    gone = _vanished(others)
    if len(of_own_accord(ended, gone)) < len(ended) + len(gone):  # how they have ended tells more
        return causes(list(ended), others, is_wrong)
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
    if any(map(is_certain, found)):
        return _CERTAIN
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


def _vanished(others: Sequence[Watched]) -> list[Watched]:
    # Without a word.
    return [one for one in others if one.state == GONE and not one.end]


def _rank(one: Watched) -> int:
    return one.registry.info.world_rank or 0


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
    from mpipp.analysis.deadlock.analysis import explain
    from mpipp.analysis.deadlock_text.report import Report

    own = process.registry.info.world_rank
    try:
        world = next(one for one in worlds([process, *others]) if process in one.processes)
        found = explain(world)
        ranks = [rank for rank in found.states if rank != own]
        groups = Report(found, place).groups(ranks)
    except (MpippError, StopIteration):  # of records that make no sense the checks tell
        return []
    return [
        Phrase.of("meanwhile {ranks}: {text}", ranks=tuple(members), text=doing.text)
        for doing, members in groups[:_MOST_TOLD]
    ]
