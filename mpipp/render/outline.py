# SPDX-License-Identifier: MIT
"""Values as an outline of lines, each for one part, created on demand.

A buffer's outline follows the expanded type-tree, so the names from the root to a line form the
element's address: `[2]`, then `[5]`. Any other outline follows the members of the value.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from mpipp.common.errors import MpippError, UnreadableMemory
from mpipp.datatypes.element_address import kind
from mpipp.datatypes.shapes import Indices
from mpipp.datatypes.values.nodes import Memory, Node, stage_node
from mpipp.datatypes.values.nodes import buffer as values
from mpipp.model import DatatypeRecord
from mpipp.render import object_structs, structure
from mpipp.render.datatype_structs import members
from mpipp.render.nested_text import Walker
from mpipp.render.print_settings import Limits, characters_text, shortened
from mpipp.render.structure import Shown
from mpipp.typetree import Datatype

_MOST_VALUES = 6  # values in the line of a part that has many
_LIMITS = Limits(elements=60)  # characters of a text
_SHORT = Limits(elements=_MOST_VALUES, max_depth=3)
_MOST_PIECES = 256  # pieces of memory in the cache
_LONGEST = 100  # characters of a line's value


class Line(NamedTuple):
    """The visible line of a part.

    `displacement` is in bytes from the start of the buffer, `size` in bytes of data; None if they
    have no meaning. `parts` is the number of parts below.
    """

    name: str
    value: str
    type: str
    displacement: int | None
    size: int | None
    parts: int


class Item(Protocol):
    """A part of an outline, with the parts below it."""

    @property
    def count(self) -> int:
        """The number of parts below."""
        ...

    def line(self) -> Line:
        """The visible line. Raises MpippError."""
        ...

    def child(self, i: int) -> Item:
        """Part number `i` below this one, 0 <= i < count. Raises MpippError."""
        ...


class Tree:
    """A part that looks as in print: a number, text, struct, array or datatype."""

    def __init__(self, name: str, what: Any) -> None:
        self.name = name
        self._what = what
        self._members = _members(what)

    @property
    def count(self) -> int:
        """The number of parts below."""
        return 0 if self._members is None else structure.count(self._members)

    def line(self) -> Line:
        """The visible line."""
        what = self._what
        size = what.size if isinstance(what, Datatype) else None
        value = shortened(_Summary(_SHORT).text(what), _LONGEST)
        return Line(self.name, value, "", None, size, self.count)

    def child(self, i: int) -> Item:
        """Part number `i` below this one."""
        parts = self._members
        if isinstance(parts, structure.Struct):
            name, part = parts.members[i]
        else:
            assert isinstance(parts, structure.Array)
            name, part = f"[{i}]", parts.items[i]
        return part if isinstance(part, (Tree, Data, Group)) else Tree(name, part)


class Data:
    """A component of a buffer's datatype, selected by the first indices of an address."""

    def __init__(
        self, name: str, memory: Memory, address: int, node: Datatype, prefix: Indices, origin: int
    ) -> None:
        """`address` is the start of the whole `node`, `origin` the start of the buffer."""
        if prefix and len(prefix) == node.shape.stages:
            address += node.shape.displacement(prefix)
            node, prefix = node.shape.component(prefix), ()
        self.name = name
        self._memory = memory
        self._address = address
        self._node = node
        self._prefix = prefix
        self._origin = origin

    @property
    def count(self) -> int:
        """The number of parts below."""
        return 0 if self._node.is_leaf else self._node.shape.branching(self._prefix)

    def line(self) -> Line:
        """The visible line."""
        node, prefix = self._node, self._prefix
        displacement = self._address - self._origin
        size = node.size
        if prefix:
            displacement += node.shape.displacement(prefix)
            size = _stage_size(node, prefix)
            type_name = f"{self.count} {_type_name(node.shape.component(prefix))}"
        else:
            type_name = _type_name(node)
        value = "" if node.is_marker or not size else self._value()
        return Line(self.name, value, type_name, displacement, size, self.count)

    def child(self, i: int) -> Item:
        """Part number `i` below this one."""
        indices = (*self._prefix, i)
        return Data(f"[{i}]", self._memory, self._address, self._node, indices, self._origin)

    def _value(self) -> str:
        return shortened(
            preview(stage_node(self._memory, self._address, self._node, self._prefix)), _LONGEST
        )


class Group:
    """A part with a line of its own, and a sequence of parts below."""

    def __init__(self, line: Line, items: Sequence[Item]) -> None:
        self._line = line
        self._items = items

    @property
    def count(self) -> int:
        """The number of parts below."""
        return len(self._items)

    def line(self) -> Line:
        """The visible line."""
        return self._line._replace(parts=self.count)

    def child(self, i: int) -> Item:
        """Part number `i` below this one."""
        return self._items[i]


class _Entries(Sequence[Item]):
    # The entries of a buffer, created on demand.

    def __init__(self, memory: Memory, address: int, count: int, datatype: Datatype) -> None:
        self._memory = memory
        self._address = address
        self._count = count
        self._datatype = datatype

    def __len__(self) -> int:
        return min(self._count, sys.maxsize)  # the largest length that Python allows

    def __getitem__(self, i: int) -> Item:  # type: ignore[override]
        address = self._address + i * self._datatype.extent
        return Data(f"[{i}]", self._memory, address, self._datatype, (), self._address)


def data(name: str, memory: Memory, address: int, count: int, datatype: Datatype) -> Item:
    """The outline of `count` entries of `datatype` at `address`."""
    memory = _ReadOnceMemory(memory)
    if count == 1:
        return Data(name, memory, address, datatype, (), address)
    value = shortened(preview(values(memory, address, count, datatype)), _LONGEST)
    type_name = f"{count} {_type_name(datatype)}"
    line = Line(name, value, type_name, 0, count * datatype.size, count)
    return Group(line, _Entries(memory, address, count, datatype))


def lines(item: Item, start: int, stop: int) -> list[Line]:
    """The lines of the parts [start, stop) below `item`. The line of a damaged part shows the
    error."""
    found = []
    for i in range(max(0, start), min(stop, item.count)):
        try:
            found.append(item.child(i).line())
        except (MpippError, OverflowError, RecursionError) as error:
            found.append(Line(f"[{i}]", f"<{error}>", "", None, None, 0))
    return found


def preview(node: Node) -> str:
    """The first values below `node`, read without the others."""
    return _Preview(_SHORT).text(node)


class _Preview(Walker):
    # `left` is the number of values that may still be shown.
    more = ", ..."

    def leaf(self, shown: Node, level: int) -> str | None:
        if shown.kind not in ("scalar", "text"):
            return None
        self.left -= 1
        try:
            if shown.kind == "scalar":
                return shown.text()
            codes = shown.characters(0, _LIMITS.elements)
            return characters_text(codes, shown.count, shown.width > 1, _LIMITS)
        except UnreadableMemory as error:
            return f"<cannot read {error.address:#x}>"

    def goes_on(self, done: int, named: bool) -> bool:
        return self.left > 0

    def names(self, parts: Shown) -> Sequence[str]:
        # Names of blocks are only numbers: leave them out.
        found = super().names(parts)
        return found if found[:1] == ("value",) else ()

    def cut(self, count: int) -> str:
        self.left -= 1
        return super().cut(count)


def _members(what: Any) -> structure.Struct | structure.Array | None:
    # The parts of a value. A datatype also has its bounds, at the end.
    if isinstance(what, Datatype):
        if what.combiner == "NAMED":
            return None
        bounds = what.extents
        return structure.Struct([*members(what), *bounds._asdict().items()])
    if isinstance(what, (int, str)):
        return None
    found = structure.normal(what)
    assert isinstance(found, (structure.Struct, structure.Array))
    return found


class _Summary(Walker):
    # Shows the first parts of each struct and array.
    more = ", ..."

    def leaf(self, shown: Any, level: int) -> str | None:
        if isinstance(shown, Datatype):
            if isinstance(shown.origin, DatatypeRecord):
                return object_structs.summary(shown.origin)
            return shown.name or shown.combiner
        if isinstance(shown, (Tree, Data, Group)):
            return shown.line().value
        return super().leaf(shown, level)

    def goes_on(self, done: int, named: bool) -> bool:
        return done < _MOST_VALUES

    def cut(self, count: int) -> str:
        return super().cut(count) if count else "{}"


def _type_name(node: Datatype) -> str:
    return node.name if node.combiner == "NAMED" else kind(node)


def _stage_size(node: Datatype, prefix: Indices) -> int:
    # Bytes of data below the address indices `prefix`.
    shape = node.shape
    size = shape.component(prefix).size
    for stage in range(len(prefix), shape.stages):
        size *= shape.branching(prefix + (0,) * (stage - len(prefix)))
    return size


class _ReadOnceMemory:
    # Memory with a cache, so that each piece is read once.

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self.byte_order = getattr(memory, "byte_order", "=")
        self._pieces: dict[tuple[int, int], bytes | UnreadableMemory] = {}

    def read(self, address: int, length: int) -> bytes:
        """Exactly `length` bytes at `address`. Raises UnreadableMemory."""
        key = address, length
        if len(self._pieces) >= _MOST_PIECES:
            self._pieces.clear()
        if key not in self._pieces:
            try:
                self._pieces[key] = self._memory.read(address, length)
            except UnreadableMemory as error:
                self._pieces[key] = error
        found = self._pieces[key]
        if isinstance(found, UnreadableMemory):
            raise found
        return found
