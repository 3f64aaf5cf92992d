# SPDX-License-Identifier: MIT
"""Names for addresses in the program's own words, such as `particles[3].x[1]`, from debug
information."""

from __future__ import annotations

from collections.abc import Iterable

from mpipp.common.text.sanitize import plain
from mpipp.program_types.compare import focused, several
from mpipp.symbolizer.frame_table import RSP
from mpipp.symbolizer.process_symbols import Places, StackFrame
from mpipp.symbolizer.variables.holders import Holder
from mpipp.symbolizer.variables.scope import Scope

_MOST_ELEMENTS = 1 << 32  # elements that may lie behind a pointer


def scope_of(places: Places, frame: StackFrame) -> Scope | None:
    """The function of a stack frame, from its debug information."""
    found = places.scope(frame.code - 1)
    if found is None:
        return None
    entry, debug, address, bias, line = found
    registers = dict(frame.registers)
    if registers and places.has_pushed(frame.code - 1):
        registers.pop(RSP, None)
    return Scope(entry, address, entry.cu.get_top_DIE(), debug, bias, frame.end, line, registers)


def named(every: Iterable[Holder], address: int) -> str:
    """The name of the element at an address, in the first variable that contains it, or ""."""
    for one in every:
        if one.low <= address and (one.high is None or address < one.high):
            return _element(one, address - one.low)
    return ""


def _element(holder: Holder, distance: int) -> str:
    layout = holder.layout
    size = layout.kind.size
    if holder.high is None and size:
        if distance // size >= _MOST_ELEMENTS:
            return ""
        layout = several(layout, distance // size + 1)
    return plain(focused(layout, distance, distance + 1)[0].name, "")
