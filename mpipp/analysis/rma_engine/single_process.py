# SPDX-License-Identifier: MIT
"""Search for conflicts within one process, if the events of other processes are unknown.

One process represents all others. That process does only what the checked process waits for. Its
memory has a separate range of addresses for each process that it represents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from mpipp.analysis.rma_engine.conflicts.conflict import Conflict
from mpipp.analysis.rma_engine.epoch_errors import Mistake
from mpipp.analysis.rma_engine.replay import analyse
from mpipp.model.message_events import Channel, Partitions, Probed, ReceiveBegun, Received, Sent
from mpipp.model.rma_events import (
    Access,
    Collective,
    Event,
    Finalized,
    Memory,
    Operation,
    OtherWorldContact,
    Synchronization,
    ThreadOrder,
    WindowFreed,
    WindowMade,
)

ALL_OTHERS = -1  # rank of the process that represents all others
_APART = 1 << 64  # distance between the memories of two processes
_MESSAGES = (Sent, Received, ReceiveBegun, Probed, Partitions, Collective, OtherWorldContact)
_ANSWERS = {
    "fence": "fence",
    "start": "post",
    "complete": "wait",
    "post": "start",
    "wait": "complete",
}


class ProcessErrors(NamedTuple):
    """The conflicts and mistakes within one process; `threaded` as in Result."""

    conflicts: list[Conflict]
    mistakes: list[Mistake]
    threaded: bool


def check_process(
    rank: int,
    events: Iterable[Event],
    again: Iterable[Event],
    threads: ThreadOrder | None = None,
) -> ProcessErrors:
    """Find the errors within one process.

    Args:
        again: a second iterator over the same events.
        threads: the knowledge of the order of the process's threads.
    """
    both = {ALL_OTHERS: _remote_events(rank, again), rank: _own(rank, events)}
    result = analyse(both, threads={rank: threads or ThreadOrder()})
    conflicts = [
        _own_conflict(one, rank)
        for one in result.conflicts
        if {one.first.event.moment.process, one.second.event.moment.process} == {rank}
    ]
    mistakes = [
        one
        for one in result.mistakes
        if one.event.moment.process == rank
        and (one.other is None or one.other.moment.process == rank)
    ]
    return ProcessErrors(conflicts, mistakes, rank in result.threaded)


def _own_conflict(one: Conflict, rank: int) -> Conflict:
    owner = one.shared[0] // _APART - 1 if one.owner == ALL_OTHERS else rank
    return one._replace(
        owner=owner, shared=_own_range(one.shared), apart=one.apart and _own_range(one.apart)
    )


def _own_range(where: tuple[int, int]) -> tuple[int, int]:
    low, high = where
    return low % _APART, low % _APART + high - low


def _own(rank: int, events: Iterable[Event]) -> Iterator[Event]:
    ranks: dict[int, tuple[int, ...]] = {}
    completed = 0
    for event in events:
        if isinstance(event, _MESSAGES):
            continue
        if isinstance(event, WindowMade):
            ranks[event.window] = event.ranks
            yield event._replace(ranks=tuple(_merged_ranks(rank, event.ranks)))
        elif isinstance(event, Operation):
            group = ranks.get(event.window, ())
            target = group[event.target] if 0 <= event.target < len(group) else rank
            lent = (
                one._replace(owner=ALL_OTHERS, memory=_of(rank, one.owner, one.memory))
                for one in event.lent
            )
            yield event._replace(at_target=_of(rank, target, event.at_target), lent=tuple(lent))
        elif isinstance(event, Access) and event.owner not in (-1, rank):
            yield event._replace(owner=ALL_OTHERS, memory=_of(rank, event.owner, event.memory))
        elif isinstance(event, Synchronization):
            yield event._replace(
                group=tuple(dict.fromkeys(_merged_ranks(rank, event.group))), request=0
            )
            if event.kind == "complete" and not event.attempt:
                # Some message may order this process after the targets' MPI_Win_wait at once.
                told = Channel(ALL_OTHERS, ALL_OTHERS, rank, 0, completed)
                yield Received(event.moment, told)
                completed += 1
        else:
            yield event


def _merged_ranks(rank: int, ranks: Iterable[int]) -> Iterator[int]:
    return (one if one == rank else ALL_OTHERS for one in ranks)


def _of(rank: int, owner: int, memory: Memory) -> Memory:
    apart = 0 if owner == rank else (1 + owner) * _APART
    return tuple(comb._replace(first=comb.first + apart) for comb in memory)


def _remote_events(rank: int, events: Iterable[Event]) -> Iterator[Event]:
    alone: set[int] = set()  # windows of this process only
    completed = 0
    unanswered: set[tuple[int, str]] = set()  # epochs with only itself, by the call that ends them
    for event in events:
        moment = event.moment._replace(process=ALL_OTHERS)
        if isinstance(event, WindowMade):
            if set(event.ranks) == {rank}:
                alone.add(event.window)
            else:
                group = tuple(_merged_ranks(rank, event.ranks))
                yield event._replace(moment=moment, base=0, length=0, ranks=group)
        elif isinstance(event, WindowFreed) and event.window not in alone:
            yield event._replace(moment=moment)
        elif isinstance(event, Synchronization):
            if event.attempt or event.window in alone:
                continue
            kind = _ANSWERS.get(event.kind)
            end = {"start": "complete", "post": "wait"}.get(event.kind)
            if end and not set(event.group) - {rank}:
                unanswered.add((event.window, end))
            elif (event.window, event.kind) in unanswered:
                unanswered.remove((event.window, event.kind))
            elif kind:
                group = (rank,) if end else ()
                yield event._replace(
                    moment=moment, kind=kind, group=group, asserted=frozenset(), request=0
                )
            if event.kind == "complete":
                yield Sent(moment, Channel(ALL_OTHERS, ALL_OTHERS, rank, 0, completed))
                completed += 1
        elif isinstance(event, Finalized):
            yield Finalized(moment)
