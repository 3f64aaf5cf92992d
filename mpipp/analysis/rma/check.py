# SPDX-License-Identifier: MIT
"""Check for data races between one-sided operations, loads and stores (MPI-4.1, chapter 12).

The check reads the processes' RMA logs when all processes of MPI_COMM_WORLD are stopped or ended.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from mpipp.analysis.calls.leaks import at_the_end
from mpipp.analysis.context.records_protocol import OnesidedLog
from mpipp.analysis.context.world import World
from mpipp.analysis.findings.finding import Finding, Findings
from mpipp.analysis.rules.rma import POSSIBLE
from mpipp.common.errors import MpippError
from mpipp.common.text import wording
from mpipp.datatypes.memory.flatten import MOST

if TYPE_CHECKING:
    from mpipp.analysis.rma.findings import RmaFindings
    from mpipp.model.rma_events import Event
    from mpipp.model.rma_logs import Selection


class MissingLogs(MpippError):
    """Some ranks have no log, so accesses of different processes were not compared.

    Attributes:
        ranks: the ranks without a log.
        others: sentences about further facts that were not checked.
    """

    def __init__(self, ranks: frozenset[int], others: Sequence[str]) -> None:
        nothing = (
            f"one-sided operations of two processes: mpipp has no records of {wording.ranks(ranks)}"
        )
        super().__init__("; ".join([nothing, *others]))
        self.ranks = ranks
        self.others = others


def check(known: World) -> Findings:
    """Yield conflicts, and calls that synchronize wrongly by themselves."""
    logs, failed = _logs(known)
    if not logs and not failed:
        return
    selections = _selections(*logs.values()) if len(logs) == known.size else None
    if selections is not None and not selections:
        return  # there are no findings
    # Loading the module is slow.
    from mpipp.analysis.rma.findings import RmaFindings
    from mpipp.analysis.rma_engine import analyse

    telling = RmaFindings(known, logs)
    damaged = sorted(rank for rank, log in logs.items() if log.damaged)
    if len(logs) != known.size:
        threaded = yield from _of_each(telling, logs)
        others = frozenset(range(known.size)) - {*logs}
        raise MissingLogs(others, [*failed, *_of_damaged(damaged), *_of_threads(threaded)])
    if not damaged and not any(log.windows for log in logs.values()):
        return  # the logs have only messages, and may be long
    order = {rank: log.thread_order for rank, log in logs.items()}
    result = None
    if selections:
        selected = zip(logs.items(), selections)
        result = analyse(
            {rank: _events(telling, log, some) for (rank, log), some in selected}, threads=order
        )
    if result is None or not result.has_only_conflicts:
        again = any(log.has_values for log in logs.values())
        result = analyse(
            {rank: _events(telling, log) for rank, log in logs.items()},
            {rank: _events(telling, log) for rank, log in logs.items()} if again else None,
            order,
        )
    yield from telling.conflicts(result.conflicts)
    yield from telling.conflicts(result.locks)
    whole = sorted(rank for rank in result.cut if not logs[rank].lost and not logs[rank].damaged)
    cut = [rank for rank in whole if _has_ended(known, rank)]
    early = [rank for rank in whole if rank not in cut]
    read = "values that processes read from memory"
    if any(log.has_other_worlds for log in logs.values()):
        read = f"{read}, or messages of another MPI_COMM_WORLD,"
    if early:
        read = (
            f"{read.rstrip(',')}, or calls of {wording.ranks(early)}, which did not reach "
            f"MPI_Finalize,"
        )
    yield from telling.possible(result.undecided, read)
    yield from map(telling.mistake, result.mistakes)
    for rank in sorted(result.stuck):
        last = result.cut[rank]
        yield from _of_rest(telling, rank, logs[rank], last.moment.number if last else -1)
    unchecked = [
        *_of_damaged(damaged),
        *_of_threads(result.threaded),
        *_not_decided(len(result.undecided), read, cut, result.forgotten),
        *_uncertain_operations(result.unknown),
    ]
    if unchecked:
        raise MpippError("; ".join(unchecked))


def _selections(first: OnesidedLog, *others: OnesidedLog) -> Sequence[Selection] | None:
    # The entries of all logs that the analysis needs; an empty list: there are no findings.
    return first.selections_with(others)


def _logs(known: World) -> tuple[dict[int, OnesidedLog], list[str]]:
    # The logs by rank, and the reasons why some are unreadable.
    found: dict[int, OnesidedLog] = {}
    failed = []
    for one in known.processes:
        rank = known.rank(one)
        try:
            log = known.onesided(one)
        except MpippError as error:
            failed.append(str(error))
            continue
        if rank is not None and log is not None:
            found[rank] = log
    return found, failed


def _of_damaged(ranks: Sequence[int]) -> Iterator[str]:
    if ranks:
        log = "log" if len(ranks) == 1 else "logs"
        it = "it is" if len(ranks) == 1 else "they are"
        yield (
            f"the rest of the {log} of one-sided communication of {wording.ranks(ranks)}, after "
            f"{it} damaged"
        )


def _of_threads(ranks: Collection[int]) -> Iterator[str]:
    if ranks:
        yield (
            f"data races between threads of {wording.ranks(ranks)}: mpipp assumes that one-sided "
            "operations, loads and stores of several threads happened in the order of its log"
        )


def _events(
    telling: RmaFindings, log: OnesidedLog, selection: Selection | None = None
) -> Iterable[Event]:
    return log.events(telling.reach, telling.queried, selection)


def _of_each(
    telling: RmaFindings, logs: Mapping[int, OnesidedLog]
) -> Generator[Finding, None, set[int]]:
    # The findings of each process alone. Returns the ranks whose threads are assumed to be in the
    # log's order.
    from mpipp.analysis.rma_engine import check_process

    threaded = set[int]()
    for rank, log in logs.items():
        first, second = (log.events(telling.guess, telling.queried) for _ in range(2))
        alone = check_process(rank, first, second, log.thread_order)
        if alone.threaded:
            threaded.add(rank)
        yield from telling.conflicts(alone.conflicts)
        yield from map(telling.mistake, alone.mistakes)
    return threaded


def _of_rest(telling: RmaFindings, rank: int, log: OnesidedLog, last: int) -> Findings:
    # The findings after the last event that was compared with other processes. The process has
    # continued, so the events that it waited for have happened. But the other processes have not
    # recorded them, for example because they were killed.
    from mpipp.analysis.rma_engine import check_process

    first, second = (_events(telling, log) for _ in range(2))
    alone = check_process(rank, first, second, log.thread_order)

    def is_behind(*events: Event | None) -> bool:
        return max(event.moment.number for event in events if event) > last

    conflicts, mistakes = alone.conflicts, alone.mistakes
    behind = (one for one in conflicts if is_behind(one.first.event, one.second.event))
    yield from telling.conflicts(behind)
    yield from (telling.mistake(one) for one in mistakes if is_behind(one.event, one.other))


def _has_ended(known: World, rank: int) -> bool:
    process = known.process(rank)
    return process is not None and at_the_end(process)


def _not_decided(undecided: int, read: str, cut: Sequence[int], forgotten: int) -> Iterator[str]:
    if undecided:
        counted = wording.counted(undecided, "possible conflict")
        it = "them" if undecided > 1 else "it"
        shown = f"the check {POSSIBLE} shows {it}"
        yield f"{counted} of one-sided operations: {read} may order {it} ({shown})"
    if cut:
        ranks = wording.ranks(cut)
        yield f"one-sided operations at the end of {ranks}: their order is unknown"
    if forgotten:
        yield f"{forgotten:,} one-sided operations: too many were in progress"


def _uncertain_operations(operations: int) -> Iterator[str]:
    if operations:
        counted = wording.counted(operations, "one-sided operation")
        whose = (
            "with a datatype that is unknown or has"
            if operations == 1
            else ("with datatypes that are unknown or have")
        )
        yield f"{counted} {whose} more than {MOST:,} pieces"
