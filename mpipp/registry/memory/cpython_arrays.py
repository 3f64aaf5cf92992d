# SPDX-License-Identifier: MIT
"""Python objects with memory that a frame reaches by name: numpy arrays, bytearrays and others.

The search starts at variables, and continues with their elements and attributes, level by level,
until all wanted addresses are found. `cpython_objects.py` reads the objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from mpipp.common.errors import UnreadableMemory
from mpipp.registry.memory.address_space import Memory
from mpipp.registry.memory.cpython_objects import Kind, Named, Objects, layout_of

_MOST_FRAMES = 8
_MOST_OBJECTS = 8000
_DEEPEST = 4  # levels below a variable; `self.grid.levels[0].u` is at level 4
_MOST_BASES = 16
_MOST_DIMENSIONS = 64
_LARGEST = 1 << 48
_LEAST_FLOAT = 4  # bytes of a float for which MPI has a datatype

# Offsets in numpy's PyArrayObject and PyArray_Descr (numpy/ndarraytypes.h).
_DATA, _RANK, _SHAPE, _STRIDES, _BASE, _DTYPE = 16, 24, 32, 40, 48, 56
_KIND, _ORDER = 24, 26
# Offsets of the item size: an int before numpy 2, a long since.
_ITEM_SIZES = (32, 40)
_KINDS = {b"b": "bool", b"i": "int", b"u": "uint", b"f": "float", b"c": "complex"}
# The kinds of array.array's elements, by type code.
_CODES = {**dict.fromkeys("bhilq", "int"), **dict.fromkeys("BHILQ", "uint")}
_CODES.update(dict.fromkeys("fd", "float"))
_LENGTH = 16
# Offsets in array.array and in its description of elements.
_ITEMS, _DESCRIPTION, _ITEM_SIZE = 24, 40, 4
_START = 40  # offset in a bytearray
_BYTES = 32  # offset in a bytes object
# The offset of a memoryview's Py_buffer, and offsets in it.
_VIEW = 56
_VIEWED, _VIEW_LENGTH, _VIEW_SIZE, _VIEW_RANK = 8, 16, 24, 36
_VIEW_FORMAT, _VIEW_SHAPE, _VIEW_STRIDES, _VIEW_INDIRECT = 40, 48, 56, 64
_MAPPED, _MAPPED_SIZE = 16, 24  # offsets in mmap.mmap
_FOREIGN, _FOREIGN_SIZE = 16, 40  # offsets in ctypes arrays
# Their elements by the names of such types, as in c_int_Array_6: the kind and the bytes.
_FOREIGN_KINDS = {
    **{f"c_{name}": ("int", size) for name, size in (("short", 2), ("int", 4), ("long", 8))},
    **{f"c_u{name}": ("uint", size) for name, size in (("short", 2), ("int", 4), ("long", 8))},
    "c_float": ("float", 4),
    "c_double": ("float", 8),
    "c_bool": ("bool", 1),
}


class PythonArray(NamedTuple):
    """An object with memory.

    Attributes:
        name: the expression that leads to it: `self.u`.
        sort: "ndarray", "bytearray", "memoryview" or another type's name.
        low, high: addresses of its lowest byte, and behind its last byte.
        kind: "bool", "int", "uint", "float" or "complex"; "" for all else.
        item_size: bytes of an element.
        elements: the number of elements.
        owner: [low, high) of the object that owns the memory; None if it is unknown.
    """

    name: str
    sort: str
    low: int
    high: int
    kind: str
    item_size: int
    elements: int
    owner: tuple[int, int] | None

    def holds(self, address: int) -> bool:
        """Return whether an address is in its memory; if that is empty, whether it begins there."""
        return self.low <= address < max(self.high, self.low + 1)


def arrays(
    memory: Memory, frame: int, version: int, wanted: Iterable[int]
) -> Iterator[PythonArray]:
    """Yield the objects whose memory has one of the addresses, by the shortest expressions.

    The variables of the frame and its callers come first, then those of their modules.

    Args:
        frame: address of the frame, as for `cpython_frames.of`.
        version: `Py_Version`.
        wanted: the addresses.
    """
    layout = layout_of(version)
    if layout is not None:
        yield from _Search(memory, Objects(memory, version, layout), set(wanted)).found(frame)


class _Search:
    def __init__(self, memory: Memory, objects: Objects, wanted: set[int]) -> None:
        self._memory, self._objects, self._wanted = memory, objects, wanted
        self._seen: set[int] = set()

    def found(self, frame: int) -> Iterator[PythonArray]:
        level = self._variables(frame)
        for _ in range(_DEEPEST + 1):
            if not self._wanted:
                return
            others: list[tuple[Named, Kind]] = []
            here = [one for one in self._of_level(level, others) if self._is_wanted(one)]
            yield from here
            self._wanted = {at for at in self._wanted if not any(one.holds(at) for one in here)}
            level = self._inside(others)

    def _is_wanted(self, one: PythonArray) -> bool:
        return any(map(one.holds, self._wanted))

    def _of_level(
        self, level: Iterator[Named], others: list[tuple[Named, Kind]]
    ) -> Iterator[PythonArray]:
        for one in level:
            if not one.name or not one.address or one.address in self._seen:
                continue
            if len(self._seen) >= _MOST_OBJECTS:
                return
            self._seen.add(one.address)
            try:
                kind = self._objects.kind(one.address)
                found = self._array(one, kind)
            except UnreadableMemory:
                continue
            if found is not None:
                yield found
            else:
                others.append((one, kind))

    def _variables(self, frame: int) -> Iterator[Named]:
        modules: dict[int, None] = {}
        for _ in range(_MOST_FRAMES):
            if not frame:
                break
            yield from _readable(self._objects.variables(frame))
            try:
                modules.setdefault(self._objects.module_of(frame))
                frame = self._objects.caller(frame)
            except UnreadableMemory:
                break
        for module in filter(None, modules):
            yield from _readable(self._objects.entries(module))

    def _inside(self, level: list[tuple[Named, Kind]]) -> Iterator[Named]:
        for one, kind in level:
            yield from _readable(self._objects.inside(one, kind))

    def _array(self, one: Named, kind: Kind) -> PythonArray | None:
        at = one.address
        if "numpy.ndarray" in kind.names:
            return self._numpy(one)
        if "bytearray" in kind.names:
            return self._bytes(one, "bytearray", self._number(at + _START))
        if "bytes" in kind.names:
            return self._bytes(one, "bytes", at + _BYTES)
        if kind.names[0] == "memoryview":
            return self._view(one)
        if "array.array" in kind.names:
            return self._standard(one)
        if kind.names[0] == "mmap.mmap":
            return self._plain(one, "mmap", self._number(at + _MAPPED), at + _MAPPED_SIZE)
        if "_ctypes.Array" in kind.names:
            return self._foreign(one, kind.names[0])
        return None

    def _foreign(self, one: Named, sort: str) -> PythonArray | None:
        low, length = self._number(one.address + _FOREIGN), one.address + _FOREIGN_SIZE
        found = self._plain(one, sort, low, length)
        known = _FOREIGN_KINDS.get(sort.rpartition(".")[2].partition("_Array_")[0])
        if found is None or known is None or found.elements % known[1]:
            return found
        kind, size = known
        return found._replace(kind=kind, item_size=size, elements=found.elements // size)

    def _bytes(self, one: Named, sort: str, low: int) -> PythonArray | None:
        return self._plain(one, sort, low, one.address + _LENGTH)

    def _plain(self, one: Named, sort: str, low: int, length: int) -> PythonArray | None:
        size = self._number(length)
        if not low or not size < _LARGEST:
            return None
        high = low + size
        return PythonArray(one.name, sort, low, high, "", 1, size, (low, high))

    def _standard(self, one: Named) -> PythonArray | None:
        found = self._plain(one, "array", self._number(one.address + _ITEMS), one.address + _LENGTH)
        described = self._number(one.address + _DESCRIPTION)
        size = self._number(described + _ITEM_SIZE, 4)
        if found is None or not 0 < size <= 16:
            return None
        kind = _CODES.get(self._memory.read(described, 1).decode("latin-1"), "")
        high = found.low + size * found.elements
        return found._replace(high=high, kind=kind, item_size=size, owner=(found.low, high))

    def _view(self, one: Named) -> PythonArray | None:
        view = one.address + _VIEW
        low, viewed, size = (self._number(view + at) for at in (0, _VIEWED, _VIEW_SIZE))
        rank = self._number(view + _VIEW_RANK, 4)
        if not low or self._number(view + _VIEW_INDIRECT):
            return None
        shape, strides = (self._number(view + at) for at in (_VIEW_SHAPE, _VIEW_STRIDES))
        extent = self._extent(low, rank, size, shape, strides)
        if extent is None:
            return None
        format_ = self._number(view + _VIEW_FORMAT)
        code = self._memory.read(format_, 2) if format_ else b"B\0"
        kind = _CODES.get(code[:1].decode("latin-1"), "") if code[1:] == b"\0" and size > 1 else ""
        owner = self._owner(viewed) if viewed else None
        return PythonArray(one.name, "memoryview", *extent[:2], kind, size, extent[2], owner)

    def _numpy(self, one: Named) -> PythonArray | None:
        array = one.address
        found = self._numpy_extent(array)
        if found is None:
            return None
        low, high, count = found
        dtype = self._number(array + _DTYPE)
        kind = _KINDS.get(self._memory.read(dtype + _KIND, 1), "")
        if self._memory.read(dtype + _ORDER, 1) not in (b"=", b"|", b"<"):
            kind = ""
        size = self._item_size(array)
        if size < _LEAST_FLOAT and kind == "float":  # not a number for which MPI has a datatype
            kind = ""
        return PythonArray(one.name, "ndarray", low, high, kind, size, count, self._owner(array))

    def _item_size(self, array: int) -> int:
        dtype = self._number(array + _DTYPE)
        small, large = (self._number(dtype + at, 8 if at > 32 else 4) for at in _ITEM_SIZES)
        # numpy 2 has flags at the old offset of the size.
        return small if 0 < small <= 1 << 20 and not 0 < large <= 64 else large

    def _numpy_extent(self, array: int) -> tuple[int, int, int] | None:
        data, rank = self._number(array + _DATA), self._number(array + _RANK, 4)
        shape, strides = (self._number(array + at) for at in (_SHAPE, _STRIDES))
        return self._extent(data, rank, self._item_size(array), shape, strides)

    def _extent(
        self, data: int, rank: int, size: int, shape: int, strides: int
    ) -> tuple[int, int, int] | None:
        # Returns the lowest address, the address behind the last byte, and the number of elements.
        if not 0 <= rank <= _MOST_DIMENSIONS or not 0 < size <= 1 << 30:
            return None
        low, high, count = data, data + size, 1
        lengths, steps = (self._objects.words(at, rank) if rank else [] for at in (shape, strides))
        for length, stride in zip(lengths, steps):
            stride -= (stride >> 63) << 64
            if not length < _LARGEST:
                return None
            count *= length
            reach = (length - 1) * stride
            low, high = low + min(0, reach), high + max(0, reach)
        return (low, high, count) if count else (data, data, 0)

    def _owner(self, address: int) -> tuple[int, int] | None:
        for _ in range(_MOST_BASES):
            kind = self._objects.kind(address)
            if "numpy.ndarray" not in kind.names:
                # Objects other than numpy arrays own their memory.
                found = self._array(Named("", address), kind)
                return found.owner if found is not None else None
            base = self._number(address + _BASE)
            if not base:
                extent = self._numpy_extent(address)
                return extent[:2] if extent is not None else None
            address = base
        return None

    def _number(self, address: int, size: int = 8) -> int:
        return self._objects.number(address, size)


def _readable(every: Iterator[Named]) -> Iterator[Named]:
    # Yields the objects before the first unreadable one.
    try:
        yield from every
    except UnreadableMemory:
        return
