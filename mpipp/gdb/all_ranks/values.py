# SPDX-License-Identifier: MIT
"""The values of one expression in all inferiors, each in the program's frame that knows
its names."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import NamedTuple

import gdb

from mpipp.common.errors import MpippError
from mpipp.gdb import console, job_ranks
from mpipp.gdb.all_ranks import thread_stack
from mpipp.gdb.parser import expressions
from mpipp.gdb.printers import buffer_lookup
from mpipp.gdb.program import (
    abandoned_frames,
    arrays,
    calling_frame,
    debug_types,
    sessions,
    symbol_names,
)
from mpipp.gdb.program.inferior_memory import InferiorMemory, selected
from mpipp.gdb.program.ranks import inferiors
from mpipp.ranks.gathered_values import GatheredValues
from mpipp.ranks.values import Number, Shape, Value

_MOST_FRAMES = 64
_NAME = re.compile(r"[A-Za-z_]\w*")
_MOST_ELEMENTS = 1 << 20  # elements of an array
_SCALARS = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_FLT, gdb.TYPE_CODE_BOOL)
_FLOATS = {4: "f", 8: "d"}
_INTEGERS = {1: "b", 2: "h", 4: "i", 8: "q"}


class Values(NamedTuple):
    """The values by rank, and the inferiors whose rank is unknown."""

    by_rank: GatheredValues
    unranked: list[int]


def gathered(text: str) -> Values:
    """Evaluate an expression in every inferior. Raises MpippError if the expression has no value in
    any inferior."""
    every = inferiors()
    if not every:
        sessions.required()  # raises an error with advice
    found, unranked, numbers = GatheredValues(), list[int](), dict[int, int]()
    for inferior in every:
        with selected(inferior), sessions.also_running() as session:
            number = session.registry.info.world_rank if session is not None else None
            if number is None:
                unranked.append(inferior.num)
                continue
            other = numbers.setdefault(number, inferior.num)
            if other != inferior.num:
                raise MpippError(
                    f"inferiors {other} and {inferior.num} have rank {number}: attach to the "
                    "processes of one job"
                )
            try:
                value, function = _evaluated(text, number, inferior)
            except MpippError as error:
                found.failures[number] = str(error)
                continue
        found.values.append(value)
        found.functions[number] = function
    if not found.values:
        reasons = list(found.failures.values())
        raise MpippError(reasons[0] if reasons else "no rank of any process is known")
    return Values(found, unranked)


def _evaluated(text: str, number: int, inferior: gdb.Inferior) -> tuple[Value, str]:
    thread = _thread(inferior)
    if thread is None:
        raise MpippError(f"this process runs: stop it with {job_ranks.interrupt()}")
    with abandoned_frames.selected(thread):
        frames = list(_frames())
        # gdb also finds a static variable of any other file, which the user hardly means. So frames
        # with a local variable of this name come first.
        functions = [(frame, _function(text, frame)) for frame in frames]
        local = [one for one in functions if one[1]]
        first: MpippError | None = None
        for frame, function in local or functions:
            frame.select()
            try:
                return _value(expressions.evaluate(text), number, inferior), function
            except MpippError as error:
                first = first or error
            except gdb.error as error:
                raise MpippError(str(error).rstrip(".")) from None
    raise first or MpippError("it has no frames")


def _thread(inferior: gdb.Inferior) -> gdb.InferiorThread | None:
    # The first stopped thread in MPI, else the first stopped thread; None if all threads run.
    session = sessions.current()
    shown = thread_stack.shown_threads(inferior, session)
    stopped = [thread for thread, _ in shown if thread.is_stopped()]
    if session is not None:
        for thread in stopped:
            with abandoned_frames.selected(thread):
                if buffer_lookup.active_call(session) is not None:
                    return thread
    return next(iter(stopped), None)


def _frames() -> Iterator[gdb.Frame]:
    # Search from the frame that called MPI, or outside MPI from the newest frame of the program.
    session = sessions.current()
    call = buffer_lookup.active_call(session) if session is not None else None
    if call is not None:
        frames = abandoned_frames.frames(_MOST_FRAMES, calling_frame.user(call.site))
        yield from frames
        return
    every = list(abandoned_frames.frames(_MOST_FRAMES))
    yield from [one for one in every if not thread_stack.is_folded(one)] or every


def _function(text: str, frame: gdb.Frame) -> str:
    # The frame's function if the expression uses its local variables, else "". gdb's own look-up
    # would read the symbols of all libraries.
    names = set(_NAME.findall(text))
    try:
        block = frame.block()
    except RuntimeError:  # no debug information
        return ""
    while block is not None and not (block.is_static or block.is_global):
        if any(one.name in names and (one.is_variable or one.is_argument) for one in block):
            return symbol_names.function(frame)
        block = None if block.function is not None else block.superblock
    return ""


def _value(value: gdb.Value, number: int, inferior: gdb.Inferior) -> Value:
    kind = value.type.strip_typedefs()
    shape = Shape()
    numbers: tuple[Number, ...] | None = None
    if kind.code in _SCALARS:
        numbers = (_number(value, kind),)
    elif kind.code == gdb.TYPE_CODE_ARRAY and not arrays.is_open(kind):
        shape, kind = _shape(kind)
        numbers = _elements(value, shape, kind, inferior)
    # Without "raw", mpipp's printer would search the buffers for the array's address, which is slow
    # the first time.
    is_plain = numbers is not None and bool(shape.counts)
    how = {"repeat_threshold": 0, "max_elements": 64, "raw": is_plain}
    text = console.decoded(lambda: value.format_string(**how))
    return Value(number, " ".join(text.split()), numbers, shape)


def _number(value: gdb.Value, kind: gdb.Type) -> Number:
    return float(value) if kind.code == gdb.TYPE_CODE_FLT else int(value)


def _shape(kind: gdb.Type) -> tuple[Shape, gdb.Type]:
    counts, lows = [], []
    while kind.code == gdb.TYPE_CODE_ARRAY:
        low, high = kind.range()
        lows.append(low)
        counts.append(max(0, high - low + 1))
        kind = kind.target().strip_typedefs()
    is_fortran = console.language() == "fortran"
    # In every language, gdb's outermost dimension is the one that varies slowest.
    if is_fortran:
        counts.reverse()
        lows.reverse()
    return Shape(tuple(counts), tuple(lows), is_fortran), kind


def _elements(
    value: gdb.Value, shape: Shape, kind: gdb.Type, inferior: gdb.Inferior
) -> tuple[Number, ...] | None:
    # Return the numbers of the value. None if the value's elements are not numbers side by side.
    total = 1
    for count in shape.counts:
        total *= count
    letter = (_FLOATS if kind.code == gdb.TYPE_CODE_FLT else _INTEGERS).get(kind.sizeof)
    whole = value.type.strip_typedefs().sizeof
    is_text = kind.sizeof == 1 and "char" in symbol_names.of_type(kind)
    if kind.code not in _SCALARS or is_text or letter is None or whole != total * kind.sizeof:
        return None
    address = arrays.address(value) if 0 < total <= _MOST_ELEMENTS else None
    if address is None:
        return None
    if kind.code != gdb.TYPE_CODE_FLT and not debug_types.is_signed(kind):
        letter = letter.upper()
    data = InferiorMemory(inferior).read(address, whole)
    order = ">" if "big" in console.output("show endian") else "<"
    return struct.unpack(f"{order}{total}{letter}", data)
