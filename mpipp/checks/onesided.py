# SPDX-License-Identifier: MIT
"""Do one-sided operations, loads and stores conflict, which nothing orders? (MPI-4.1, chapter 12)

Asked when all processes of MPI_COMM_WORLD are at rest, of the logs that they have kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from mpipp.checks.finding import Findings
from mpipp.checks.hangs import words
from mpipp.checks.leaks import at_the_end
from mpipp.checks.records import OnesidedLog
from mpipp.checks.world import World
from mpipp.errors import MpippError

if TYPE_CHECKING:
    from mpipp.checks.conflicting import Telling
    from mpipp.onesided import Conflict


def check(known: World) -> Findings:
    """Conflicts, and synchronisation that is wrong by itself."""
    found = {known.rank(one): one.registry.onesided() for one in known.all}
    logs = {rank: log for rank, log in found.items() if rank is not None and log is not None}
    if not logs:
        return
    # It takes some time to load.
    from mpipp.checks.conflicting import Telling
    from mpipp.onesided import analyse

    try:
        telling = Telling(known, logs)
    except (ValueError, IndexError):
        raise MpippError("a log of one-sided communication is damaged") from None
    if len(logs) != known.size:
        yield from _of_each(telling, logs)
        others = words.ranks(set(range(known.size)) - {*logs})
        raise MpippError(f"one-sided operations of two processes: nothing is known of {others}")
    again = any(log.has_values for log in logs.values())
    result = analyse(
        {rank: log.events(telling.reach) for rank, log in logs.items()},
        {rank: log.events(telling.reach) for rank, log in logs.items()} if again else None,
    )
    decided = [one for one in result.conflicts if not _may_be_ordered(one, logs)]
    yield from telling.conflicts(decided)
    yield from map(telling.mistake, result.mistakes)
    undecided = len(result.undecided) + len(result.conflicts) - len(decided)
    cut = [rank for rank in result.cut if _has_ended(known, rank) and not logs[rank].lost]
    if undecided or cut or result.forgotten:
        raise MpippError("; ".join(_not_decided(undecided, sorted(cut), result.forgotten)))


def _of_each(telling: Telling, logs: Mapping[int, OnesidedLog]) -> Findings:
    # What one process has done by itself.
    from mpipp.onesided import of_one

    for rank, log in logs.items():
        conflicts, mistakes = of_one(rank, log.events(telling.guess), log.events(telling.guess))
        yield from telling.conflicts(conflicts)
        yield from map(telling.mistake, mistakes)


def _has_ended(known: World, rank: int) -> bool:
    process = known.process(rank)
    return process is not None and at_the_end(process)


def _may_be_ordered(conflict: Conflict, logs: Mapping[int, OnesidedLog]) -> bool:
    # By loads and stores of memory that both have.
    one, other = (side.event.moment.process for side in (conflict.first, conflict.second))
    return one != other and other in logs[one].sharing


def _not_decided(undecided: int, cut: Sequence[int], forgotten: int) -> Iterator[str]:
    if undecided:
        counted = words.counted(undecided, "possible conflict")
        it = "them" if undecided > 1 else "it"
        yield f"{counted} of one-sided operations: what processes read from memory may order {it}"
    if cut:
        ranks = words.ranks(cut)
        yield f"one-sided operations at the end of {ranks}: what orders them is not known"
    if forgotten:
        yield f"{forgotten:,} one-sided operations, which were too many at a time"
