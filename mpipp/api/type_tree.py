# SPDX-License-Identifier: MIT
"""mpipp in a Python program or a notebook: `TypeTree`, a datatype with methods that explain it.

Nothing here needs a debugger. Results show themselves as text and, where useful, as SVG in a
notebook.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

from mpipp.analysis.rules import cited
from mpipp.api.from_mpi4py import from_mpi4py, standard
from mpipp.common.errors import MpippError, UnreadableMemory
from mpipp.common.lazy_dataclass import dataclass
from mpipp.datatypes import element_address
from mpipp.datatypes import memory as buffer_memory
from mpipp.datatypes.element_address import Element
from mpipp.datatypes.memory import Overlap
from mpipp.datatypes.signatures import formatting, matching, signature
from mpipp.datatypes.values.nodes import buffer as values
from mpipp.render import memory_map as memory_maps
from mpipp.render import signature_mismatch
from mpipp.render.datatype_structs import quoted
from mpipp.render.memory_map import blocks_text, memory_map
from mpipp.render.memory_map import svg as memorymap_svg
from mpipp.render.print_settings import Limits
from mpipp.render.type_tree_svg import tree_svg
from mpipp.render.type_tree_text import expanded_tree, meta_tree
from mpipp.render.value_text import values_text
from mpipp.typetree import Datatype


class Text(str):
    """Text of several lines; an interactive prompt shows it without quotes or escapes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True, repr=False)
class Picture:
    """A drawing: in characters, and in a notebook as `svg`."""

    text: str
    svg: str

    def __repr__(self) -> str:
        return self.text

    def _repr_svg_(self) -> str:
        return self.svg


@dataclass(frozen=True, repr=False)
class Match:
    """The comparison of two type signatures; true if they match in all elements.

    Attributes:
        verdict: "match", "partial", "longer" or "mismatch". For "partial" the first signature ends
            early, which is legal in point-to-point but not in collective communication. For
            "longer"
            the second one ends early: the message is truncated.
        equal: the number of leading elements that agree.
        first: the element of the first signature after these; None at its end.
        second: the element of the second signature after these; None at its end.
    """

    verdict: str
    equal: int
    first: Element | None
    second: Element | None
    text: str

    def __bool__(self) -> bool:
        return self.verdict == "match"

    def __repr__(self) -> str:
        return self.text


class TypeTree:
    """A datatype: its type-tree, and the memory that it describes.

    Sizes, bounds, extents, displacements and positions are in bytes, counts in entries of the
    datatype. Wrong arguments raise MpippError with one sentence.
    """

    __slots__ = ("datatype",)

    def __init__(self, datatype: Datatype) -> None:
        """Wrap a datatype described by hand; `from_mpi4py` queries MPI."""
        if not isinstance(datatype, Datatype):
            raise MpippError(
                f"expected an mpipp.Datatype, not {type(datatype).__name__}: "
                "for an MPI.Datatype write TypeTree.from_mpi4py"
            )
        self.datatype = datatype

    @classmethod
    def from_mpi4py(cls, datatype: Any) -> TypeTree:
        """The type-tree of an mpi4py `MPI.Datatype`, committed or not.

        Raises MpippError for the null datatype, for a freed one, and when MPI is not initialized.
        """
        return cls(from_mpi4py(datatype))

    def __str__(self) -> str:
        return "\n".join(meta_tree(self.datatype))

    def __repr__(self) -> str:
        what = self.datatype.name
        if self.datatype.combiner != "NAMED":
            what = self.datatype.combiner + (f" {quoted(what)}" if what else "")
        return f"<TypeTree {what}, size {self.size}, extent {self.extent}>"

    def _repr_svg_(self) -> str:
        return tree_svg(self.datatype)

    @property
    def size(self) -> int:
        """Bytes of data, without gaps."""
        return self.datatype.size

    @property
    def lb(self) -> int:
        """The lower bound."""
        return self.datatype.lb

    @property
    def ub(self) -> int:
        """The upper bound."""
        return self.datatype.ub

    @property
    def extent(self) -> int:
        """The distance from one entry to the next, which is the upper bound minus the lower."""
        return self.datatype.extent

    @property
    def true_lb(self) -> int:
        """The displacement of the first byte of data."""
        return self.datatype.true_lb

    @property
    def true_extent(self) -> int:
        """The distance from the first byte of data to the end of the last byte."""
        return self.datatype.true_extent

    @property
    def element_count(self) -> int:
        """Basic elements in one entry, as MPI_Get_elements counts them."""
        return self.datatype.element_count

    def expanded(self, depth: int = 3) -> Text:
        """The expanded type-tree down to `depth` datatypes, with the bytes of every part."""
        return _text(expanded_tree(self.datatype, _integer(depth, "depth")))

    def element(self, address: str, count: int | None = None) -> Element:
        """Return the element at an address in the notation of mpipp and MUST.

        Examples are "[2][5]" and "(VECTOR)[2][5](INT)". If there is one index more than the tree
        has levels, the first index selects the entry of a buffer of `count` entries.
        """
        count = None if count is None else _amount(count)
        return element_address.resolve(self.datatype, element_address.parse(address), count)

    def at(self, displacement: int, count: int = 1) -> list[Element]:
        """The basic elements, in `count` entries, that hold the byte at a displacement.

        There are several if the datatype overlaps itself. Raises MpippError if there is none.
        """
        displacement = _integer(displacement, "displacement")
        return element_address.at_displacement(self.datatype, displacement, _amount(count))

    def packed(self, position: int, count: int | None = None) -> Element:
        """The basic element that holds the byte at a position of the packed data."""
        count = None if count is None else _amount(count)
        return element_address.at_packed(self.datatype, _integer(position, "position"), count)

    def typesig(self, count: int = 1) -> Text:
        """The type signature of `count` entries, repetitions folded: `2 x {MPI_INT, MPI_CHAR}`."""
        return Text(formatting.text(signature(self.datatype, _amount(count)), Limits().elements))

    def match(self, other: TypeTree, count: int = 1, other_count: int = 1) -> Match:
        """Compare `count` entries sent with `other_count` entries of `other` received."""
        sender, receiver = _entries(self.datatype, count), _entries(_of(other), other_count)
        found = signature_mismatch.compare(sender, receiver)
        return Match(
            found.verdict,
            found.equal,
            _element(sender, found.first),
            _element(receiver, found.second),
            "\n".join(signature_mismatch.lines(found, sender, receiver, cite=_cited)),
        )

    def blocks(self, count: int = 1) -> Text:
        """The memory that `count` entries touch: strided blocks, holes, alignment, overlap."""
        found = memory_map(self.datatype, _amount(count))
        return _text(blocks_text.lines(found, self.datatype.name or "type", Limits().elements))

    def map(self, count: int = 1) -> Picture:
        """Draw the memory that `count` entries touch, byte by byte; long pictures are folded."""
        found = memory_map(self.datatype, _amount(count))
        return Picture("\n".join(memory_maps.text(found)), memorymap_svg.svg(found))

    def overlap(
        self,
        address: int,
        other: TypeTree,
        other_address: int,
        count: int = 1,
        other_count: int = 1,
    ) -> Overlap | None:
        """Return bytes that two buffers share and an element of each, or None."""
        return buffer_memory.between(
            buffer_memory.Buffer(self.datatype, _amount(count), _integer(address, "address")),
            buffer_memory.Buffer(
                _of(other), _amount(other_count), _integer(other_address, "address")
            ),
        )

    def self_overlap(self, count: int = 1) -> Overlap | None:
        """Return two elements of `count` entries that share bytes; None if none do.

        Such a buffer must not be received into (MPI-4.1, section 5.1.11).
        """
        return buffer_memory.self_overlap(self.datatype, _amount(count))

    def values(self, buffer: Any, count: int = 1, offset: int = 0) -> Text:
        """Return the values of `count` entries in a buffer, nested like the type-tree.

        `buffer` is anything contiguous with the buffer protocol: an array, bytes. Displacement 0 of
        the datatype is `offset` bytes in it. Raises MpippError if data would lie outside the
        buffer.
        """
        memory = _Buffer(buffer)
        count, offset = _amount(count), _integer(offset, "offset")
        memory.check(self.datatype, count, offset)
        return Text(values_text(values(memory, offset, count, self.datatype)))


def _text(lines: Iterable[str]) -> Text:
    return Text("\n".join(lines))


def _of(other: TypeTree) -> Datatype:
    if not isinstance(other, TypeTree):
        raise MpippError(
            f"expected a TypeTree, not {type(other).__name__}: for an MPI.Datatype write "
            "TypeTree.from_mpi4py"
        )
    return other.datatype


def _integer(number: int, what: str) -> int:
    try:
        return operator.index(number)
    except TypeError:
        raise MpippError(f"the {what} is {number!r}: it must be an integer") from None


def _amount(count: int) -> int:
    count = _integer(count, "count")
    if count < 0:
        raise MpippError(f"the count is {count}: it must not be negative")
    return count


def _entries(datatype: Datatype, count: int) -> signature_mismatch.Entries:
    name = "" if datatype.combiner == "NAMED" else datatype.name
    return signature_mismatch.Entries(name, datatype, _amount(count))


def _cited(section: str) -> str:
    return cited(section, standard())


def _element(entries: signature_mismatch.Entries, side: matching.Side | None) -> Element | None:
    return None if side is None else signature_mismatch.place(entries, side).element


class _Buffer:
    # An object with the buffer protocol as memory that starts at address 0.

    def __init__(self, buffer: Any) -> None:
        try:
            view = memoryview(buffer)
        except TypeError:
            raise MpippError(
                f"expected a buffer, not {type(buffer).__name__}: pass an array or bytes"
            ) from None
        if not view.contiguous:
            raise MpippError(
                "the buffer is not contiguous: pass the whole array that it is part of"
            )
        self._bytes: memoryview | bytes
        try:
            self._bytes = view.cast("B")
        except TypeError:  # Fortran order, complex numbers, or no items
            self._bytes = view.tobytes("A") if view.nbytes else b""

    def check(self, datatype: Datatype, count: int, offset: int) -> None:
        """Check that `count` entries at `offset` lie in the buffer. Raises MpippError."""
        if not count or not datatype.element_count:
            return
        last = (count - 1) * datatype.extent
        low = offset + datatype.true_lb + min(0, last)
        high = offset + datatype.true_ub + max(0, last)
        size = len(self._bytes)
        if low < 0 or high > size:
            raise MpippError(
                f"the data would lie in bytes {low} to {high} of the buffer, which has {size}: "
                "check count and offset"
            )

    def read(self, address: int, length: int) -> bytes:
        """Return bytes of the buffer."""
        if address < 0 or address + length > len(self._bytes):
            raise UnreadableMemory(address, length)
        return bytes(self._bytes[address : address + length])
