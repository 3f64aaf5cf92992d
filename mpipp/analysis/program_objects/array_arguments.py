# SPDX-License-Identifier: MIT
"""Check of statuses, requests and integer arrays of a call against the program's variables.

MPI gets only their address. It reads or writes as many elements as the call says (MPI-4.1, sections
2.5.2 and 3.2.5).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mpipp.analysis.context.process import Operation
from mpipp.analysis.findings.finding import Finding, Party
from mpipp.analysis.program_objects.buffer_bounds import Owner
from mpipp.analysis.program_objects.datatype_fit import Use
from mpipp.model import ArrayArgument
from mpipp.program_types import types
from mpipp.program_types.compare import Layout
from mpipp.program_types.types import Array, Index, Path, Record, Scalar, Type
from mpipp.render.phrases import Phrase

_FIRST_ADDRESS = 4096  # constants such as MPI_STATUS_IGNORE are below it
_LONGEST = 4096  # bytes whose members are checked one by one
_ADDRESS = 8  # bytes of a pointer
_FORTRAN_INTEGER = 4  # bytes, as C's int; a status is an array of these
_POINTERS = ("attribute_val", "baseptr")
_INTEGERS = ("signed", "unsigned", "enum", "logical", "wchar")
_NUMBERS = (*_INTEGERS, "float", "complex")


class Argument(NamedTuple):
    """An argument that MPI gets by its address: `length` elements of `size` bytes."""

    name: str
    address: int
    length: int
    size: int
    kind: str  # kind of an element: "status" "request" "integer"; "memory" for a window's memory;
    # "result" for a single integer that MPI stores, "pointer" for an address that it stores
    is_result: bool = False  # whether MPI stores to the array

    @property
    def is_single(self) -> bool:
        """Return whether MPI stores one integer or address there."""
        return self.kind in ("result", "pointer")

    @property
    def bytes(self) -> int:
        """The bytes of all elements."""
        return self.length * self.size


class _Run(NamedTuple):
    # Contiguous elements in a variable: an array, or a single element.
    layout: Layout
    start: int  # bytes from the beginning of the variable
    unit: Type  # the type at the argument's address


def arguments(operation: Operation) -> Iterator[Argument]:
    """Yield the arguments of an active call that are arrays, or a status."""
    call, info = operation.call, operation.process.registry.info
    every = [
        Argument(one.name, one.address, one.length, one.size, _kind(one), one.is_result)
        for one in call.arrays
    ]
    many = call.request_count
    if call.requests and not call.buffers:
        name = "request" if _has_one_request(call.procedure) else "array_of_requests"
        every.append(Argument(name, call.requests, many, info.handle_size, "request"))
    if call.statuses and info.status_size:
        is_array = call.facts.statuses == "array_of_statuses"
        number = many if is_array else 1
        every.append(
            Argument(call.facts.statuses, call.statuses, number, info.status_size, "status")
        )
    if call.indices:
        indices = Argument(
            "array_of_indices", call.indices, many, _FORTRAN_INTEGER, "integer", True
        )
        every.append(indices)
    every += _window_memory(operation)
    for one in every:
        if one.address >= _FIRST_ADDRESS and one.length > 0 and one.size > 0:
            yield one


def _kind(argument: ArrayArgument) -> str:
    if not argument.is_result or argument.length != 1:
        return "integer"
    return "pointer" if argument.name in _POINTERS else "result"


def _window_memory(operation: Operation) -> Iterator[Argument]:
    given = operation.call.arguments
    base, size = given.get("base"), given.get("size")
    if isinstance(base, int) and isinstance(size, int):
        yield Argument("base", base, 1, size, "memory")


def _has_one_request(procedure: str) -> bool:
    return not procedure.endswith(("all", "any", "some"))


def check(
    operation: Operation,
    argument: Argument,
    uses: Sequence[Use],
    owner: Owner | None,
    party: Party,
    texts: Sequence[str] = (),
) -> Finding | None:
    """Return the finding for an argument that exceeds its variable, or has another type, or None.

    Args:
        uses: the variables at its address.
        owner: the object with its first byte; None if it is unknown.
        party: the operation.
        texts: the source texts of the call's arguments.
    """
    is_memory = argument.kind == "memory"
    is_counted = owner is not None and owner.case == "container"
    if owner is not None and (is_memory or is_counted) and _exceeds(argument, owner):
        return _overrun(operation, argument, owner.text, owner.case, party)
    by_value = _passed_by_value(uses, texts) if argument.kind == "pointer" else None
    if by_value is not None:
        return _pointer_by_value(operation, argument, by_value, party)
    declared = [use for use in uses if use.is_declared and not use.is_open and not is_memory]
    runs = [_run(use, argument.size) for use in declared]
    if runs:
        found = [_of_run(operation, argument, use, run, party) for use, run in zip(declared, runs)]
        wrong = [one for one in found if one is not None]
        if len(wrong) < len(found):
            return None
        # A Fortran common block may hold an array as several variables.
        is_member = any(one.origin + argument.bytes <= one.layout.kind.size for one in declared)
        is_certain = argument.kind == "status" or is_member
        if is_certain or owner is None or _exceeds(argument, owner):
            return wrong[0]
        return wrong[0] if wrong[0].rule.id == "argument-type" else None
    if owner is None or not _exceeds(argument, owner):
        return None
    return _overrun(operation, argument, owner.text, owner.case, party)


def _exceeds(argument: Argument, owner: Owner) -> bool:
    return argument.address + argument.bytes > owner.high


def _of_run(
    operation: Operation, argument: Argument, use: Use, run: _Run, party: Party
) -> Finding | None:
    kind = run.layout.kind
    room = run.start + kind.size - use.origin
    if argument.is_single and room < argument.bytes:
        return _small_result(operation, argument, run, party)
    if _is_of_other_type(argument, run.unit):
        return _other_type(operation, argument, run, party)
    if room >= argument.bytes:
        return _inside(operation, argument, use, run, party)
    # MPI would change the variables behind an array.
    changes_others = argument.is_result and isinstance(kind, Array)
    if argument.kind != "status" and not changes_others and _are_integers(argument, use):
        return None
    return _overrun(operation, argument, run.layout.described, "object", party)


def _run(use: Use, size: int) -> _Run:
    # The array at the argument's address. Nested arrays count as one; inside a record, the run is
    # a member.
    kind, path, start = use.layout.kind, Path(), 0
    run: tuple[Type, Path, int] = (kind, path, start)
    while True:
        offset = use.origin - start
        if isinstance(kind, Array) and kind.distance and not kind.text:
            number = min(offset // kind.distance, kind.count - 1)
            if number < 0:
                break
            path, start = (*path, Index(kind, number)), start + number * kind.distance
            kind = kind.element
        elif isinstance(kind, Record) and not kind.union and (offset or kind.size != size):
            member = _member(kind, offset)
            if member is None:
                break
            path, start, kind = (*path, member.name), start + member.offset, member.type
            run = (kind, path, start)
        else:
            break
    whole, inside, begin = run
    return _Run(use.layout.part(inside, whole), begin, kind)


def _member(kind: Record, offset: int) -> types.Member | None:
    inside = (one for one in kind.members if 0 <= offset - one.offset < one.type.size)
    return next(inside, None)


def _is_of_other_type(argument: Argument, unit: Type) -> bool:
    if not isinstance(unit, Scalar) or unit.kind not in _NUMBERS or unit.size == 1:
        return False
    if argument.kind == "status":
        return unit.size != _FORTRAN_INTEGER or unit.kind not in _INTEGERS
    return unit.size != argument.size or unit.kind not in _INTEGERS


def _are_integers(argument: Argument, use: Use) -> bool:
    # A struct of three ints, for example, may stand for an array of three.
    if argument.bytes > _LONGEST:
        return False
    at, end = use.origin, use.origin + argument.bytes
    for _, offset, scalar in types.within(use.layout.kind, at, end):
        if offset != at or _is_of_other_type(argument, scalar):
            return False
        at += scalar.size
    return at == end


def _size(argument: Argument) -> Phrase:
    if argument.kind == "memory":
        return Phrase.of("the window has {bytes}", bytes=argument.size)
    number = argument.bytes // _FORTRAN_INTEGER
    if argument.kind == "status" and argument.length == 1:
        template = "a status has {bytes}, in Fortran {integer_number} integers (MPI_STATUS_SIZE)"
        return Phrase.of(template, bytes=argument.bytes, integer_number=number)
    noun = {"status": "statuses", "request": "requests"}.get(argument.kind, "elements")
    template = "{argument} has {element_number} {noun} of {bytes}"
    return Phrase.of(
        template,
        argument=argument.name,
        element_number=argument.length,
        noun=noun,
        bytes=argument.size,
    )


def _overrun(
    operation: Operation, argument: Argument, text: str, case: str, party: Party
) -> Finding:
    rules = {"status": "short-status", "memory": "beyond-object"}
    return Finding.of(
        rules.get(argument.kind, "short-array"),
        [party.with_details(_size(argument))],
        case,
        argument=argument.name,
        procedure=operation.call.procedure,
        variable=text,
    )


def _other_type(operation: Operation, argument: Argument, run: _Run, party: Party) -> Finding:
    unit = run.unit
    size = _FORTRAN_INTEGER if argument.kind == "status" else argument.size
    own = unit.name if isinstance(unit, Scalar) else run.layout.type
    detail = Phrase.of(
        "{argument} has integers of {bytes}, {type_name} has {own_bytes}",
        argument=argument.name,
        bytes=size,
        type_name=own,
        own_bytes=unit.size,
    )
    return Finding.of(
        "argument-type",
        [party.with_details(detail)],
        argument=argument.name,
        procedure=operation.call.procedure,
        variable=run.layout.described,
    )


def _passed_by_value(uses: Sequence[Use], texts: Sequence[str]) -> Use | None:
    # A pointer of the caller to numbers that are no addresses, which the statement names. Others
    # may have pointed to the memory before the program freed it.
    named = (use for use in uses if use.is_open and use.is_of_caller and not use.origin)
    numbers = (use for use in named if not _may_be_address(use.layout.kind))
    return next((use for use in numbers if use.layout.root.removesuffix("->") in texts), None)


def _may_be_address(kind: Type) -> bool:
    if not isinstance(kind, Scalar) or kind.kind not in _NUMBERS:
        return True
    return kind.kind in _INTEGERS and kind.size == _ADDRESS


def _pointer_by_value(operation: Operation, argument: Argument, use: Use, party: Party) -> Finding:
    return Finding.of(
        "pointer-by-value",
        [party.with_details(Phrase("MPI stores the address of the memory there"))],
        argument=argument.name,
        procedure=operation.call.procedure,
        type_name=use.layout.kind.name if isinstance(use.layout.kind, Scalar) else "",
    )


def _small_result(operation: Operation, argument: Argument, run: _Run, party: Party) -> Finding:
    template = "MPI stores {bytes}, and changes the memory behind the variable"
    return Finding.of(
        "small-result",
        [party.with_details(Phrase.of(template, bytes=argument.bytes))],
        argument=argument.name,
        procedure=operation.call.procedure,
        variable=run.layout.described,
    )


def _inside(
    operation: Operation, argument: Argument, use: Use, run: _Run, party: Party
) -> Finding | None:
    # A status that begins in the middle of a status-sized row of an integer array.
    at, kind = use.origin - run.start, run.layout.kind
    is_status = argument.kind == "status" and isinstance(run.unit, Scalar)
    if not is_status or not run.layout.fortran or not at % argument.size:
        return None
    has_rows = isinstance(kind, Array) and isinstance(kind.element, Array)
    if has_rows or not kind.size % argument.size:
        return None
    first = at // _FORTRAN_INTEGER
    return Finding.of(
        "status-inside",
        [party.with_details(_size(argument))],
        argument=argument.name,
        procedure=operation.call.procedure,
        element_number=first + 1,
        variable=run.layout.described,
    )
