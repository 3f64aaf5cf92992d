# SPDX-License-Identifier: MIT
"""Compare buffers with the program's variables and heap blocks (analysis/program_objects/)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

import gdb

from mpipp.analysis.context.buffer_accesses import Access, accesses
from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.findings import element_names
from mpipp.analysis.findings.finding import Finding, Party
from mpipp.analysis.program_objects import array_arguments, buffer_bounds, datatype_fit
from mpipp.analysis.program_objects.array_arguments import Argument
from mpipp.analysis.program_objects.buffer_bounds import Owner
from mpipp.common.errors import MpippError
from mpipp.common.text import wording
from mpipp.gdb.analysis.inferior_processes import CheckedInferiors
from mpipp.gdb.lookup import buffer_variables
from mpipp.gdb.lookup.buffer_variables import Holder
from mpipp.gdb.program import abandoned_frames, calling_frame, memory_mappings
from mpipp.gdb.program.inferior_memory import InferiorMemory, selected
from mpipp.gdb.program.sessions import Session
from mpipp.program_types.compare import focused
from mpipp.program_types.types import Array, Type
from mpipp.registry.memory import heap_blocks

_MOST = 64  # calls of a process: the search for variables is slow


def findings(checked: CheckedInferiors) -> Iterator[Finding]:
    """Find buffers that run past their object, and datatypes that do not fit the program's
    variables.

    Each place in the program is reported once.
    """
    for process, session in zip(checked.processes, checked.sessions):
        with selected(session.inferior):
            for found in _of_process(process, session, checked):
                yield replace(found, standard=process.registry.info.standard)


def _of_process(process: Process, session: Session, checked: CheckedInferiors) -> Iterator[Finding]:
    seen: set[object] = set()
    for operation in process.operations:
        for access in accesses(operation):
            shapes = tuple((one.peer, one.count, id(one.datatype)) for one in access.entries)
            key = operation.call.site, access.buffer.role, shapes
            if key in seen or access.absolute:
                continue
            if len(seen) == _MOST:
                why = f"the variables of only {_MOST} places were searched"
                checked.failed(process, MpippError(why))
                return
            seen.add(key)
            found = _in_caller(operation, session, partial(_of_access, operation, access))
            if found is not None:
                yield found
        if operation.tid is None:
            continue
        for argument in array_arguments.arguments(operation):
            found = _in_caller(operation, session, partial(_of_argument, operation, argument))
            if found is not None:
                yield found


def with_names(finding: Finding, checked: CheckedInferiors) -> Finding:
    """Add the names of variables to the elements of a finding, if a thread is still in the call."""

    def name(party: Party, address: int) -> str:
        process, session = checked.processes[party.process], checked.sessions[party.process]
        call = party.evidence.call
        with selected(session.inferior):
            for operation in process.operations:
                if operation.call is call:
                    return _in_caller(operation, session, partial(_element, address)) or ""
        return ""

    return element_names.with_names(finding, name)


def _element(address: int, frame: gdb.Frame) -> str:
    every = [one for one in buffer_variables.every(address, frame) if one is not None]
    names = dict.fromkeys(
        focused(one.object.layout, one.origin, one.origin + 1)[0].name
        for one, is_declared in every
        if is_declared
    )
    return next(iter(names), "")


_Of = TypeVar("_Of")


def _in_caller(
    operation: Operation, session: Session, check: Callable[[gdb.Frame], _Of | None]
) -> _Of | None:
    thread = _thread(operation, session)
    if thread is None:
        return None
    with abandoned_frames.selected(thread):
        try:
            inside = operation.tid
            frame = calling_frame.caller(operation.call.site) if inside else gdb.newest_frame()
            return check(frame)
        except (gdb.error, MpippError):  # no frames, no debug information
            return None


def _of_argument(operation: Operation, argument: Argument, frame: gdb.Frame) -> Finding | None:
    every = buffer_variables.every(argument.address, frame)
    uses = [buffer_variables.use(*one) for one in every if one]
    owner = _owner(argument.address, every)
    return array_arguments.check(operation, argument, uses, owner, operation.party())


def _of_access(operation: Operation, access: Access, frame: gdb.Frame) -> Finding | None:
    party = operation.party()
    first = access.region.low
    owner = _owner(first, buffer_variables.every(first, frame))
    found = buffer_bounds.check(access, owner, party) if owner is not None else None
    if found is not None:
        return found
    for part in datatype_fit.parts(operation, access.buffer):
        every = buffer_variables.every(part.address, frame)
        uses = [buffer_variables.use(*one) if one else None for one in every]
        found = datatype_fit.check(operation, access.buffer, part, uses, party)
        if found is not None:
            return found
    return None


def _owner(first: int, every: Sequence[tuple[Holder, bool] | None]) -> Owner | None:
    # The variable that contains the address, else the heap block.
    declared = [one[0] for one in every if one is not None and one[1]]
    if declared:
        largest = max(declared, key=lambda one: one.object.layout.kind.size)
        layout, low = largest.object.layout, largest.object.address
        root = layout.root.partition(".")[0].partition("%")[0].partition("[")[0]
        if low is None or not buffer_variables.is_whole_symbol(low, root):
            return None
        text, unit = layout.described, _unit(layout.kind)
        return Owner(low, low + layout.kind.size, text, unit=unit, fortran=layout.fortran)
    memory = InferiorMemory(gdb.selected_inferior())
    tried = (heap_blocks.block(memory, one, first) for one in memory_mappings.writable_at(first))
    block = next((one for one in tried if one is not None), None)
    if block is None:
        return None
    size = wording.counted(block[1] - block[0], "byte")
    return Owner(*block, f"a block of the heap with {size}")


def _unit(kind: Type) -> Type:
    while isinstance(kind, Array) and not kind.text:
        kind = kind.element
    return kind


def _thread(operation: Operation, session: Session) -> gdb.InferiorThread | None:
    # The thread inside the call. For a pending request, which has none: the first thread.
    stopped = [thread for thread in session.inferior.threads() if thread.is_stopped()]
    chosen = [t for t in stopped if operation.tid in (None, t.ptid[1])]
    return min(chosen, key=lambda thread: int(thread.num), default=None)
