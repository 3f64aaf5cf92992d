# SPDX-License-Identifier: MIT
"""Runs all checks, one after another, and orders their findings."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import TypeVar

from mpipp.analysis import completed_calls, deadlock_check, fatal_signal
from mpipp.analysis.buffering import check as buffering
from mpipp.analysis.buffers import (
    access_while_pending,
    mapped_memory,
    overlap,
    packed_buffers,
    reuse_after_request_free,
)
from mpipp.analysis.calls import (
    arguments,
    buffered_sends,
    datatype_constructors,
    datatype_state,
    free_calls,
    group_ranks,
    handles,
    in_place,
    init_finalize,
    intracomm_only,
    leaks,
    partitions,
    reduction_ops,
    rma_transfer_types,
    thread_violations,
    topologies,
    unstarted_requests,
    window_bounds,
)
from mpipp.analysis.collectives import (
    active as active_collectives,
)
from mpipp.analysis.collectives import (
    comm_order,
    completed,
    dist_graph_edges,
    self_exchange,
    spawned_worlds,
)
from mpipp.analysis.context.process import Process
from mpipp.analysis.context.world import World, worlds
from mpipp.analysis.files import file_views, split_file_io
from mpipp.analysis.findings.finding import Finding, merged
from mpipp.analysis.findings.ordering import ordered
from mpipp.analysis.message_races import check as message_races_check
from mpipp.analysis.messages import active as active_messages
from mpipp.analysis.messages import completed as past_messages
from mpipp.analysis.messages import multithreaded_channels
from mpipp.analysis.objects import returned_codes
from mpipp.analysis.portability import large_tags, needless_commits
from mpipp.analysis.rma import check as rma_check
from mpipp.common.errors import MpippError
from mpipp.model import KINDS, Broken

# Checks of each call, and of concurrent calls.
_OF_CALLS: tuple[Callable[[Process], Iterator[Finding]], ...] = (
    init_finalize.check,
    handles.check,
    arguments.check,
    datatype_constructors.check,
    intracomm_only.check,
    topologies.check,
    group_ranks.check,
    window_bounds.check,
    rma_transfer_types.check,
    buffered_sends.check,
    packed_buffers.check,
    partitions.check,
    split_file_io.check,
    free_calls.check,
    unstarted_requests.check,
    datatype_state.check,
    file_views.check,
    reduction_ops.check,
    in_place.check,
    self_exchange.check,
    mapped_memory.check,
    overlap.check,
    needless_commits.check,
)
_PROCESS_CHECKS = (
    fatal_signal.check,
    thread_violations.check,
    returned_codes.check,
    *_OF_CALLS,
    access_while_pending.check,
    completed_calls.check,
)
_WORLD_CHECKS: tuple[Callable[[World], Iterator[Finding]], ...] = (
    window_bounds.check_targets,
    dist_graph_edges.check,
    reuse_after_request_free.check,
    active_messages.check,
    active_collectives.check,
    past_messages.check,
    multithreaded_channels.check,
    completed.check,
    comm_order.check,
    buffering.check,
    large_tags.check,
    deadlock_check.check,
)
_LOG_CHECKS = (rma_check.check, message_races_check.check)
_OF_SPAWNED = (past_messages.check, completed.check)
_COMPLETED_CHECKS = (
    dist_graph_edges.check,
    past_messages.check,
    multithreaded_channels.check,
    completed.check,
    comm_order.check,
    large_tags.check,
)


_Checked = TypeVar("_Checked", Process, World)


def findings(
    processes: Sequence[Process],
    failed: Callable[[Process | None, MpippError], None],
    leaks_too: bool = False,
    between_too: bool = True,
    left: Collection[int] = (),
    spawned_too: bool = False,
) -> Iterator[Finding]:
    """Yield the findings of all checks, those of one process first.

    Calls at one place that repeat an error give only one finding. Damaged records are skipped:
    `failed` gets the reason, and the process, or None if a check of several could not continue.

    Args:
        leaks_too: also report objects that are not freed, if the processes have not ended yet.
        between_too: also run checks that compare processes.
        left: numbers of processes whose RMA logs another process checks.
        spawned_too: also compare processes started by MPI_Comm_spawn with their parents. All
            processes of the job must be passed.
    """
    found = _findings(processes, failed, leaks_too)
    if between_too:
        here = [process for process in processes if process.number not in left]
        logged = _between(here, failed, _LOG_CHECKS)
        found = chain(found, _between(processes, failed, _WORLD_CHECKS), logged)
    if spawned_too:
        found = chain(found, _of_spawned(processes, failed))
    yield from cited(found, processes)


def cited(found: Iterable[Finding], processes: Sequence[Process]) -> list[Finding]:
    """Return findings, followed by their consequences, with the library's version of MPI."""
    standards = {process.number: process.registry.info.standard for process in processes}
    return [replace(one, standard=standards[one.parties[0].process]) for one in ordered(found)]


def between(
    processes: Sequence[Process],
    failed: Callable[[Process | None, MpippError], None],
    over: bool,
) -> Iterator[Finding]:
    """Yield the findings of checks that compare processes, except those of RMA logs.

    Args:
        over: compare only completed calls.
    """
    yield from cited(
        _between(processes, failed, _COMPLETED_CHECKS if over else _WORLD_CHECKS), processes
    )


def order_findings(
    processes: Sequence[Process],
    failed: Callable[[Process | None, MpippError], None],
) -> Iterator[Finding]:
    """Yield the findings on the order of collective calls on several communicators."""
    yield from cited(_between(processes, failed, (comm_order.check,)), processes)


def log_findings(
    processes: Sequence[Process],
    failed: Callable[[Process | None, MpippError], None],
) -> Iterator[Finding]:
    """Yield the findings on conflicts and races of messages in RMA logs."""
    yield from cited(_between(processes, failed, _LOG_CHECKS), processes)


def leak_findings(
    processes: Sequence[Process],
    failed: Callable[[Process | None, MpippError], None],
) -> Iterator[Finding]:
    """Yield the objects that are not freed, also before the processes' ends."""
    found = (_guarded(leaks.check, process, process, failed) for process in processes)
    yield from cited(chain.from_iterable(found), processes)


def call_findings(
    process: Process,
    failed: Callable[[Process | None, MpippError], None],
    targets: Sequence[Process] = (),
) -> Iterator[Finding]:
    """Yield the findings about active calls and pending operations of a process.

    Args:
        targets: other processes whose windows the calls may access.
    """
    found = [merged(_guarded(check, process, process, failed)) for check in _OF_CALLS]
    reach = functools.partial(window_bounds.check_reach, others=targets)
    found.append(merged(_guarded(reach, process, process, failed)))
    yield from cited(chain.from_iterable(found), [process])


def place_findings(process: Process) -> Iterator[Finding]:
    """Yield the findings about the first call of a place, which may have returned."""
    yield from cited(packed_buffers.check(process), [process])


def _findings(
    processes: Sequence[Process],
    failed: Callable[[Process | None, MpippError], None],
    leaks_too: bool,
) -> Iterator[Finding]:
    for process in processes:
        for check in _PROCESS_CHECKS:
            yield from merged(_guarded(check, process, process, failed))
        at_the_end = leaks_too or leaks.at_the_end(process)
        if at_the_end:
            yield from _guarded(leaks.check, process, process, failed)
        for damaged in _damaged(process, KINDS if at_the_end else ("request", "file")):
            failed(process, MpippError(damaged.reason))


def _between(
    processes: Sequence[Process],
    failed: Callable[[Process | None, MpippError], None],
    every: Sequence[Callable[[World], Iterator[Finding]]],
) -> Iterator[Finding]:
    for world in worlds(processes):
        for check in every:
            yield from merged(_guarded(check, world, None, failed))


def _of_spawned(
    processes: Sequence[Process],
    failed: Callable[[Process | None, MpippError], None],
) -> Iterator[Finding]:
    try:
        known = spawned_worlds.between(worlds(processes))
    except MpippError as error:
        failed(None, error)
        return
    for both in known:
        for check in _OF_SPAWNED:
            yield from merged(_guarded(check, both, None, failed))


def _guarded(
    check: Callable[[_Checked], Iterator[Finding]],
    checked: _Checked,
    process: Process | None,
    failed: Callable[[Process | None, MpippError], None],
) -> Iterator[Finding]:
    try:
        yield from check(checked)
    except MpippError as error:
        failed(process, error)


def _damaged(process: Process, kinds: Sequence[str]) -> Iterator[Broken]:
    # Reads only the headers of datatypes, because there may be 10^6. The rest is read on use.
    registry = process.registry
    of_each: Iterator[Iterator[object]] = (
        registry.broken_headers(kind) if kind == "datatype" else registry.objects(kind)
        for kind in kinds
    )
    for found in chain(process.registry.threads(), *of_each):
        if isinstance(found, Broken):
            yield found
