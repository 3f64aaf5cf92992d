# SPDX-License-Identifier: MIT
"""Check that one-sided operations stay within the target's window (MPI-4.1, chapter 12).

The target process has recorded the size of its window, and the displacement unit. Dynamic windows
have no bounds of their own.
"""

from __future__ import annotations

from collections.abc import Sequence

from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.context.world import World
from mpipp.analysis.findings.finding import Finding, Findings
from mpipp.datatypes.memory import region
from mpipp.model import Buffer, DatatypeRecord, Win
from mpipp.render.phrases import Phrase

_COMPARE = "compare the displacement, the count and the datatype's extent with the window's size"
_UNITS = (
    "{offset} would fit in bytes, but this window counts displacements in units of {unit_size} "
    "bytes (disp_unit)"
)
_MAKING = ("MPI_Win_create", "MPI_Win_allocate", "MPI_Win_allocate_shared")


def check(process: Process) -> Findings:
    """Yield errors in the arguments of calls that create windows."""
    for operation in process.operations:
        if operation.call.procedure.removesuffix("_c") not in _MAKING:
            continue
        size = operation.call.arguments.get("size")
        unit = operation.call.arguments.get("disp_unit")
        if isinstance(size, int) and size < 0:
            yield Finding.of("negative-window-size", [operation.party()], size=size)
        elif isinstance(unit, int) and unit < 1:
            yield Finding.of("displacement-unit", [operation.party()], size=unit)
        elif operation.call.arguments.get("base") == 0 and isinstance(size, int) and size > 0:
            yield Finding.of("null-window", [operation.party()], size=size)


def check_targets(known: World) -> Findings:
    """Yield one-sided operations on memory outside the target's window."""
    for process in known.processes:
        yield from check_reach(process, known.processes)


def check_reach(process: Process, others: Sequence[Process]) -> Findings:
    """Yield the findings of `check_targets` for the operations of one process; `others` include the
    targets."""
    for operation in process.operations:
        found = _target(others, operation)
        if found is None:
            continue
        for buffer in operation.call.buffers:
            if "remote" in buffer.access:
                yield from _outside(operation, buffer, *found)


def _target(others: Sequence[Process], operation: Operation) -> tuple[Process, Win] | None:
    # The target's own record of the window, if it is known.
    process, call = operation.process, operation.call
    if call.win is None or call.target_rank is None:
        return None
    own = process.usable("win", call.win)
    if not isinstance(own, Win) or own.flavor == "dynamic":
        return None
    if call.target_rank == own.rank:
        return process, own
    return find(others, process, own.identity, call.target_rank)


def find(
    others: Sequence[Process], process: Process, identity: int, rank: int
) -> tuple[Process, Win] | None:
    """Return the window with an identity, as the process with a rank in its group recorded it."""
    for other in others if identity else ():
        # The target may have freed the window already.
        for win in other.registry.objects("win", ended=True) if other is not process else ():
            if isinstance(win, Win) and win.identity == identity and win.rank == rank:
                return other, win
    return None


def _outside(operation: Operation, buffer: Buffer, target: Process, win: Win) -> Findings:
    record = buffer.datatype
    if not isinstance(record, DatatypeRecord) or record.header.null or buffer.count <= 0:
        return
    if not record.tree.size or win.disp_unit < 1:
        return
    displacement = buffer.displacement
    reached = region(record.tree, buffer.count, displacement * win.disp_unit)
    if reached.low >= 0 and reached.high <= win.size:
        return
    call = operation.call
    in_bytes = region(record.tree, buffer.count, displacement)
    advice = Phrase(_COMPARE)
    if win.disp_unit > 1 and in_bytes.low >= 0 and in_bytes.high <= win.size and displacement:
        advice = Phrase.of(_UNITS, offset=displacement, unit_size=win.disp_unit)
    detail = Phrase.of(
        "target_disp {offset} x disp_unit {unit_size} = {bytes_offset}",
        offset=displacement,
        unit_size=win.disp_unit,
        bytes_offset=displacement * win.disp_unit,
    )
    yield Finding.of(
        "outside-window",
        [operation.party(detail), target.object_party(win)],
        procedure=call.procedure,
        verb=_verb(buffer),
        offset=reached.low,
        end_offset=reached.high,
        rank=call.target_rank if call.target_rank is not None else -1,
        size=win.size,
        advice=advice,
    )


def _verb(buffer: Buffer) -> str:
    both = {"reads", "writes"} <= buffer.access
    return "changes" if both else "writes" if "writes" in buffer.access else "reads"
