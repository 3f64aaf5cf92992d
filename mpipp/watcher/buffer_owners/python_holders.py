# SPDX-License-Identifier: MIT
"""The arrays and byte strings of a Python program that contain a buffer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mpipp.analysis.program_objects.buffer_bounds import Owner
from mpipp.common.text.sanitize import plain
from mpipp.common.text.wording import counted
from mpipp.program_types.compare import Layout
from mpipp.program_types.types import Array, Scalar
from mpipp.registry.memory.cpython_arrays import PythonArray
from mpipp.symbolizer.variables.holders import Holder, Untyped

_KINDS = {"int": "signed", "uint": "unsigned"}  # other kinds keep their names


def holders(arrays: Sequence[PythonArray], address: int) -> Iterator[Holder | Untyped]:
    """Yield the objects that contain an address. Only arrays of numbers have a type."""
    for one in arrays:
        if not one.holds(address):
            continue
        if not one.kind or not one.elements or (one.high - one.low) % one.item_size:
            yield Untyped(one.name)
        else:
            yield Holder(_layout(one), one.low, one.high, True)


def owner(arrays: Sequence[PythonArray], address: int) -> Owner | None:
    """The object that contains an address; None if unknown."""
    known = [one for one in arrays if one.owner is not None and one.holds(address)]
    one = next((one for one in known if one.elements), known[0] if known else None)
    if one is None or one.owner is None:
        return None
    low, high = one.owner
    text = _described(one) if (low, high) == (one.low, one.high) else _base(one)
    return Owner(low, high, text, unit=_scalar(one) if one.kind else None)


def _described(one: PythonArray) -> str:
    size = counted(one.high - one.low, "byte")
    if one.kind and one.elements:
        return _layout(one).described
    if one.kind:
        return f"{plain(one.name, '')} ({_scalar(one).name} [0], {size})"
    return f"{plain(one.name, '')} ({plain(one.sort, '')}, {size})"


def _base(one: PythonArray) -> str:
    low, high = one.owner or (0, 0)
    return f"the array that {plain(one.name, '')} is a view of ({high - low} bytes)"


def _scalar(one: PythonArray) -> Scalar:
    bits = "" if one.kind == "bool" else str(8 * one.item_size)
    return Scalar(_KINDS.get(one.kind, one.kind), f"{one.kind}{bits}", one.item_size)


def _layout(one: PythonArray) -> Layout:
    # The array in the order of its memory. If it is a view, the gaps between its elements belong to
    # another array.
    name = plain(one.name, "")
    kind = Array(_scalar(one), (one.high - one.low) // one.item_size)
    return Layout(kind, name, name, kind.name)
