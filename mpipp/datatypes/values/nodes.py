# SPDX-License-Identifier: MIT
"""A communication buffer's bytes as a tree of values, read on demand.

`buffer` returns the root of the tree. Arrays of regular items can be read in bulk with `rows`,
which decodes a chunk of memory at once instead of reading each element.
"""

from __future__ import annotations

import itertools
import struct
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from mpipp.common.errors import UnreadableMemory
from mpipp.datatypes.predefined import Leaf
from mpipp.datatypes.shapes import Indices
from mpipp.datatypes.values import views
from mpipp.datatypes.values.views import Array, Scalar, Struct, Text, View
from mpipp.typetree import Datatype

_WINDOW = 16 << 10  # bytes that are read around a single value
_CHUNK = 1 << 20  # bytes that `rows` reads at once
_PAGE = 4 << 10
_KEPT_WINDOWS = 16
_MAX_FIELDS = 64  # leaves of an item that `rows` decodes at once
_FIRST_ROWS = 512  # rows in the first chunk of `rows`; most prints need no more


class Memory(Protocol):
    """The target's memory.

    A memory object may have a `byte_order`, "<" or ">" as in `struct`. Without `byte_order` the
    order is this machine's.
    """

    def read(self, address: int, length: int) -> bytes:
        """Return exactly `length` bytes at `address`. Raises UnreadableMemory."""
        ...


class Node:
    """One node of the value tree: a view at an address.

    `kind` is "scalar", "text", "array" or "struct".
    """

    __slots__ = ("_memory", "address", "view")

    def __init__(self, memory: _Windows, address: int, view: View) -> None:
        self._memory = memory
        self.address = address
        self.view = view

    @property
    def kind(self) -> str:
        """The kind: "scalar", "text", "array" or "struct"."""
        return self.view.kind

    @property
    def count(self) -> int:
        """The number of items, members or characters. The number may be too large for Python's
        `len`."""
        return self.view.count

    @property
    def names(self) -> tuple[str, ...]:
        """The member names of a struct, in order; () for other kinds."""
        return self.view.names if isinstance(self.view, Struct) else ()

    def child(self, i: int) -> Node:
        """Return item or member number `i`. Raises IndexError if there is none."""
        if isinstance(self.view, (Scalar, Text)) or not 0 <= i < self.view.count:
            raise IndexError(i)
        view, displacement = self.view.item(i)
        return Node(self._memory, self.address + displacement, view)

    def raw(self) -> bytes:
        """Return a scalar's bytes, in the target's order. Raises UnreadableMemory."""
        return self._memory.read(self.address, self._leaf().size)

    def value(self) -> int | float | str:
        """Return a scalar's value: a number if Python has one, else its text.

        Raises UnreadableMemory.
        """
        return self._leaf().value(self._native())

    def text(self) -> str:
        """Return a scalar's value as gdb prints it. Raises UnreadableMemory."""
        return self._leaf().text(self._native())

    @property
    def is_native(self) -> bool:
        """True if the memory has this machine's byte order."""
        return self._memory.is_native

    def _native(self) -> bytes:
        leaf = self._leaf()
        raw = self._memory.read(self.address, leaf.size)
        return raw if self.is_native else leaf.swapped(raw)

    def characters(self, start: int, stop: int) -> Sequence[int]:
        """Return the codes of a text's characters [start, stop). Raises UnreadableMemory."""
        view = self.view
        assert isinstance(view, Text)
        count = max(0, min(stop, view.count) - start)
        width = view.leaf.width
        address = self.address + view.first + start * view.stride
        if view.stride == width:
            raw = self._memory.read(address, count * width) if count else b""
        elif view.stride == 0:
            raw = self._memory.read(address, width) * count
        else:
            read = self._memory.read
            raw = b"".join(read(address + i * view.stride, width) for i in range(count))
        codes = characters(raw, width)
        if self.is_native or width == 1:
            return codes
        return [
            int.from_bytes(code.to_bytes(width, sys.byteorder)[::-1], sys.byteorder)
            for code in codes
        ]

    @property
    def width(self) -> int:
        """The bytes of one character of a text."""
        assert isinstance(self.view, Text)
        return self.view.leaf.width

    def rows(self, plan: RowPlan, start: int, stop: int) -> Iterator[tuple[_Row, _Row, int]]:
        """Yield items [start, stop) of an array by `plan`, as rows of equal neighbors.

        A row is (raw fields, decoded fields, number of items). Equal neighbors may come in one row
        or in several. The decoded values are in this machine's byte order, see `is_native`. Raises
        UnreadableMemory at the first item of a chunk that cannot be read.
        """
        view = self.view
        assert isinstance(view, Array)
        stride = view.stride
        most = max(1, min(_CHUNK // abs(stride), _CHUNK // 8)) if stride else stop - start
        step = min(most, _FIRST_ROWS) if stride else most
        base = self.address + view.first + plan.low
        first = start
        while first < stop:
            last = min(first + step, stop) - 1
            low, high = sorted((base + first * stride, base + last * stride))
            raw = self._memory.bulk(low, high - low + plan.length)
            at = base + first * stride - low
            if raw[abs(stride) :] == raw[: len(raw) - abs(stride)]:
                # All items are equal: they have one address (stride 0), or equal bytes.
                fields = plan.raw.unpack_from(raw, at), plan.decoded.unpack_from(raw, at)
                yield (*fields, last + 1 - first)
            else:
                offsets = range(at, at + (last - first + 1) * stride, stride)
                yield from zip(
                    map(plan.raw.unpack_from, itertools.repeat(raw), offsets),
                    map(plan.decoded.unpack_from, itertools.repeat(raw), offsets),
                    itertools.repeat(1),
                )
            first, step = last + 1, min(most, 8 * step)

    def _leaf(self) -> Leaf:
        assert isinstance(self.view, Scalar)
        return self.view.leaf


_Row = tuple[object, ...]


def characters(raw: bytes, width: int) -> Sequence[int]:
    """Return the codes of characters of `width` bytes each."""
    if width == 1:
        return raw
    return memoryview(raw).cast("H") if width == 2 else memoryview(raw).cast("I")


class RowPlan(NamedTuple):
    """A plan to decode one item of an array at once; displacements and lengths in bytes.

    `fields` are the leaves in order; a Text is one field. `raw` unpacks their bytes, and `decoded`
    their numbers if a leaf has a `struct` code. The item occupies `length` bytes from `low`.
    """

    low: int
    length: int
    fields: tuple[Scalar | Text, ...]
    raw: struct.Struct
    decoded: struct.Struct


def row_plan(view: View) -> RowPlan | None:
    """Return the plan for items of `view` in an array; None if they must be visited one by one."""
    if not isinstance(view, Array) or view.count < 2:
        return None
    placed = _fields(view.view)
    if not placed:
        return None
    low = placed[0][0]
    end = low
    raw, decoded = "=", "="
    for offset, field in placed:
        if offset < end:
            return None
        size = _field_size(field)
        raw += f"{offset - end}x{size}s"
        code = field.leaf.code if isinstance(field, Scalar) else None
        decoded += f"{offset - end}x{code or f'{size}s'}"
        end = offset + size
    length = end - low
    if abs(view.stride) > max(_PAGE, 8 * length) or length > _CHUNK:
        return None
    fields = tuple(field for _, field in placed)
    return RowPlan(low, length, fields, struct.Struct(raw), struct.Struct(decoded))


def _fields(view: View) -> list[tuple[int, Scalar | Text]] | None:
    # Leaves of the item in order, with displacements. The result is None if there are too many.
    found: list[tuple[int, Scalar | Text]] = []
    pending: list[tuple[View, int]] = [(view, 0)]
    while pending:
        node, at = pending.pop()
        if isinstance(node, Scalar):
            found.append((at, node))
        elif isinstance(node, Text):
            if node.stride != node.leaf.width or not node.count:
                return None
            found.append((at + node.first, node))
        elif node.count + len(pending) + len(found) > _MAX_FIELDS:
            return None
        else:
            for i in reversed(range(node.count)):
                item, displacement = node.item(i)
                pending.append((item, at + displacement))
    return found


def _field_size(field: Scalar | Text) -> int:
    return field.leaf.size * (field.count if isinstance(field, Text) else 1)


def buffer(memory: Memory, address: int, count: int, datatype: Datatype) -> Node:
    """Return the values of `count` entries of `datatype` at `address` (0 for MPI_BOTTOM)."""
    view = views.of(datatype) if count == 1 else views.sequence(datatype, count)
    return Node(_Windows(memory), address, view)


def stage_node(memory: Memory, address: int, datatype: Datatype, prefix: Indices) -> Node:
    """Return the values below address indices `prefix` of the `datatype` at `address`."""
    if datatype.is_leaf:
        return Node(_Windows(memory), address, views.of(datatype))
    start = address + views.stage_displacement(datatype, prefix)
    return Node(_Windows(memory), start, views.stage(datatype, prefix))


class _Windows:
    # Keeps the last few windows, so that one read serves neighboring values. If a window is not
    # fully readable, its values are read one by one.

    def __init__(self, memory: Memory) -> None:
        self._read = memory.read
        order = getattr(memory, "byte_order", "=")
        self.is_native = order in ("=", "<" if sys.byteorder == "little" else ">")
        self._windows: dict[int, bytes] = {}

    def read(self, address: int, length: int) -> bytes:
        number, offset = divmod(address, _WINDOW)
        if offset + length > _WINDOW:
            return self.bulk(address, length)
        window = self._windows.get(number)
        if window is None:
            window = self._fetch(number)
        return window[offset : offset + length] if window else self.bulk(address, length)

    def bulk(self, address: int, length: int) -> bytes:
        if address < 0:
            raise UnreadableMemory(address, length)
        return self._read(address, length)

    def _fetch(self, number: int) -> bytes:
        try:
            window = self.bulk(number * _WINDOW, _WINDOW)
        except UnreadableMemory:
            window = b""
        if len(self._windows) >= _KEPT_WINDOWS:
            self._windows.pop(next(iter(self._windows)))
        self._windows[number] = window
        return window
