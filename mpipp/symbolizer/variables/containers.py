# SPDX-License-Identifier: MIT
"""The elements of C++ containers, and the targets of smart pointers, in libstdc++ and libc++."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mpipp.symbolizer.inlined_functions import name_of
from mpipp.symbolizer.variables import debug_types
from mpipp.symbolizer.variables.expressions import Frame

_DEEPEST = 8  # levels of members within members
_VECTORS = (
    ("_M_start", "_M_finish", "_M_end_of_storage"),
    ("__begin_", "__end_", "__end_cap_"),
)
_STRING, _STRING_LENGTH = "_M_p", "_M_string_length"
_POINTERS = ("_M_head_impl", "_M_ptr", "__ptr_")

_Members = dict[str, tuple[int, Any]]  # the address and type of each, by name


def elements(plain: Any, at: int, frame: Frame) -> Iterator[tuple[int, int, int, Any]]:
    """Yield the ranges of elements in use of a container at an address.

    A range has the beginning and end of the elements, the end of their memory, and their type.
    Raises UnreadableMemory.
    """
    known: _Members = {}
    _collect(plain, at, known, _DEEPEST)
    for begin, end, room in _VECTORS:
        if begin not in known or end not in known:
            continue
        low, high = (frame.word(known[one][0]) for one in (begin, end))
        full = frame.word(known[room][0]) if room in known else high
        element = debug_types.target(debug_types.stripped(known[begin][1]))
        bytes_ = debug_types.size(element) if element is not None else None
        if bytes_ and low <= high <= full and (high - low) % bytes_ == 0:
            yield low, high, full, element
    if _STRING in known and _STRING_LENGTH in known:
        element = debug_types.target(debug_types.stripped(known[_STRING][1]))
        low, length = (frame.word(known[one][0]) for one in (_STRING, _STRING_LENGTH))
        if element is not None and debug_types.size(element) == 1 and length < 1 << 40:
            # A zero byte follows the characters.
            yield low, low + length + 1, low + length + 1, element


def targets(plain: Any, at: int) -> Iterator[tuple[Any, int]]:
    """Yield the raw pointer inside the smart pointer at an address: its type and its address."""
    known: _Members = {}
    _collect(plain, at, known, _DEEPEST)
    for name in _POINTERS:
        if name in known:
            place, kind = known[name]
            yield debug_types.stripped(kind), place
            return


def _collect(plain: Any, at: int, found: _Members, depth: int) -> None:
    # Collects the pointers and numbers in a container and its base classes, by name.
    for member in debug_types.children(plain):
        offset, kind = debug_types.member_offset(member), debug_types.target(member)
        if offset is None or kind is None:
            continue
        inner = debug_types.stripped(kind)
        if inner is not None and debug_types.is_record(inner) and depth:
            _collect(inner, at + offset, found, depth - 1)
        elif inner is not None:
            found.setdefault(name_of(member), (at + offset, kind))
