# SPDX-License-Identifier: MIT
"""Python objects and the objects that they refer to, read from CPython's structures.

The members have fixed offsets in each release (3.9 to 3.13, 64 bits). mpipp trusts none of their
values: impossible values lead nowhere.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator
from typing import NamedTuple

from mpipp.common.errors import UnreadableMemory
from mpipp.registry.memory.address_space import Memory

MOST_ITEMS = 300  # items of a container that are read
_MOST_NAMES = 2000  # names of a frame, or of a module
_MOST_SLOTS = 100
_DEEPEST = 16  # base classes that are followed
_LONGEST = 256  # characters of a name
_WORD = 8

# Offsets in an object and in a type (cpython/object.h).
_TYPE, _LENGTH = 8, 16
_TYPE_NAME, _BASIC_SIZE, _FLAGS, _BASE, _DICT_OFFSET = 24, 32, 168, 256, 288
_TYPE_BYTES = 296
_STATE = 32  # offset in a string
_ITEMS = 24  # offset in a tuple; in a list, of the items' address
_REFERENCE = 16  # offset in a cell; in a module, of its dict
_KEYS, _VALUES = 32, 40  # offsets in a dict
_DIGIT = 24  # offset in an int
_SLOT = struct.Struct("=QixxxxqixxxxQ")  # struct PyMemberDef
_OBJECT_SLOT = 16

_MANAGED, _INLINE = 1 << 4, 1 << 2
_HEAP_TYPE, _LONG, _LIST, _TUPLE, _STR, _DICT = 1 << 9, 1 << 24, 1 << 25, 1 << 26, 1 << 28, 1 << 29
_CLASS = 1 << 31


class Layout(NamedTuple):
    """Offsets of members that differ between releases.

    Attributes:
        code, previous, locals_, globals_, fast: in a frame; `fast` is that of the first variable.
        names: in a code object, of its tuples with the variables' names, in the frame's order.
        text: of the characters in an ASCII string.
        index_bits: in a dict's keys, of the logarithm (base 2) of the indices' size in bytes. -1:
            they have the number of indices instead.
        entries, indices: in a dict's keys, of the number of used entries, and of the indices.
        cached_keys: in a class, of the names of its instances' attributes.
        first_value: in the values of a dict that shares its keys.
    """

    code: int
    previous: int
    locals_: int
    globals_: int
    fast: int
    names: tuple[int, ...]
    text: int
    index_bits: int
    entries: int
    indices: int
    cached_keys: int
    first_value: int = 0


_11 = Layout(32, 48, 24, 8, 72, (96,), 48, 9, 24, 32, 872)
_10 = Layout(32, 24, 56, 48, 352, (72, 88, 80), 48, -1, 32, 40, 0)
_12 = _11._replace(code=0, previous=8, locals_=40, globals_=24, text=40, cached_keys=880)
_LAYOUTS = {
    9: _10._replace(fast=360),
    10: _10,
    11: _11,
    12: _12,
    13: _12._replace(first_value=8),
}


def layout_of(version: int) -> Layout | None:
    """Return the layout of a release, by `Py_Version`; None if it is unknown."""
    return _LAYOUTS.get(version >> 16 & 0xFF) if version >> 24 == 3 else None


class Kind(NamedTuple):
    """A Python type.

    Attributes:
        names: its own name, and those of its base classes.
    """

    address: int
    names: tuple[str, ...]
    basic_size: int
    flags: int
    dict_offset: int


class Named(NamedTuple):
    """An object, and the expression that leads to it: `self.u`."""

    name: str
    address: int


class Objects:
    """Reads objects of one process, which must be stopped."""

    def __init__(self, memory: Memory, version: int, layout: Layout) -> None:
        self._memory, self._layout = memory, layout
        self._minor = version >> 16 & 0xFF
        self._kinds: dict[int, Kind] = {}

    def variables(self, frame: int) -> Iterator[Named]:
        """Yield the local variables of a frame; none for a frame of C code."""
        code = self.number(frame + self._layout.code)
        if not code or not self._is(code, "code"):
            return
        at = frame + self._layout.fast
        for member in self._layout.names:
            names = self.number(code + member)
            if not self.kind(names).flags & _TUPLE:
                return
            every = self._items(names)
            for name, value in zip(every, self.words(at, len(every))):
                yield Named(self.text(name), value)
            at += _WORD * self._length(names)
        found = self.number(frame + self._layout.locals_)
        if found:
            yield from self.entries(found)

    def module_of(self, frame: int) -> int:
        """Return the dict with the global variables of a frame; 0 for a frame of C code."""
        code = self.number(frame + self._layout.code)
        is_code = code and self._is(code, "code")
        return self.number(frame + self._layout.globals_) if is_code else 0

    def caller(self, frame: int) -> int:
        """Return the frame of the caller; 0 if there is none."""
        return self.number(frame + self._layout.previous)

    def kind(self, address: int) -> Kind:
        """Return the type of an object."""
        of = self.number(address + _TYPE)
        known = self._kinds.get(of)
        if known is None:
            data = self._memory.read(of, _TYPE_BYTES)
            size, flags, offset = (_word(data, at) for at in (_BASIC_SIZE, _FLAGS, _DICT_OFFSET))
            known = self._kinds[of] = Kind(of, tuple(self._names(of)), size, flags, offset)
        return known

    def _names(self, kind: int) -> Iterator[str]:
        for _ in range(_DEEPEST):
            if not kind:
                return
            yield self._characters(self.number(kind + _TYPE_NAME))
            kind = self.number(kind + _BASE)

    def inside(self, one: Named, kind: Kind) -> Iterator[Named]:
        """Yield the objects that an object refers to: elements, and attributes of instances."""
        if kind.flags & (_STR | _LONG | _CLASS):
            return
        if kind.flags & _DICT:
            yield from self._mapped(one)
        elif kind.flags & (_LIST | _TUPLE):
            start = self.number(one.address + _ITEMS) if kind.flags & _LIST else 0
            items = self._items(one.address, start)
            for number, item in enumerate(items):
                yield Named(f"{one.name}[{number}]", item)
        elif kind.names[0] == "cell":
            yield Named(one.name, self.number(one.address + _REFERENCE))
        elif kind.names[0] == "module":
            yield from self._of_module(one)
        else:
            for name, value in self._attributes(one.address, kind):
                yield Named(f"{one.name}.{name}", value)

    def _of_module(self, one: Named) -> Iterator[Named]:
        # Yields only variables of the program's own modules: Python files that are neither packages
        # nor installed.
        found = list(self.entries(self.number(one.address + _REFERENCE)))
        known = {each.name: each.address for each in found if each.name.startswith("__")}
        file = self.text(known.get("__file__", 0)) if "__file__" in known else ""
        if file.endswith(".py") and "__path__" not in known and "/lib/python" not in file:
            for name, value in found:
                if not name.startswith("__"):
                    yield Named(f"{one.name}.{name}", value)

    def _attributes(self, address: int, kind: Kind) -> Iterator[Named]:
        if kind.flags & _HEAP_TYPE:
            yield from self._slots(address, kind)
        if kind.flags & _MANAGED and self._minor >= 11:
            yield from self._managed(address, kind)
        elif 0 < kind.dict_offset < 1 << 20:
            found = self.number(address + kind.dict_offset)
            if found:
                yield from self.entries(found)

    def _managed(self, address: int, kind: Kind) -> Iterator[Named]:
        # An instance keeps the values of its attributes in an array until its dict is needed.
        found, values = self.number(address - 3 * _WORD), 0
        if self._minor == 11:
            values = self.number(address - 4 * _WORD)
        elif self._minor == 12 and found & 1:
            found, values = 0, found + 1
        elif self._minor > 12 and not found and kind.flags & _INLINE:
            is_valid = self.number(address + kind.basic_size + 3, 1)
            values = address + kind.basic_size if is_valid else 0
        if values:
            keys = self.number(kind.address + self._layout.cached_keys)
            yield from self._named_values(keys, values + self._layout.first_value)
        elif found:
            yield from self.entries(found)

    def _slots(self, address: int, kind: Kind) -> Iterator[Named]:
        # Yields the attributes in __slots__ of the class and its base classes.
        of = kind.address
        for _ in range(_DEEPEST):
            if not of or not self.number(of + _FLAGS) & _HEAP_TYPE:
                return
            count = self._length(of)
            start = of + self.number(self.number(of + _TYPE) + _BASIC_SIZE)
            for number in range(min(count, _MOST_SLOTS)):
                data = self._memory.read(start + number * _SLOT.size, _SLOT.size)
                name, sort, offset, _, _ = _SLOT.unpack(data)
                if sort == _OBJECT_SLOT and 0 < offset < 1 << 20:
                    yield Named(self._characters(name), self.number(address + offset))
            of = self.number(of + _BASE)

    def entries(self, address: int) -> Iterator[Named]:
        """Yield the entries of a dict whose keys are strings."""
        for key, value in self._pairs(address):
            name = self.text(key)
            if name:
                yield Named(name, value)

    def _mapped(self, one: Named) -> Iterator[Named]:
        for number, (key, value) in enumerate(self._pairs(one.address)):
            if number == MOST_ITEMS:
                return
            text = self.text(key)
            shown = f'"{text}"' if text else self._integer(key)
            yield Named(f"{one.name}[{shown}]", value)

    def _integer(self, address: int) -> str:
        # Returns a small number as text, else "...".
        if not address or not self.kind(address).flags & _LONG:
            return "..."
        size = self._length(address)
        digits, is_negative = (size >> 3, size & 3 == 2) if self._minor > 11 else (size, False)
        if digits > 1 or is_negative:
            return "..."
        return str(self.number(address + _DIGIT, 4) if digits else 0)

    def _pairs(self, address: int) -> Iterator[tuple[int, int]]:
        # The entries follow the indices (Objects/dictobject.c of CPython).
        if not address or not self.kind(address).flags & _DICT:
            return
        keys, values = (self.number(address + at) for at in (_KEYS, _VALUES))
        start, step, key, count = self._places(keys)
        if values:
            yield from self._split(keys, values + self._layout.first_value)
            return
        data = self._memory.read(start, step * count)
        for at in range(key, step * count, step):
            yield _word(data, at), _word(data, at + _WORD)

    def _named_values(self, keys: int, values: int) -> Iterator[Named]:
        for key, value in self._split(keys, values) if keys else ():
            yield Named(self.text(key), value)

    def _split(self, keys: int, values: int) -> Iterator[tuple[int, int]]:
        # The dict shares its keys with others, and has its values in a separate array.
        start, step, key, count = self._places(keys)
        data = self._memory.read(start, step * count)
        every = (_word(data, at) for at in range(key, step * count, step))
        yield from zip(every, self.words(values, count))

    def _places(self, keys: int) -> tuple[int, int, int, int]:
        # Returns the address of a dict's first entry, the bytes of an entry, the key's offset in
        # it, and the number of entries.
        layout = self._layout
        count = min(self.number(keys + layout.entries), _MOST_NAMES)
        if layout.index_bits < 0:
            size = self.number(keys + 8)
            width = 1 if size <= 0xFF else 2 if size <= 0xFFFF else 4
            return keys + layout.indices + size * width, 24, 8, count
        power, sort = self.number(keys + layout.index_bits, 1), self.number(keys + 10, 1)
        if power > 32 or sort > 2:
            raise UnreadableMemory(keys, 1)
        start = keys + layout.indices + (1 << power)
        return (start, 16, 0, count) if sort else (start, 24, 8, count)

    def _items(self, address: int, start: int = 0) -> list[int]:
        return self.words(start or address + _ITEMS, min(self._length(address), MOST_ITEMS))

    def words(self, address: int, count: int) -> list[int]:
        """Return adjacent words of memory."""
        count = min(count, _MOST_NAMES)
        data = self._memory.read(address, _WORD * count)
        return [_word(data, at) for at in range(0, _WORD * count, _WORD)]

    def text(self, address: int) -> str:
        """Return an ASCII string; "" for any other object."""
        if not address or not self.kind(address).flags & _STR:
            return ""
        length, state = self._length(address), self.number(address + _STATE, 4)
        if not state >> 6 & 1 or not 0 < length <= _LONGEST:
            return ""
        return self._memory.read(address + self._layout.text, length).decode("ascii", "replace")

    def _is(self, address: int, name: str) -> bool:
        return self.kind(address).names[0] == name

    def _length(self, address: int) -> int:
        return self.number(address + _LENGTH)

    def _characters(self, address: int) -> str:
        # Reads small pieces up to a zero byte, because the page behind it may be unreadable.
        data = b""
        while b"\0" not in data and len(data) < _LONGEST:
            data += self._memory.read(address + len(data), 16)
        return data.split(b"\0")[0].decode("utf-8", "replace")

    def number(self, address: int, size: int = _WORD) -> int:
        """Return an unsigned number."""
        return int.from_bytes(self._memory.read(address, size), sys.byteorder)


def _word(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + _WORD], sys.byteorder)
