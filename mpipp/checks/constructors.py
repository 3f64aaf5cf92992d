# SPDX-License-Identifier: MIT
"""Are the arguments of a datatype constructor ones that the standard allows?

Seen while the constructor is called: an MPI library that checks them ends the program there. The
rules are those of MPI-4.1, sections 5.1.2 to 5.1.4 and 5.1.9.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Union

from mpipp.checks.finding import Finding, Findings
from mpipp.checks.process import Process
from mpipp.model import Constructor, DatatypeRecord

_NEGATIVE = "MUST_ERROR_INTEGER_NEGATIVE"
_SECTIONS = {"SUBARRAY": "5.1.3", "DARRAY": "5.1.4", "NAMED": "5.1.9"}
_NOT_NEGATIVE = ("count", "blocklength", "blocklengths")
_POSITIVE = ("ndims", "size", "sizes", "subsizes", "gsizes", "psizes")

_Value = Union[int, tuple[int, ...], None]


class _Problem(NamedTuple):
    what: str
    rule: str  # what is demanded
    advice: str
    must: str = ""


def check(process: Process) -> Findings:
    """The first thing wrong with every constructor that is being called."""
    for operation in process.operations:
        constructor = operation.call.constructor
        if constructor is None:
            continue
        for problem in _problems(constructor, operation.call.procedure):
            section = _SECTIONS.get(constructor.combiner, "5.1.2")
            yield Finding(
                "constructor-argument",
                "error",
                problem.what,
                (operation.party(),),
                f"MPI-4.1, section {section}: {problem.rule}",
                problem.advice,
                problem.must,
            )
            break


def _problems(constructor: Constructor, procedure: str) -> Iterator[_Problem]:
    arguments = constructor.arguments
    yield from _nulls(arguments)
    yield from _signs(arguments)
    if constructor.combiner == "SUBARRAY":
        yield from _subarray(arguments)
    if constructor.combiner == "DARRAY":
        yield from _darray(arguments)
    yield from _types(constructor, procedure)


def _nulls(arguments: Mapping[str, _Value]) -> Iterator[_Problem]:
    for name, value in arguments.items():
        length = arguments.get("ndims", arguments.get("count", 0))
        if value is None and isinstance(length, int) and length > 0:
            yield _Problem(
                f"{name} is a null pointer, but {length} entries are needed",
                "an array argument has an entry for each block or dimension",
                f"pass an array of {length} as {name}",
                "MUST_ERROR_POINTER_NULL",
            )


def _signs(arguments: Mapping[str, _Value]) -> Iterator[_Problem]:
    for name, least in [(n, 0) for n in _NOT_NEGATIVE] + [(n, 1) for n in _POSITIVE]:
        found = _below(arguments.get(name), least)
        if found is None:
            continue
        where, value = found
        allowed = "negative" if least == 0 else "less than 1"
        yield _Problem(
            f"{name}{where} is {value}",
            f"{name} must not be {allowed}",
            f"look where {name}{where} is computed",
            _NEGATIVE if value < 0 else "",
        )


def _below(value: _Value, least: int) -> tuple[str, int] | None:
    # Where a number is less than allowed: "" or "[i]", and the number.
    if isinstance(value, int):
        return ("", value) if value < least else None
    for i, item in enumerate(value or ()):
        if item < least:
            return f"[{i}]", item
    return None


def _dimensions(arguments: Mapping[str, _Value], *names: str) -> Iterator[Sequence[int]]:
    arrays = [value for value in map(arguments.get, names) if isinstance(value, tuple)]
    if len(arrays) == len(names):
        yield from zip(*arrays)


def _subarray(arguments: Mapping[str, _Value]) -> Iterator[_Problem]:
    numbered = enumerate(_dimensions(arguments, "sizes", "subsizes", "starts"))
    for i, (size, subsize, start) in numbered:
        if subsize > size:
            yield _Problem(
                f"subsizes[{i}] is {subsize}, but sizes[{i}] only {size}",
                "a subarray is no larger than the array",
                "compare the order of the dimensions in sizes and subsizes",
            )
        elif not 0 <= start <= size - subsize:
            yield _Problem(
                f"starts[{i}] is {start}, but the subarray fits from 0 to {size - subsize}",
                "a subarray lies inside of the array: 0 <= start <= size - subsize",
                "count starts from 0, in Fortran too",
                _NEGATIVE if start < 0 else "",
            )


def _darray(arguments: Mapping[str, _Value]) -> Iterator[_Problem]:
    size, rank, grid = arguments.get("size"), arguments.get("rank"), arguments.get("psizes")
    if isinstance(size, int) and isinstance(rank, int) and not 0 <= rank < size:
        yield _Problem(
            f"rank is {rank}, but the ranks are 0 to {size - 1}",
            "rank is one of size processes",
            "pass the rank in the group that shares the array",
        )
    if isinstance(grid, tuple) and isinstance(size, int) and math.prod(grid) != size:
        yield _Problem(
            f"psizes describe {math.prod(grid)} processes, but size is {size}",
            "the process grid has size processes",
            "let MPI_Dims_create fill psizes for that many processes",
        )


def _types(constructor: Constructor, procedure: str) -> Iterator[_Problem]:
    if constructor.types is None:
        yield _Problem(
            "types is no array that can be read",
            "a datatype is given for each block",
            "pass an array of datatypes",
            "MUST_ERROR_POINTER_NULL",
        )
        return
    for i, found in enumerate(constructor.types):
        if not isinstance(found, DatatypeRecord):
            continue
        name = "datatype" if constructor.combiner == "NAMED" else "oldtype"
        name = f"types[{i}]" if constructor.combiner == "STRUCT" else name
        if found.header.null:
            yield _Problem(
                f"{name} is {found.header.name}",
                "a datatype is needed, the null handle is none",
                "the variable may never have been set, or the datatype was freed through it",
                "MUST_ERROR_DATATYPE_NULL",
            )
        elif found.header.freed:
            yield _Problem(
                f"{name} was freed",
                "a handle that was freed must not be used",
                "free the datatype after its last use",
                "MUST_ERROR_DATATYPE_UNKNOWN",
            )
        elif found.header.predefined and procedure == "MPI_Type_free":
            yield _Problem(
                f"{name} is {found.header.name}, which is predefined",
                "a predefined datatype must not be freed",
                "free only what a constructor made",
            )
