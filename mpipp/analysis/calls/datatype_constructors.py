# SPDX-License-Identifier: MIT
"""Check of the arguments of datatype constructors (MPI-4.1, sections 5.1.2 to 5.1.4 and 5.1.9).

The check runs while the constructor is active: an MPI library that checks its arguments ends the
program there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Union

from mpipp.analysis.calls.argument_messages import missing_arrays
from mpipp.analysis.context.process import Process
from mpipp.analysis.findings.finding import Finding, Findings
from mpipp.model import Constructor, DatatypeRecord
from mpipp.render.phrases import Value

_NOT_NEGATIVE = ("count", "blocklength", "blocklengths")
_OF_ARRAYS = ("SUBARRAY", "DARRAY")
_POSITIVE = ("ndims", "size", "sizes", "subsizes", "gsizes", "psizes")

_Value = Union[int, tuple[int, ...], None]


class _Problem(NamedTuple):
    rule: str  # id of the violated rule
    facts: Mapping[str, Value] = {}
    freed: DatatypeRecord | None = None


def check(process: Process) -> Findings:
    """Yield the first error of every active constructor."""
    for operation in process.operations:
        constructor = operation.call.constructor
        if constructor is None:
            continue
        for problem in _problems(constructor, operation.call.procedure):
            freed = problem.freed
            freeing = process.freeing_call(freed) if freed is not None else []
            yield Finding.of(problem.rule, [operation.party(), *freeing], **problem.facts)
            break


def _problems(constructor: Constructor, procedure: str) -> Iterator[_Problem]:
    arguments = constructor.arguments
    yield from _nulls(constructor.combiner, arguments)
    yield from _signs(constructor.combiner, arguments)
    if constructor.combiner == "SUBARRAY":
        yield from _subarray(arguments)
    if constructor.combiner == "DARRAY":
        yield from _darray(arguments)
    yield from _types(constructor, procedure)


def _nulls(combiner: str, arguments: Mapping[str, _Value]) -> Iterator[_Problem]:
    length = arguments.get("ndims", arguments.get("count", 0))
    for facts in missing_arrays(arguments, dict.fromkeys(arguments, length)):
        rule = "null-array"
        rule = f"{combiner.lower()}-{rule}" if combiner in _OF_ARRAYS else rule
        yield _Problem(rule, facts)


def _signs(combiner: str, arguments: Mapping[str, _Value]) -> Iterator[_Problem]:
    for name, least in [(n, 0) for n in _NOT_NEGATIVE] + [(n, 1) for n in _POSITIVE]:
        found = _below(arguments.get(name), least)
        if found is None:
            continue
        where, value = found
        rule = "negative-length"
        if combiner in _OF_ARRAYS:
            rule = f"{combiner.lower()}-{'negative' if value < 0 else 'zero'}-size"
        entry = f"{name}{where}"
        yield _Problem(rule, {"argument": name, "entry_argument": entry, "number": value})


def _below(value: _Value, least: int) -> tuple[str, int] | None:
    # The place of a number that is too small: "" or "[i]", and the number.
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
            facts = {"index": i, "number": subsize, "whole_number": size}
            yield _Problem("subarray-too-large", facts)
        elif not 0 <= start <= size - subsize:
            yield _Problem(
                "subarray-negative-start" if start < 0 else "subarray-outside",
                {"index": i, "number": start, "last_number": size - subsize},
            )


def _darray(arguments: Mapping[str, _Value]) -> Iterator[_Problem]:
    size, rank, grid = arguments.get("size"), arguments.get("rank"), arguments.get("psizes")
    if isinstance(size, int) and isinstance(rank, int) and not 0 <= rank < size:
        yield _Problem("darray-rank", {"rank": rank, "last_number": size - 1})
    if isinstance(grid, tuple) and isinstance(size, int) and math.prod(grid) != size:
        yield _Problem("darray-grid", {"product_number": math.prod(grid), "number": size})


def _types(constructor: Constructor, procedure: str) -> Iterator[_Problem]:
    if constructor.types is None:
        yield _Problem("null-types")
        return
    for name, found in zip(constructor.type_names, constructor.types):
        if not isinstance(found, DatatypeRecord):
            continue
        if found.header.null:
            facts = {"argument": name, "constant": found.header.name}
            yield _Problem("null-oldtype", facts)
        elif found.header.freed:
            yield _Problem("freed-oldtype", {"argument": name}, found)
        elif found.header.predefined and procedure == "MPI_Type_free":
            facts = {"argument": name, "constant": found.header.name}
            yield _Problem("predefined-freed", facts)
