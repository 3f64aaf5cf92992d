# SPDX-License-Identifier: MIT
"""The activity of processes without a known rank, as before MPI_Init returns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.deadlock import names
from mpipp.analysis.deadlock.sentences import Place, dead
from mpipp.model import Thread


def unranked(processes: Sequence[Process]) -> list[Process]:
    """Return the processes that belong to no MPI_COMM_WORLD known to the others."""
    return [one for one in processes if one.registry.info.world_rank is None]


def lines(processes: Sequence[Process], place: Place) -> Iterator[str]:
    """Yield the lines about these processes; none if there are none."""
    living = [one for one in processes if one.death is None]
    pids = [one.registry.info for one in living]
    rank = "no rank is known" if len(pids) == 1 else "no ranks are known"
    if living:
        yield f"unknown: {names.processes(pids)} may still continue, but {rank}"
    for one in living:
        yield f"  {names.processes([one.registry.info])} is {_doing(one, place)}"
    for one in processes:
        if one.death is not None:
            which = names.processes([one.registry.info])
            yield f"{which}, whose rank is unknown, is {_doing(one, place)}"


def records(processes: Sequence[Process], place: Place) -> list[dict[str, Any]]:
    """Return the data for JSON; docs/reference/json.md has the schema."""
    return [{"pid": one.registry.info.pid, "where": _doing(one, place)} for one in processes]


def _doing(process: Process, place: Place) -> str:
    if process.death is not None:
        return dead(process, process.death, place).text
    threads = [one for one in process.registry.threads() if isinstance(one, Thread)]
    for thread in threads:
        if call := thread.call or thread.unrecorded:
            operation = Operation(process, call, None, thread.tid)
            return f"in {names.call(operation)}, called at {place.place(operation)}"
    return f"not in MPI ({place.outside(process)})"
