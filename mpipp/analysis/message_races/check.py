# SPDX-License-Identifier: MIT
"""Check for receives that could have taken another message (MPI-4.1, section 3.5).

The check reads the logs that RMA checks read (`analysis/rma`), when all processes are stopped or
ended.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING

from mpipp.analysis.context.records_protocol import OnesidedLog
from mpipp.analysis.context.world import World
from mpipp.analysis.findings.finding import Findings
from mpipp.common.errors import MpippError
from mpipp.common.text import wording

if TYPE_CHECKING:
    from mpipp.analysis.message_races.replay import Result


def check(known: World) -> Findings:
    """Yield races of messages, in runs that look for them."""
    logs = dict(_logs(known))
    if not any(log.finds_races for log in logs.values()):
        return
    # Loading these modules is slow.
    from mpipp.analysis.message_races.findings import RaceFindings
    from mpipp.analysis.message_races.replay import analyse

    if len(logs) < known.size:
        missing = frozenset(range(known.size)) - {*logs}
        ranks = wording.ranks(missing)
        raise MpippError(f"races of messages: mpipp has no records of {ranks}")
    reaches = {
        (identity, rank): reach
        for log in logs.values()
        for identity, rank, reach in log.windows.values()
    }
    queried = frozenset[int]().union(*(log.queried for log in logs.values()))
    result = analyse(
        {
            rank: log.events(lambda window, rank: reaches.get((window, rank)), queried)
            for rank, log in logs.items()
        }
    )
    is_certain = not (result.reads_windows or result.has_other_worlds)
    yield from RaceFindings(known, logs).findings(result.races if is_certain else [])
    unchecked = [*_unordered(result), *_unseen(result, logs)]
    if unchecked:
        raise MpippError("; ".join(unchecked))


def _logs(known: World) -> Iterator[tuple[int, OnesidedLog]]:
    for one in known.processes:
        rank = known.rank(one)
        try:
            log = known.onesided(one)
        except MpippError:  # the RMA check reports this
            continue
        if rank is not None and log is not None:
            yield rank, log


def _unordered(result: Result) -> Iterator[str]:
    if not result.races:
        return
    counted = wording.counted(len(result.races), "race")
    it = "it" if len(result.races) == 1 else "them"
    if result.reads_windows:
        yield f"{counted} of messages: values that processes read from windows may order {it}"
    elif result.has_other_worlds:
        yield f"{counted} of messages: messages of another MPI_COMM_WORLD may order {it}"


def _unseen(result: Result, logs: Mapping[int, OnesidedLog]) -> Iterator[str]:
    if result.threaded:
        yield f"races of messages between threads of {wording.ranks(result.threaded)}"
    full = {rank for rank in result.cut if logs[rank].lost}
    if full:
        yield (
            f"races of messages at the end of {_each(full)}: beyond the capacity of the log (see "
            "MPIPP_RMA_LOG)"
        )
    if result.cut - full:
        yield f"races of messages at the end of {_each(result.cut - full)}: the order is unknown"
    if result.forgotten:
        counted = wording.counted(result.forgotten, "receive")
        yield f"races of messages for {counted}: too many receives could take several messages"


def _each(ranks: Collection[int]) -> str:
    return wording.ranks(frozenset(ranks))
