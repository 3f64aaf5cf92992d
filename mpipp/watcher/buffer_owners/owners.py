# SPDX-License-Identifier: MIT
"""Compare buffers with the variables and heap blocks that contain them, by debug information.

The program continues meanwhile. The query has a copy of the stack from the time of the call. Other
memory is read now, and counts only if the call has not returned in between.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from mpipp.analysis.buffers import mapped_memory
from mpipp.analysis.context.buffer_accesses import Access, accesses
from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.findings.finding import Finding, Party
from mpipp.analysis.portability import long_sizes, misaligned_buffers
from mpipp.analysis.program_objects import (
    array_arguments,
    buffer_bounds,
    call_statements,
    compiler_temporaries,
    datatype_fit,
    integer_kinds,
    overwritten_containers,
)
from mpipp.analysis.program_objects.array_arguments import Argument
from mpipp.analysis.program_objects.buffer_bounds import Owner
from mpipp.analysis.program_objects.datatype_fit import Part, Use
from mpipp.common.text import wording
from mpipp.model import Thread, Win
from mpipp.program_types.types import Array, Type
from mpipp.registry.memory import cpython_arrays
from mpipp.symbolizer.line_table import Symbol, damage
from mpipp.symbolizer.process_symbols import Places, StackFrame
from mpipp.symbolizer.source_frames import Sources
from mpipp.symbolizer.variables import debug_types, holders
from mpipp.symbolizer.variables.holders import Holder, Untyped
from mpipp.symbolizer.variables.scope import Scope
from mpipp.watcher.buffer_owners import python_holders
from mpipp.watcher.processes import variable_names
from mpipp.watcher.processes.process import WatchedProcess
from mpipp.watcher.processes.query_records import Question

# Bytes by which malloc may round a block up. A block with pages of its own has a header before it.
_ROUNDED, _PAGE, _HEAD = 32, 4096, 16
_STACK = 1 << 23  # bytes of a typical thread's stack
_SOURCES = Sources()


class _CallMemory:
    # The memory of a process: copies from the time of the call if the query has them, else its
    # current bytes.
    def __init__(self, one: WatchedProcess, question: Question) -> None:
        self._one, self._question = one, question
        self.is_current = False

    def copy(self, address: int, length: int) -> bytes | None:
        """The bytes at the time of the call; None if the query has no copy of them."""
        for start, data in self._question.memory:
            if start <= address and address + length <= start + len(data):
                return data[address - start : address - start + length]
        return None

    def read(self, address: int, length: int) -> bytes:
        found = self.copy(address, length)
        if found is not None:
            return found
        self.is_current = True
        return self._one.memory.read(address, length)


class _Candidate(NamedTuple):
    owner: Owner
    is_current: bool  # True if read after the query: the call may have returned


class _Passed(NamedTuple):
    # A buffer argument of the call.
    access: Access
    party: Party
    parts: list[Part]


class BufferOwners:
    """The checks of the buffers of one call against objects of the program.

    The constructor reads all records. `findings` is slow, and reads no records.

    Args:
        one: the process.
        process: the process as the query describes it.
        question: the query: its frames, innermost first, and copies of their memory.

    Attributes:
        place: the return address of the call.
    """

    def __init__(self, one: WatchedProcess, process: Process, question: Question) -> None:
        self._one, self._question = one, question
        self._standard = process.registry.info.standard
        self._memory = _CallMemory(one, question)
        self._scopes: list[Scope] | None = None
        windows = process.registry.objects("win") if question.heap_blocks else ()
        self._windows = [(one.base, one.base + one.size) for one in windows if isinstance(one, Win)]
        self._passed = [
            self._prepared(operation, access)
            for operation in process.operations
            if operation.tid is not None
            for access in accesses(operation)
            if not access.absolute
        ]
        wanted = list(self._addresses())
        self._arrays = [
            array
            for frame, version in question.python
            for array in cpython_arrays.arrays(one.memory, frame, version, wanted)
        ]
        call = next((one.call for one in process.threads if one.call is not None), None)
        self.place = call.site.address if call is not None else 0
        self.known: list[Holder] = []  # the variables that `findings` used
        self._calls = [
            (operation, operation.party())
            for operation in process.operations
            if operation.tid is not None and integer_kinds.may_apply(operation.call.procedure)
        ]
        # In Python, mpi4py creates these arguments, so they are not the program's.
        self._arguments = [
            (operation, argument, operation.party())
            for operation in (process.operations if not question.python else ())
            if operation.tid is not None
            for argument in array_arguments.arguments(operation)
        ]

    def _prepared(self, operation: Operation, access: Access) -> _Passed:
        parts = list(datatype_fit.parts(operation, access.buffer))
        return _Passed(access, operation.party(), parts)

    def _addresses(self) -> Iterator[int]:
        # The start addresses of buffers. Python has no objects on the stack.
        top = max((frame.end for frame in self._question.frames), default=0)
        for passed in self._passed:
            for address in (passed.access.region.low, *(part.address for part in passed.parts)):
                if not top - _STACK < address < top:
                    yield address

    def findings(self) -> Iterator[Finding]:
        """Findings for buffers that exceed their object, are misaligned, or have a wrong
        datatype."""
        for passed in self._passed:
            misaligned = misaligned_buffers.check(passed.access, passed.party)
            for found in filter(None, chain([misaligned], self._of_passed(passed))):
                yield replace(found, standard=self._standard)
        for operation, argument, party in self._arguments:
            found_one = self._of_argument(operation, argument, party)
            if found_one is not None:
                yield replace(found_one, standard=self._standard)
        for operation, party in self._calls:
            for found in self._of_integers(operation, party):
                yield replace(found, standard=self._standard)

    def _of_integers(self, operation: Operation, party: Party) -> Iterator[Finding]:
        with contextlib.suppress(*damage()):
            caller = next((one for one in self._all_scopes() if one.is_caller), None)
            if caller is None or not debug_types.is_fortran(caller.entry):
                return
            if debug_types.may_have_wide_integers(caller.unit):
                return
            texts = self._texts(operation)
            yield from integer_kinds.check(operation, texts, caller.type_of, party)

    def _of_argument(
        self, operation: Operation, argument: Argument, party: Party
    ) -> Finding | None:
        every = [one for one in self._variables(argument.address) if isinstance(one, Holder)]
        end = argument.address + argument.bytes
        owner = self._certain_owner(argument.address, end, operation.call.serial)
        # A container that is not constructed yet may have any address.
        if argument.is_single:
            every = [one for one in every if not one.is_counted]
            owner = None if owner is not None and owner.case == "container" else owner
        uses = [use for one in every if (use := _use(one, argument.address)) is not None]
        texts = self._texts(operation) if argument.kind == "pointer" else []
        found = array_arguments.check(operation, argument, uses, owner, party, texts)
        certain = any(map(_is_sure, every)) or not any(one.is_declared for one in every)
        if found is not None and (certain or self._is_inside(operation.call.serial)):
            return found
        return None

    def _texts(self, operation: Operation) -> list[str]:
        # The source texts of the arguments of the call.
        frame = next((one for one in self._question.frames if one.code == self.place), None)
        if frame is None:
            return []
        statement = _statements(self._one.places, frame)[-1]
        return call_statements.arguments(statement, operation.call.procedure)

    def _certain_owner(self, first: int, end: int, serial: int) -> Owner | None:
        # The object that contains byte `first`; `end` may lie behind the object.
        known = self._owner(first, end)
        is_sure = known is not None and (not known.is_current or self._is_inside(serial))
        return known.owner if known is not None and is_sure else self._heap_block(first)

    def _of_passed(self, passed: _Passed) -> Iterator[Finding]:
        access, party = passed.access, passed.party
        self._keep(access.region.low)
        serial = access.operation.call.serial
        unmapped = mapped_memory.small_outside(access, self._question.gaps)
        if unmapped is not None:
            yield unmapped
            return
        if self._is_temporary(access):
            yield compiler_temporaries.finding(access.operation, access.buffer, party)
            return
        before = self._before(access, party)
        if before is not None:
            yield before
            return
        owners = filter(None, self._owners_of(access, serial))
        found = next(
            filter(None, (buffer_bounds.check(access, one, party) for one in owners)), None
        )
        if found is not None:
            yield found
            return
        if not self._question.python:
            yield from self._overwritten(access, party)
        for part in passed.parts:
            every = list(self._holders(part.address))
            uses = [_use(one, part.address) for one in every]
            found = datatype_fit.check(access.operation, access.buffer, part, uses, party)
            certain = any(isinstance(one, Holder) and _has_sure_type(one) for one in every)
            # The argument of a template lost its name: std::vector<int64_t> is one of long.
            if not any(isinstance(one, Holder) and one.is_counted for one in every):
                found = found or long_sizes.check(access.buffer, part, uses, party)
            if found is not None and (certain or self._is_inside(serial)):
                yield found
                return

    def _before(self, access: Access, party: Party) -> Finding | None:
        # A Python array may be a view of a part of another.
        address, (first, end) = access.buffer.address, (access.region.low, access.region.high)
        if first >= address or self._question.python:
            return None
        owner = self._certain_owner(address, end, access.operation.call.serial)
        return None if owner is None else buffer_bounds.check_start(access, owner, party)

    def _overwritten(self, access: Access, party: Party) -> Iterator[Finding]:
        first = access.region.low
        every = (one for one in self._variables(first) if isinstance(one, Holder))
        sure = [one for one in every if _is_sure(one)]
        uses = [use for one in sure if (use := _use(one, first)) is not None]
        found = overwritten_containers.check(access, uses, party)
        if found is not None:
            yield found

    def _is_temporary(self, access: Access) -> bool:
        # Without optimization, each variable in a frame has an address in the debug information.
        # Optimized code may hide a variable, so the statement must show a copy, too.
        address = access.buffer.address
        if not compiler_temporaries.may_apply(access.operation) or self._question.python:
            return False
        with contextlib.suppress(*damage()):
            scopes = self._all_scopes()
            caller = next((one for one in scopes if one.is_caller), None)
            if caller is None or not debug_types.is_fortran(caller.entry):
                return False
            call = access.operation.call
            if caller.statements and not compiler_temporaries.passes_strided_section(
                caller.statements[-1], call.procedure
            ):
                return False
            found = next(holders.holders(scopes, address, self._memory), None)
            return call.frame < address < caller.cfa and found is None
        return False

    def _all_scopes(self) -> list[Scope]:
        if self._scopes is None:
            self._scopes = list(_scopes(self._one.places, self._question, self.place))
        return self._scopes

    def _keep(self, address: int) -> None:
        # Declared variables come first, because pointers lead to them.
        if self._question.python:
            return
        every = [one for one in self._variables(address) if isinstance(one, Holder)]
        self.known += sorted(every, key=lambda one: not one.is_declared)

    def _owners_of(self, access: Access, serial: int) -> Iterator[Owner | None]:
        # The object that contains the buffer's first byte, and the object at the buffer's address:
        # the displacements of a datatype may lead outside that.
        (first, end), start = (access.region.low, access.region.high), access.buffer.address
        yield self._certain_owner(first, end, serial)
        whole = self._certain_owner(start, end, serial) if start < first else None
        yield whole if whole is not None and whole.low == start else None

    def _is_inside(self, serial: int) -> bool:
        # Return whether the call has not returned yet. Then memory that was read after the query is
        # valid.
        self._one.refresh()
        threads = (one for one in self._one.registry.threads() if isinstance(one, Thread))
        return any(
            thread.tid == self._question.tid
            and thread.call is not None
            and thread.call.serial == serial
            for thread in threads
        )

    def _holders(self, address: int) -> Iterator[Holder | Untyped]:
        # The variables of the interpreter and of mpi4py do not belong to the program.
        if self._question.python:
            yield from python_holders.holders(self._arrays, address)
        else:
            yield from self._variables(address)

    def _variables(self, address: int) -> Iterator[Holder | Untyped]:
        try:
            yield from holders.holders(self._all_scopes(), address, self._memory)
        except damage():
            return

    def _owner(self, first: int, end: int) -> _Candidate | None:
        # The smallest object that certainly contains the address: the used elements of a container,
        # a dynamic array, or a variable.
        if self._question.python:
            of_python = python_holders.owner(self._arrays, first)
            return None if of_python is None else _Candidate(of_python, False)
        every = self._variables(first)
        found = [one for one in every if isinstance(one, Holder)]
        known = [one for one in found if self._is_whole(one)]
        counted = next((one for one in found if one.is_counted and self._is_filled(one)), None)
        if counted is not None:
            return _candidate(counted, _elements(counted), "container")
        declared = max(known, key=lambda one: one.high or 0, default=None)
        static = self._one.places.widest_variable(first)
        high = 0 if declared is None else declared.high or 0
        if static is not None and static.high > high:
            fortran = declared is not None and declared.layout.fortran
            return _Candidate(Owner(static.low, static.high, _named(static, fortran)), False)
        # A static variable without a symbol may be a part of a larger one.
        if declared is None or (declared.is_static and static is None and not declared.is_current):
            return None
        with contextlib.suppress(*damage()):
            # Compilers may merge equal calls of two blocks whose variables share memory.
            if holders.end_in_frames(self._scopes or [], first, self._memory) >= max(end, high + 1):
                return None
        return _candidate(declared, declared.layout.described)

    def _is_whole(self, holder: Holder) -> bool:
        # A Fortran pointer may point to a part of an array. It points to a whole heap block if both
        # have the same size.
        if not holder.is_view:
            return holder.is_declared and holder.high is not None
        block = self._heap_block(holder.low)
        return block is not None and _is_memory_of(holder._replace(full=holder.high or 0), block)

    def _is_filled(self, holder: Holder) -> bool:
        # The elements of a container lie in the heap. Before the container is constructed, its
        # pointers are random.
        known = self._heap_block(holder.low)
        if holder.is_reached:
            return known is not None and _is_memory_of(holder, known)
        every = (one for one in self._variables(holder.low) if isinstance(one, Holder))
        within = (one for one in every if one.is_declared and not one.is_counted)
        if known is not None:
            return True
        return not any(one.low <= holder.low < (one.high or 0) for one in within)

    def _heap_block(self, first: int) -> Owner | None:
        for low, high in self._question.heap_blocks:
            if low <= first < high:
                size = wording.counted(high - low, "byte")
                where = "memory of a window" if (low, high) in self._windows else "the heap"
                return Owner(low, high, f"a block of {where} with {size}")
        return None


def _candidate(holder: Holder, text: str, case: str = "object") -> _Candidate:
    fortran = holder.layout.fortran
    owner = Owner(holder.low, holder.high or 0, text, case, _unit(holder), fortran)
    return _Candidate(owner, holder.is_current)


def _named(static: Symbol, fortran: bool) -> str:
    # Compilers append an underscore to the name of a common block.
    size = wording.counted(static.high - static.low, "byte")
    is_common = fortran and static.name.endswith("_")
    name = f"common block /{static.name[:-1]}/" if is_common else static.name
    return f"{name} ({size})"


def _unit(holder: Holder) -> Type:
    # The innermost element type of an array of any number of dimensions.
    kind = holder.layout.kind
    while isinstance(kind, Array) and not kind.text:
        kind = kind.element
    return kind


def _is_sure(holder: Holder) -> bool:
    return holder.is_declared and not holder.is_current


def _has_sure_type(holder: Holder) -> bool:
    is_pointer = holder.is_of_caller and holder.high is None
    return (holder.is_declared or is_pointer) and not holder.is_current


def _is_memory_of(holder: Holder, block: Owner) -> bool:
    # A destroyed container may still have the address of a heap block, but hardly the block's size.
    has_pages = holder.low % _PAGE == _HEAD
    most = _PAGE + _ROUNDED if has_pages else _ROUNDED
    return block.low == holder.low and 0 <= block.high - holder.full < most


def _elements(holder: Holder) -> str:
    kind = holder.layout
    number = wording.counted((holder.high or 0) - holder.low, "byte")
    return f"{kind.name} (elements in use: {number})"


def _use(holder: Holder | Untyped, address: int) -> Use | None:
    if isinstance(holder, Untyped):
        return None
    is_open = holder.high is None
    is_typed = is_open and holder.is_of_caller
    return Use(holder.layout, address - holder.low, is_open, holder.is_declared, is_typed)


def _scopes(places: Places, question: Question, place: int) -> Iterator[Scope]:
    for frame in question.frames:
        scope = variable_names.scope_of(places, frame)
        if scope is not None:
            statements = (
                _statements(places, frame) if debug_types.is_optimized(scope.unit) else None
            )
            yield scope._replace(is_caller=frame.code == place, statements=statements)


def _statements(places: Places, frame: StackFrame) -> tuple[str, ...]:
    # The statements of the function and of those that are inlined there, outermost first.
    return tuple(map(_SOURCES.statement, reversed(places.calls(frame.code))))
