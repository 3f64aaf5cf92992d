# SPDX-License-Identifier: MIT
"""Comparison of a datatype with a type of the program: each element must be on a matching member.

`compare` checks the whole datatype without expanding repetitions. If the datatype does not fit,
`compare` searches for a cause: displacements with the wrong sign, or counted from another member.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from mpipp.common.lazy_dataclass import dataclass
from mpipp.datatypes import element_address, memory
from mpipp.datatypes.memory import Overlap
from mpipp.program_types import types
from mpipp.program_types.compare import kind_match
from mpipp.program_types.compare.element_streams import Stream, streams
from mpipp.program_types.compare.member_lookup import Placement, Placer, TooMany
from mpipp.program_types.compare.typed_layout import Layout
from mpipp.program_types.types import ELSEWHERE, Path, Record, Scalar
from mpipp.typetree import Datatype

_MOST_CANDIDATES = 64  # members from which displacements may have been counted
_MOST_ELEMENTS_MOVED = 2000
_MOST_ELEMENTS_APART = 5000  # overlapping elements are checked one by one, up to this number


@dataclass(frozen=True)
class Problem:
    """Elements that are not on a matching member. Displacements and sizes are in bytes.

    Attributes:
        code: "outside" "padding" "straddles" "inside" "kind" "size" "pointer" "bits" "overlap"
            or "extent".
        certain: whether it is an error; otherwise it is suspicious.
        element: the first element's address; "" for "extent".
        count: the number of such elements.
        more: whether `element` does not name all of them.
    """

    code: str
    certain: bool
    element: str
    datatype: str
    displacement: int
    count: int
    member: str
    member_offset: int
    text: str
    more: bool = False


class Cover(NamedTuple):
    """Elements and their member, both folded: `[2][0..6](CHAR)` and `name[0..6]`."""

    stream: Stream
    path: Path
    layout: Layout
    origin: int
    repeated: bool  # whether addresses have the first index, that of the repetition

    @property
    def element(self) -> str:
        """The elements' addresses."""
        return self.stream.address(self.repeated)

    @property
    def displacement(self) -> int:
        """The displacement of the first element, in bytes from the start of the buffer."""
        return self.stream.start - self.origin

    @property
    def member(self) -> str:
        """The members' names."""
        return self.layout.spell(self.path)


@dataclass(frozen=True)
class Lack:
    """A member that elements do not cover, or not completely. `covered` and `size` are in bytes.

    For a member in an array, both are sums over all elements of the array.
    """

    member: str
    offset: int
    type: str
    covered: int
    size: int
    element_size: int
    elsewhere: bool  # a pointer or similar member, which is better not sent


@dataclass(frozen=True)
class Report:
    """The result of `compare`. `complete`: it checked every element.

    `lacks` is None if the coverage is unknown: too many elements overlap, or were not checked.
    """

    layout: Layout
    elements: int
    problems: tuple[Problem, ...]
    covers: tuple[Cover, ...]
    lacks: tuple[Lack, ...] | None
    hint: str
    complete: bool

    @property
    def errors(self) -> int:
        """The number of certain problems."""
        return sum(problem.certain for problem in self.problems)


def compare(datatype: Datatype, layout: Layout, count: int = 1, origin: int = 0) -> Report:
    """Compare `count` entries of `datatype` with an object.

    The buffer of the entries begins `origin` bytes in the object.
    """
    found = _Comparison(datatype, layout, count, origin).report()
    if not found.errors:
        return found
    return replace(found, hint=_hint(datatype, layout, count, origin))


class _Comparison:
    def __init__(self, datatype: Datatype, layout: Layout, count: int, origin: int) -> None:
        self._datatype = datatype
        self._layout = layout
        self._count = count
        self._origin = origin
        self._problems: dict[tuple[object, ...], Problem] = {}
        self._covers: list[Cover] = []
        self._bytes: dict[tuple[str, ...], int] = {}
        self._complete = True

    def report(self) -> Report:
        kind = self._layout.kind
        placer = Placer(kind, lambda ways: kind_match.best(ways, kind))
        try:
            for stream in streams(self._datatype, self._count, self._origin):
                for placement in placer.place(stream):
                    self._add(placement)
        except TooMany:
            self._complete = False
        twice = memory.self_overlap(self._datatype, self._count)
        problems = [*self._problems.values(), *self._overlap(twice), *self._extent()]
        # The wrong element next to the start comes first: later ones often follow from it.
        problems.sort(
            key=lambda problem: (
                not problem.certain,
                problem.code == "extent",
                abs(problem.displacement),
            )
        )
        return Report(
            layout=self._layout,
            elements=self._datatype.element_count * self._count,
            problems=tuple(problems),
            covers=tuple(self._covers),
            lacks=tuple(self._lacks()) if self._is_counted(twice) else None,
            hint="",
            complete=self._complete,
        )

    def _add(self, placement: Placement) -> None:
        layout, stream = self._layout, placement.stream
        on_member = placement.where == "member"
        repeated = self._count > 1
        if on_member:
            cover = Cover(stream, placement.path, layout, self._origin, repeated)
            self._covers.append(cover)
            self._count_bytes(placement.path, stream.count * stream.size)
        elif placement.where == "crossing":
            self._count_crossing(stream)
        doubt = kind_match.doubt(placement, layout.kind, layout.spell, layout.name)
        if doubt is None:
            return
        path = placement.path if on_member else self._first_path(stream)
        key = doubt.code, stream.leaf, stream.part, _collapsed(path), on_member
        before = self._problems.get(key)
        if before is not None:
            self._problems[key] = replace(before, count=before.count + stream.count, more=True)
            return
        address = stream.address(repeated)
        at = stream.start - self._origin
        self._problems[key] = Problem(
            code=doubt.code,
            certain=doubt.certain,
            element=address,
            datatype=stream.leaf.name or stream.leaf.combiner,
            displacement=at,
            count=stream.count,
            member=layout.spell(placement.path) if on_member else "",
            member_offset=placement.offset,
            text=f"{address} at {at}: {doubt.words}",
        )

    def _first_path(self, stream: Stream) -> Path:
        # The first member that the first element touches.
        touched = types.within(self._layout.kind, stream.start, stream.start + stream.size)
        return next((path for path, _, _ in touched), ())

    def _count_crossing(self, stream: Stream) -> None:
        low, high = stream.start, stream.start + stream.size
        for path, at, scalar in types.within(self._layout.kind, low, high):
            shared = min(high, at + scalar.size) - max(low, at)
            self._count_bytes(path, shared * stream.count)

    def _count_bytes(self, path: Path, number: int) -> None:
        key = _collapsed(path)
        self._bytes[key] = self._bytes.get(key, 0) + number

    def _is_counted(self, twice: Overlap | None) -> bool:
        return self._complete and (twice is None or self._count_apart())

    def _count_apart(self) -> bool:
        # Counts each byte once that overlapping elements cover. False if there are too many
        # elements.
        if self._datatype.element_count * self._count > _MOST_ELEMENTS_APART:
            return False
        spans: dict[tuple[str, ...], list[tuple[int, int]]] = {}
        for stream in streams(self._datatype, self._count, self._origin):
            for low in stream.starts():
                high = low + stream.size
                for path, at, scalar in types.within(self._layout.kind, low, high):
                    span = max(low, at), min(high, at + scalar.size)
                    spans.setdefault(_collapsed(path), []).append(span)
        self._bytes = {key: _union(found) for key, found in spans.items()}
        return True

    def _overlap(self, twice: Overlap | None) -> Iterator[Problem]:
        if twice is None or twice.first is None or twice.second is None:
            return
        first, second = (
            f"{element.short_path}({element_address.kind(element.datatype)})"
            for element in (twice.first, twice.second)
        )
        leaf = twice.first.datatype
        at = f"[{twice.start}, {twice.end})"
        text = f"{first} and {second} share the bytes {at}: a receive must not write them"
        place = twice.first.displacement
        yield Problem("overlap", False, first, leaf.name or leaf.combiner, place, 1, "", 0, text)

    def _extent(self) -> Iterator[Problem]:
        # Checks the extent only for a single object: a vector over an array need not have the
        # array's extent. A predefined datatype covers one member anyway.
        tree, kind, extent = self._datatype, self._layout.kind, self._datatype.extent
        if not isinstance(kind, Record) or extent == kind.size:
            return
        if tree.is_leaf or not tree.element_count:
            return
        text = (
            f"the extent is {extent} bytes, but {_sizeof(kind)} is {kind.size}: with a count above "
            "1 further entries are out of place: use MPI_Type_create_resized"
        )
        yield Problem("extent", False, "", "", 0, 1, "", 0, text)

    def _lacks(self) -> Iterator[Lack]:
        for path, at, leaf, count in types.leaves(self._layout.kind):
            key = _collapsed(path)
            size = count * leaf.size
            if isinstance(leaf, Record):
                # A union is covered if one of its alternatives is.
                covered = sum(n for k, n in self._bytes.items() if k[: len(key)] == key)
                covered = size if covered else 0
            else:
                covered = min(size, self._bytes.get(key, 0))
            if covered < size and not (isinstance(leaf, Scalar) and leaf.kind == "vptr"):
                elsewhere = isinstance(leaf, Scalar) and leaf.kind in ELSEWHERE
                name = leaf.name if isinstance(leaf, Scalar) else "a union"
                yield Lack(self._layout.spell(path), at, name, covered, size, leaf.size, elsewhere)


def _collapsed(path: Path) -> tuple[str, ...]:
    return tuple(step if isinstance(step, str) else "[]" for step in path)


def _union(spans: list[tuple[int, int]]) -> int:
    # The number of bytes in at least one of the ranges.
    total, end = 0, -(1 << 100)
    for low, high in sorted(spans):
        total += max(0, high - max(low, end))
        end = max(end, high)
    return total


def _sizeof(kind: Record) -> str:
    if kind.fortran:
        return f"the size of {kind.name}"
    return f"sizeof({kind.name})"


def _hint(datatype: Datatype, layout: Layout, count: int, origin: int) -> str:
    # Suggests a change with which the datatype would fit.
    turned = _turned(datatype)
    if turned is not None:
        mirrored, before, after = turned
        if not _Comparison(mirrored, layout, count, origin).report().errors:
            return (
                f"the displacements {before} would fit as {after}: the addresses were subtracted "
                "the wrong way round (member - start is right, start - member is wrong)"
            )
    return _shifted(datatype, layout, count, origin)


def _turned(datatype: Datatype) -> tuple[Datatype, str, str] | None:
    # The datatype with negated displacements in its outermost list, and both lists as text.
    if datatype.combiner in ("RESIZED", "DUP"):
        inner = _turned(datatype.components[0])
        if inner is None:
            return None
        arguments = {name: abs(value) for name, value in datatype.arguments.items()}
        return Datatype(datatype.combiner, arguments, (inner[0],)), *inner[1:]
    displacements = datatype.arguments.get("displacements")
    if not displacements or min(displacements) >= 0 or max(displacements) > 0:
        return None
    negated = tuple(-value for value in displacements)
    arguments = {**datatype.arguments, "displacements": negated}
    tree = Datatype(datatype.combiner, arguments, datatype.components)
    return tree, _listed(displacements), _listed(negated)


def _listed(numbers: tuple[int, ...]) -> str:
    shown = ", ".join(map(str, numbers[:8]))
    return "{" + shown + (", ...}" if len(numbers) > 8 else "}")


def _shifted(datatype: Datatype, layout: Layout, count: int, origin: int) -> str:
    if not isinstance(layout.kind, Record) or datatype.element_count > _MOST_ELEMENTS_MOVED:
        return ""
    first = next(streams(datatype, count, origin), None)
    if first is None:
        return ""
    for number, (path, at, leaf, _) in enumerate(types.leaves(layout.kind)):
        if number == _MOST_CANDIDATES:
            break
        by = at - first.start
        elsewhere = isinstance(leaf, Scalar) and leaf.kind in ELSEWHERE
        if not by or leaf.size < first.size or elsewhere:
            continue
        if not _Comparison(datatype, layout, count, origin + by).report().errors:
            return (
                f"all displacements would fit with {by} added, {first.first().address(False)} on "
                f"{layout.spell(path)}: they are not counted from the start of {layout.name}"
            )
    return ""
