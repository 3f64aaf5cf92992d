# SPDX-License-Identifier: MIT
"""All checks: what each finds, one after another, and in which order it is told."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import TypeVar

from mpipp.checks import (
    arguments,
    attached,
    collectives,
    constructors,
    datatypes,
    deadlocks,
    deaths,
    edges,
    files,
    freeing,
    givenup,
    groups,
    handles,
    inplace,
    leaks,
    levels,
    lifetime,
    memory,
    messages,
    onegroup,
    onesided,
    overlaps,
    ownparts,
    partitions,
    reductions,
    spawned,
    topologies,
    touches,
    transfers,
    windows,
)
from mpipp.checks.consequences import ordered
from mpipp.checks.finding import Finding, merged
from mpipp.checks.past import agreement, alone, order, unordered
from mpipp.checks.past import messages as past_messages
from mpipp.checks.process import Process
from mpipp.checks.world import World, worlds
from mpipp.errors import MpippError
from mpipp.model import KINDS, Broken

# Of each call, and what goes on beside it.
_OF_CALLS: tuple[Callable[[Process], Iterator[Finding]], ...] = (
    lifetime.check,
    handles.check,
    arguments.check,
    constructors.check,
    onegroup.check,
    topologies.check,
    groups.check,
    windows.check,
    transfers.check,
    attached.check,
    partitions.check,
    files.check,
    freeing.check,
    datatypes.check,
    reductions.check,
    inplace.check,
    ownparts.check,
    memory.check,
    overlaps.check,
)
_OF_ONE = (deaths.check, levels.check, *_OF_CALLS, touches.check, alone.check)
_BETWEEN: tuple[Callable[[World], Iterator[Finding]], ...] = (
    windows.check_targets,
    edges.check,
    givenup.check,
    messages.check,
    collectives.check,
    past_messages.check,
    unordered.check,
    agreement.check,
    order.check,
    deadlocks.check,
)
_OF_SPAWNED = (past_messages.check, agreement.check)
_OVER = (edges.check, past_messages.check, unordered.check, agreement.check, order.check)


_Checked = TypeVar("_Checked", Process, World)


def findings(
    processes: Sequence[Process],
    failed: Callable[[Process | None, MpippError], None],
    leaks_too: bool = False,
    between_too: bool = True,
    left: Collection[int] = (),
    spawned_too: bool = False,
) -> Iterator[Finding]:
    """What every check finds, those of one process first; once where calls only repeat it.

    `between_too`: those that compare processes as well; `left`: numbers of processes whose logs of
    one-sided communication are left to somebody else; `spawned_too`: these are all processes that
    there are, and those that MPI_Comm_spawn has started are compared with their parents.

    Damaged records are passed over: `failed` is given the reason, and the process, None if a check
    of several could not go on.
    """
    found = _findings(processes, failed, leaks_too)
    if between_too:
        here = [process for process in processes if process.number not in left]
        logged = _between(here, failed, (onesided.check,))
        found = chain(found, _between(processes, failed, _BETWEEN), logged)
    if spawned_too:
        found = chain(found, _of_spawned(processes, failed))
    yield from cited(found, processes)


def cited(found: Iterable[Finding], processes: Sequence[Process]) -> list[Finding]:
    """Findings with their consequences behind them, and the version of MPI that they go by."""
    standards = {process.number: process.registry.info.standard for process in processes}
    return [replace(one, standard=standards[one.parties[0].process]) for one in ordered(found)]


def between(
    processes: Sequence[Process],
    failed: Callable[[Process | None, MpippError], None],
    over: bool,
) -> Iterator[Finding]:
    """As `findings`, those between processes alone, of no logs; `over`: of nothing that goes on."""
    yield from cited(_between(processes, failed, _OVER if over else _BETWEEN), processes)


def of_orders(
    processes: Sequence[Process],
    failed: Callable[[Process | None, MpippError], None],
) -> Iterator[Finding]:
    """As `findings`, in which orders processes have called on several communicators."""
    yield from cited(_between(processes, failed, (order.check,)), processes)


def of_logs(
    processes: Sequence[Process],
    failed: Callable[[Process | None, MpippError], None],
) -> Iterator[Finding]:
    """As `findings`, what logs of one-sided communication tell."""
    yield from cited(_between(processes, failed, (onesided.check,)), processes)


def of_leaks(
    processes: Sequence[Process],
    failed: Callable[[Process | None, MpippError], None],
) -> Iterator[Finding]:
    """As `findings`, what is not given back, whether or not the processes are at their ends."""
    found = (_guarded(leaks.check, process, process, failed) for process in processes)
    yield from cited(chain.from_iterable(found), processes)


def of_calls(
    process: Process,
    failed: Callable[[Process | None, MpippError], None],
    targets: Sequence[Process] = (),
) -> Iterator[Finding]:
    """What is wrong with the calls that a process is inside of, and with what is pending.

    `targets`: other processes, whose windows the calls may be on.
    """
    found = [merged(_guarded(check, process, process, failed)) for check in _OF_CALLS]
    reach = functools.partial(windows.check_reach, others=targets)
    found.append(merged(_guarded(reach, process, process, failed)))
    yield from cited(chain.from_iterable(found), [process])


def _findings(
    processes: Sequence[Process],
    failed: Callable[[Process | None, MpippError], None],
    leaks_too: bool,
) -> Iterator[Finding]:
    for process in processes:
        for check in _OF_ONE:
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
        known = spawned.between(worlds(processes))
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
    # Of datatypes, which may be 10^6, what is common to all: the rest is read where one is used.
    registry = process.registry
    of_each: Iterator[Iterator[object]] = (
        registry.broken_headers(kind) if kind == "datatype" else registry.objects(kind)
        for kind in kinds
    )
    for found in chain(process.registry.threads(), *of_each):
        if isinstance(found, Broken):
            yield found
