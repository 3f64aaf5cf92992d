# SPDX-License-Identifier: MIT
"""The elements of C++ containers, found without calling the program."""

from __future__ import annotations

import re

import gdb

from mpipp.gdb.program import symbol_names

# Members that point to the elements, in containers that keep them in one block; libstdc++, libc++.
_ENDS = (("_M_impl", "_M_finish"), ("__end_",))  # members that point to the end of a vector
_MEMBERS = (
    (re.compile(r"std::(\w+::)?vector<"), ("_M_impl", "_M_start")),
    (re.compile(r"std::(\w+::)?vector<"), ("__begin_",)),
    (re.compile(r"std::(\w+::)?basic_string<"), ("_M_dataplus", "_M_p")),
    (re.compile(r"std::(\w+::)?valarray<"), ("_M_data",)),
    (re.compile(r"std::(\w+::)?span<"), ("_M_ptr",)),
)
# Containers whose elements lie in many places.
_SCATTERED = re.compile(r"std::(\w+::)?((forward_)?list|deque|(unordered_)?(multi)?(map|set))<")
_POINTERS = re.compile(r"std::(\w+::)?(unique|shared|weak)_ptr<")


def elements(value: gdb.Value) -> int | None:
    """The address of a container's first element, 0 if it never had one; None for other values."""
    name = _tag(value.type)
    for pattern, members in _MEMBERS:
        if pattern.match(name):
            found = _member(value, members)
            if found is not None and found.type.strip_typedefs().code == gdb.TYPE_CODE_PTR:
                return int(found)
    return None


def is_container(kind: gdb.Type) -> bool:
    """Return whether a type is a container. A container's elements lie outside the object."""
    name = _tag(kind)
    return bool(_SCATTERED.match(name)) or any(pattern.match(name) for pattern, _ in _MEMBERS)


def is_pointer(kind: gdb.Type) -> bool:
    """Return whether a type is a smart pointer."""
    return _POINTERS.match(_tag(kind)) is not None


def _tag(kind: gdb.Type) -> str:
    plain = kind.strip_typedefs()
    return symbol_names.tag(plain) if plain.code == gdb.TYPE_CODE_STRUCT else ""


def end(value: gdb.Value) -> int | None:
    """The address after a vector's last element; None for other containers."""
    for members in _ENDS:
        found = _member(value, members)
        if found is not None:
            return int(found)
    return None


def _member(value: gdb.Value, members: tuple[str, ...]) -> gdb.Value | None:
    try:
        for member in members:
            value = value[member]
    except gdb.error:
        return None
    return value


class First:
    """Lets an mpipp printer see containers before the printers of the C++ library.

    The library's printers belong to its object file, and gdb asks those before the global printers.
    """

    # After each of these events, the library's printers may be new.
    _EVENTS = ("new_objfile", "stop", "before_prompt")

    def __init__(self, printer: object) -> None:
        self._printer = printer

    def register(self) -> None:
        """Put the printer before those of the C++ library, now and after each event."""
        for event in self._registries():
            event.connect(self._put)
        self._put()

    def unregister(self) -> None:
        """Restore the C++ library's printers."""
        for event in self._registries():
            event.disconnect(self._put)
        for file in gdb.objfiles():
            if self._printer in file.pretty_printers:
                file.pretty_printers.remove(self._printer)

    def _registries(self) -> list[gdb.EventRegistry]:
        return [getattr(gdb.events, name) for name in self._EVENTS if hasattr(gdb.events, name)]

    def _put(self, _event: object = None) -> None:  # before_prompt passes nothing
        for file in gdb.objfiles():
            others = file.pretty_printers
            names = [str(getattr(other, "name", "")) for other in others]
            if self._printer not in others and any(n.startswith("libstdc++") for n in names):
                others.insert(0, self._printer)
