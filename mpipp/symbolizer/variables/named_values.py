# SPDX-License-Identifier: MIT
"""The value of a variable, or of a part of it, in the functions on a stack."""

from __future__ import annotations

import itertools
import math
import operator
import struct
import sys
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from mpipp.common.errors import MpippError
from mpipp.program_types.types import Scalar, Type
from mpipp.ranks.values import Number, Shape, Value
from mpipp.symbolizer.inlined_functions import name_of
from mpipp.symbolizer.stack_variables import visible_at_lines
from mpipp.symbolizer.variables import access_path, debug_types, frame_values
from mpipp.symbolizer.variables.access_path import AccessPath, Member
from mpipp.symbolizer.variables.debug_types import NoLayout
from mpipp.symbolizer.variables.expressions import CallMemory, Frame, Unknown
from mpipp.symbolizer.variables.frame_values import Style
from mpipp.symbolizer.variables.locations import Values, expression, located
from mpipp.symbolizer.variables.program_objects import Object, Objects
from mpipp.symbolizer.variables.scope import Scope, is_later, static_variables

_MOST_ELEMENTS = 1 << 20  # elements of an array
_SHOWN = 64  # elements of an array in the text
_PLACES = ("DW_AT_location", "DW_AT_const_value")
_EXACT = Style(elements=_SHOWN, digits=(9, 17), string=200)
_NUMBERS = ("signed", "unsigned", "bool", "logical", "float")
_LETTERS = {"float": {4: "f", 8: "d"}, "": {1: "b", 2: "h", 4: "i", 8: "q"}}


class Found(NamedTuple):
    """A value, and the function whose variable it is; "" for a static variable."""

    value: Value
    function: str


class _Variable(NamedTuple):
    entry: Any
    scope: Scope
    frame: Frame
    function: str


def value(text: str, rank: int, scopes: Sequence[Scope], memory: CallMemory) -> Found:
    """Return the value of an expression.

    mpipp searches the functions on the stack, innermost first, then the static variables of their
    source files.

    Args:
        text: the expression, see `access_path`.
        rank: the rank that the result names.
        scopes: the functions.
        memory: the memory of the process.

    Raises MpippError if the expression has no value, and pyelftools' exceptions for damaged data.
    """
    path = access_path.parsed(text)
    variable = next(_variables(path.name, scopes, memory), None)
    if variable is None:
        raise MpippError(f"no function on the stack, and no source file of theirs, has {path.name}")
    try:
        return Found(_value(path, rank, variable), variable.function)
    except (Unknown, NoLayout, IndexError):
        raise MpippError(
            f"{text} has no value that mpipp can read here: the compiler may have optimized it away"
        ) from None


def _variables(name: str, scopes: Sequence[Scope], memory: CallMemory) -> Iterator[_Variable]:
    for scope in scopes:
        frame = scope.frame(memory)
        every = visible_at_lines(scope.entry, scope.address, scope.line, scope.debug)
        known = [entry for entry, line in every if not is_later(entry, line)]
        function = name_of(scope.entry)
        # The innermost block comes last.
        for entry in reversed(known):
            if _is_named(entry, name):
                is_local = "DW_AT_external" not in entry.attributes
                yield _Variable(entry, scope, frame, function if is_local else "")
        this = next((entry for entry in known if name_of(entry) == "this"), None)
        kind = debug_types.target(this) if this is not None else None
        if kind is not None and _objects(scope, frame)[0].has_member(kind, name):
            yield _Variable(this, scope, frame, function)
    for entry, scope, frame in static_variables(scopes, memory):
        if _is_named(entry, name) and any(one in entry.attributes for one in _PLACES):
            yield _Variable(entry, scope, frame, "")


def _is_named(entry: Any, name: str) -> bool:
    # Names in Fortran are not case-sensitive, and compilers write them in lower case.
    return name_of(entry) == (name.lower() if debug_types.is_fortran(entry) else name)


def _objects(scope: Scope, frame: Frame) -> tuple[Objects, Frame, Values]:
    values = Values(frame.memory)
    frame = frame._replace(memory=values)
    return Objects(scope, frame, values), frame, values


def _value(path: AccessPath, rank: int, variable: _Variable) -> Value:
    objects, frame, values = _objects(variable.scope, variable.frame)
    kind = debug_types.target(variable.entry)
    if kind is None:
        raise Unknown
    found = objects.object(kind, _address(variable, kind, frame, values), path.name)
    name, steps = path.name, path.steps
    if not _is_named(variable.entry, path.name):  # a member of *this
        name, steps = "this", (Member(path.name, is_pointed=True), *steps)
    for step in steps:
        is_fortran = found.is_fortran
        found = objects.part(found, step, name)
        name = access_path.spelled(name, step, is_fortran)
    return _shown(found, rank, frame)


def _address(variable: _Variable, kind: Any, frame: Frame, values: Values) -> int:
    entry, scope = variable.entry, variable.scope
    code = expression(entry, scope.address, scope.debug)
    if code:
        return located(code, frame, values)
    constant = entry.attributes.get("DW_AT_const_value")
    if constant is None:
        raise Unknown
    if isinstance(constant.value, int):
        number = constant.value % (1 << 128)
        return values.place([number.to_bytes(16, sys.byteorder)[: debug_types.size(kind) or 0]])
    return values.place([bytes(constant.value)])


def _shown(found: Object, rank: int, frame: Frame) -> Value:
    if not found.dimensions:
        kind = debug_types.stripped(found.kind)
        if debug_types.is_pointer(kind):
            return Value(rank, frame_values.pointer(kind, frame.word(found.at), frame))
        model = debug_types.model(found.kind)
        text = _enumerator(kind, model, found.at, frame) or _text(model, found.at, frame)
        return Value(rank, text, _numbers(found, model, frame))
    model = debug_types.model(found.kind)
    counts, lows = ([getattr(one, name) for one in found.dimensions] for name in ("length", "low"))
    shape = Shape(tuple(counts), tuple(lows), found.is_fortran)
    if isinstance(model, Scalar) and (model.kind, model.size) == ("char", 1) and len(counts) == 1:
        data = frame.memory.read(found.at, min(counts[0], _EXACT.string))
        return Value(rank, frame_values.string(data, _EXACT.string))
    text = "".join(_nested(found, model, frame, [_SHOWN]))
    return Value(rank, text, _numbers(found, model, frame), shape)


def _text(model: Type, at: int, frame: Frame) -> str:
    return "".join(frame_values.parts(model, at, frame, _EXACT))


def _enumerator(kind: Any, model: Type, at: int, frame: Frame) -> str:
    # The name of an enumeration's value, "" for other types and values.
    if kind.tag != "DW_TAG_enumeration_type" or not isinstance(model, Scalar):
        return ""
    number = frame_values.scalar(model, frame.memory.read(at, model.size), _EXACT)
    for one in debug_types.children(kind):
        known = one.attributes.get("DW_AT_const_value")
        if known is not None and str(known.value) == number:
            return name_of(one)
    return ""


def _nested(found: Object, model: Type, frame: Frame, left: list[int]) -> Iterator[str]:
    # The elements in braces, dimension by dimension; `left` is the number of elements still to
    # show.
    if not found.dimensions:
        left[0] -= 1
        yield _text(model, found.at, frame)
        return
    # Fortran's last index is the outermost dimension in memory.
    outer = found.dimensions[-1] if found.is_fortran else found.dimensions[0]
    rest = found.dimensions[:-1] if found.is_fortran else found.dimensions[1:]
    yield "(" if found.is_fortran else "{"
    for number in range(outer.length):
        yield ", " if number else ""
        if left[0] <= 0:
            yield "..."
            break
        yield from _nested(
            Object(found.kind, found.at + number * outer.stride, rest), model, frame, left
        )
    yield ")" if found.is_fortran else "}"


def _numbers(found: Object, model: Type, frame: Frame) -> tuple[Number, ...] | None:
    # The elements in the order of memory; None if they are not numbers.
    if not isinstance(model, Scalar) or model.kind not in _NUMBERS:
        return None
    letter = _LETTERS["float" if model.kind == "float" else ""].get(model.size)
    dimensions = found.dimensions if found.is_fortran else found.dimensions[::-1]
    count = math.prod(one.length for one in dimensions)
    if letter is None or not 0 < count <= _MOST_ELEMENTS:
        return None
    letter = letter if model.kind in ("signed", "float") else letter.upper()
    if not _is_dense(found, model.size):
        # The first of these dimensions varies fastest.
        places = itertools.product(*(range(one.length) for one in reversed(dimensions)))
        strides = [one.stride for one in reversed(dimensions)]
        data = b"".join(
            frame.memory.read(found.at + sum(map(operator.mul, place, strides)), model.size)
            for place in places
        )
    else:
        data = frame.memory.read(found.at, count * model.size)
    return struct.unpack(f"={count}{letter}", data)


def _is_dense(found: Object, size: int) -> bool:
    dimensions = found.dimensions if found.is_fortran else found.dimensions[::-1]
    for one in dimensions:
        if one.stride != size and one.length > 1:
            return False
        size *= one.length
    return True
