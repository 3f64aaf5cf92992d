# SPDX-License-Identifier: MIT
"""Type signatures: the sequence of basic types of a datatype (MPI-4.1, section 5.1.1).

A signature is a run-length list whose entries may be signatures themselves, so nothing is expanded.
10^9 entries of {int, double} are one entry, repeated 10^9 times. Signatures that are built from
equal entries are the same Python object. `matching.compare` compares their elements.
"""

from __future__ import annotations

import bisect
import functools
import itertools
import weakref
from collections.abc import Iterable, Sequence
from typing import Union

from mpipp.datatypes import element_address, predefined
from mpipp.typetree import Datatype

_SPLICED = 8  # a part that occurs once is copied into the list, up to this length


class Basic:
    """One element of a basic type: `kind` is its name, `size` its bytes of packed data."""

    __slots__ = ("__weakref__", "elements", "kind", "size")

    def __init__(self, kind: str, size: int) -> None:
        self.elements = 1
        self.kind = kind
        self.size = size

    def __repr__(self) -> str:
        return f"<Basic {self.kind}>"


class Signature:
    """A sequence of basic types, made by `signature`, `repeated` or `concatenate`.

    `items` are parts with the number of copies of each. `elements` is the number of elements, and
    `size` the number of bytes of packed data.
    """

    __slots__ = ("__weakref__", "_starts", "elements", "items", "size")

    def __init__(self, items: tuple[tuple[Node, int], ...]) -> None:
        self.items = items
        self.elements: int = sum([node.elements * count for node, count in items])
        self.size: int = sum([node.size * count for node, count in items])
        self._starts: Sequence[int] | None = None

    def __repr__(self) -> str:
        return f"<Signature of {self.elements} elements>"

    @property
    def starts(self) -> Sequence[int]:
        """The number of elements before each item, and at the end the number of all."""
        if self._starts is None:
            lengths = [node.elements * count for node, count in self.items]
            self._starts = (0, *itertools.accumulate(lengths))
        return self._starts

    def at(self, index: int) -> tuple[Basic, int]:
        """Return the basic type of element `index`, and the bytes of packed data before it."""
        node: Node = self
        packed = 0
        while isinstance(node, Signature):
            item = bisect.bisect_right(node.starts, index) - 1
            packed += sum([part.size * count for part, count in node.items[:item]])
            index -= node.starts[item]
            node = node.items[item][0]
            copies, index = divmod(index, node.elements)
            packed += copies * node.size
        return node, packed


Node = Union[Basic, Signature]
Items = tuple[tuple[Node, int], ...]

_basics: weakref.WeakValueDictionary[tuple[str, int], Basic] = weakref.WeakValueDictionary()
_signatures: weakref.WeakValueDictionary[Items, Signature] = weakref.WeakValueDictionary()


def signature(datatype: Datatype, count: int = 1) -> Signature:
    """Return the type signature of `count` entries of `datatype`.

    MPI_LB, MPI_UB and components without elements are left out. A pair type contributes its two
    parts (MPI-4.1, section 6.9.4). Only the order of the type map matters, not the displacements.
    """
    # Components first and without recursion: a chain of constructors may be very long.
    pending = [datatype]
    while pending:
        node = pending[-1]
        if node.signature is None:
            unknown = [c for c in node.components if c.signature is None]
            if unknown:
                pending.extend(set(unknown))
                continue
            node.signature = _of(node)
        pending.pop()
    return repeated(datatype.signature, count)


def repeated(part: Signature, count: int) -> Signature:
    """Return the signature of `count` copies."""
    return part if count == 1 else _repeated(part, count)


# Cached, because in a collective exchange one buffer is compared with those of hundreds of
# processes.
@functools.lru_cache(maxsize=256)
def _repeated(part: Signature, count: int) -> Signature:
    return _normal(((part, count),))


def concatenate(parts: Iterable[Signature]) -> Signature:
    """Return the signatures in sequence, as for the parts of a buffer of MPI_Alltoallw."""
    return _normal((part, 1) for part in parts)


def basic(kind: str, size: int) -> Basic:
    """Return the single object for a basic type."""
    found = _basics.get((kind, size))
    if found is None:
        found = _basics[kind, size] = Basic(kind, size)
    return found


def _of(node: Datatype) -> Signature:
    if not node.is_leaf:
        return _normal((part.signature, copies) for part, copies in node.shape.copies())
    if node.is_marker:
        return EMPTY
    if predefined.value_class(node.name) == "pair":
        first, second = pair_kinds(node.name)
        layout = predefined.pair_layout(node.name, node.size)
        parts = (basic(first, layout.value_size), 1), (basic(second, layout.index_size), 1)
        return _normal(parts)
    return _normal(((basic(_kind(node), node.size), 1),))


def pair_kinds(name: str) -> tuple[str, str]:
    """Return a pair type's basic types: for MPI_DOUBLE_INT these are MPI_DOUBLE and MPI_INT."""
    if name.startswith("MPI_2"):
        return f"MPI_{name[5:]}", f"MPI_{name[5:]}"
    return name[: -len("_INT")], "MPI_INT"


def _kind(node: Datatype) -> str:
    if node.combiner != "NAMED":
        # A parameterised type matches only types with the same p and r (MPI-4.1, section 19.1.9).
        given = [f"{name} {_undefined(value)}" for name, value in node.arguments.items()]
        return f"{node.combiner}({', '.join(given)})"
    known = element_address.ALIASES.get(element_address.kind(node))
    return f"MPI_{known}" if known else node.name


def _undefined(value: int) -> str:
    return "MPI_UNDEFINED" if value < 0 else str(value)


def _normal(parts: Iterable[tuple[Node, int]]) -> Signature:
    # Returns the unique signature of these parts: without empty parts, equal neighbors merged, and
    # a repetition of the whole list as one item.
    items: list[tuple[Node, int]] = []
    last: Node | None = None
    for node, count in parts:
        if not count or not node.elements:
            continue
        if isinstance(node, Signature):
            inner = node.items
            if len(inner) == 1:
                node, times = inner[0]
                count *= times
            elif count == 1 and len(inner) <= _SPLICED:
                if inner[0][0] is last:
                    items[-1] = (last, items[-1][1] + inner[0][1])
                    inner = inner[1:]
                items.extend(inner)
                last = items[-1][0]
                continue
        if node is last:
            items[-1] = (node, items[-1][1] + count)
        else:
            items.append((node, count))
            last = node
    period = _period(items)
    if period < len(items):
        items = [(_interned(tuple(items[:period])), len(items) // period)]
    if len(items) == 1 and items[0][1] == 1 and isinstance(items[0][0], Signature):
        return items[0][0]
    return _interned(tuple(items))


def _period(items: Sequence[tuple[Node, int]]) -> int:
    # Returns the length of the shortest prefix whose repetition gives `items`.
    count = len(items)
    for period in range(1, count // 2 + 1):
        if count % period == 0 and items[0] == items[period]:
            # Compares slices that grow, because most candidates differ early.
            end = period
            while end < count and items[:end] == items[period : period + end]:
                end *= 2
            if end + period > count and items[: count - period] == items[period:]:
                return period
    return count


def _interned(items: Items) -> Signature:
    found = _signatures.get(items)
    if found is None:
        found = _signatures[items] = Signature(items)
    return found


EMPTY = _interned(())
