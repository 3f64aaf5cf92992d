# SPDX-License-Identifier: MIT
"""Do one-sided operations stay within the target's window? (MPI-4.1, chapter 12)

How large a window is in another process, and what it counts displacements in, is recorded there.
Dynamic windows have no bounds of their own.
"""

from __future__ import annotations

from mpipp.checks.finding import Finding, Findings
from mpipp.checks.process import Operation, Process
from mpipp.checks.world import World
from mpipp.datatypes.overlap import region
from mpipp.model import Buffer, DatatypeRecord, Win

_MAKING = ("MPI_Win_create", "MPI_Win_allocate", "MPI_Win_allocate_shared")


def check(process: Process) -> Findings:
    """The arguments of calls that make windows."""
    for operation in process.operations:
        if operation.call.procedure.removesuffix("_c") not in _MAKING:
            continue
        size = operation.call.arguments.get("size")
        unit = operation.call.arguments.get("disp_unit")
        if isinstance(size, int) and size < 0:
            what = f"size is {size}"
            yield Finding.of("negative-window-size", what, [operation.party()])
        elif isinstance(unit, int) and unit < 1:
            what = f"disp_unit is {unit}"
            yield Finding.of("displacement-unit", what, [operation.party()])


def check_targets(known: World) -> Findings:
    """One-sided operations on memory that is not in the target's window."""
    for process in known.all:
        for operation in process.operations:
            found = _target(known, operation)
            if found is None:
                continue
            for buffer in operation.call.buffers:
                if "remote" in buffer.access:
                    yield from _outside(operation, buffer, *found)


def _target(known: World, operation: Operation) -> tuple[Process, Win] | None:
    # The target's own record of the window, if it is known.
    process, call = operation.process, operation.call
    if call.win is None or call.target_rank is None:
        return None
    own = process.usable("win", call.win)
    if not isinstance(own, Win) or own.flavor == "dynamic":
        return None
    if call.target_rank == own.rank:
        return process, own
    if own.identity:
        for other in known.all:
            if other is process:
                continue
            for win in other.registry.objects("win"):
                same = isinstance(win, Win) and win.identity == own.identity
                if same and isinstance(win, Win) and win.rank == call.target_rank:
                    return other, win
    return None


def _outside(operation: Operation, buffer: Buffer, target: Process, win: Win) -> Findings:
    record = buffer.datatype
    if not isinstance(record, DatatypeRecord) or record.header.null or buffer.count <= 0:
        return
    if not record.tree.size or win.disp_unit < 1:
        return
    displacement = (buffer.address ^ 1 << 63) - (1 << 63)
    reached = region(record.tree, buffer.count, displacement * win.disp_unit)
    if reached.low >= 0 and reached.high <= win.size:
        return
    call = operation.call
    what = (
        f"{call.procedure} {_verb(buffer)} the bytes [{reached.low}, {reached.high}) of the window "
        f"of rank {call.target_rank}, which has {win.size}"
    )
    in_bytes = region(record.tree, buffer.count, displacement)
    advice = "compare the displacement, the count and the datatype's extent with the window's size"
    if win.disp_unit > 1 and in_bytes.low >= 0 and in_bytes.high <= win.size and displacement:
        advice = (
            f"{displacement} would fit in bytes, but this window counts displacements in units of "
            f"{win.disp_unit} bytes (disp_unit)"
        )
    details = (
        f"target_disp {displacement} x disp_unit {win.disp_unit} = {displacement * win.disp_unit}"
    )
    parties = [operation.party(details), target.made(win)]
    yield Finding.of("outside-window", what, parties, advice=advice)


def _verb(buffer: Buffer) -> str:
    both = {"reads", "writes"} <= buffer.access
    return "changes" if both else "writes" if "writes" in buffer.access else "reads"
