# SPDX-License-Identifier: MIT
"""A plan for the datatype of a struct, class or derived type of the program: its blocks.

Members of nested structs are listed by their own names. Structs in arrays, and structs that occur
more than once, get a datatype of their own. Pointers are left out, because they have no meaning in
another process. Members without an MPI type are sent as bytes.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from mpipp.common.errors import MpippError
from mpipp.common.lazy_dataclass import dataclass
from mpipp.program_types import types
from mpipp.program_types.types import ELSEWHERE, Array, Member, Record, Scalar, Type

# The characters of names of types and members, also of template arguments.
_NAME = re.compile(r"[\w\s:<>,*&()'\[\]{}.$-]*")
_MOST_ELEMENTS = (1 << 31) - 1  # the blocklength is an int


class Entry(NamedTuple):
    """One block of the struct: `blocklength` times a predefined datatype, or that of `nested`.

    The block is `extra` bytes behind `member`. `member` is "" if the language has no name for the
    place. `offset` is the whole displacement in bytes.
    """

    member: str
    extra: int
    offset: int
    blocklength: int
    datatype: str
    nested: Record | None
    comment: str


@dataclass(frozen=True)
class Plan:
    """A plan for the datatype of one record: its blocks, and omissions with reasons."""

    record: Record
    entries: tuple[Entry, ...]
    omitted: tuple[str, ...]


def plans(record: Record) -> list[Plan]:
    """Return the plans for a record, and before it for nested records with their own datatypes.

    Raises MpippError if there is nothing to send.
    """
    nested = _nested(record)
    found: dict[Record, Plan] = {}

    def add(one: Record) -> None:
        plan = _plan(one, nested)
        for entry in plan.entries:
            if entry.nested is not None and entry.nested not in found:
                add(entry.nested)
        found[one] = plan

    add(record)
    if not found[record].entries:
        raise MpippError(f"{record.name} has {_empty_reason(found[record])}")
    return list(found.values())


def _expect_name(name: str) -> None:
    # A damaged file may have any text as a name, and the user will compile the result.
    depth = 0
    for character in name:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            break
    if depth or not _NAME.fullmatch(name):
        raise MpippError(f"{name} is not an identifier: mpipp cannot write source code for it")


def _empty_reason(plan: Plan) -> str:
    return f"nothing to send: {'; '.join(plan.omitted) or 'no members'}"


def _has_data(kind: Type) -> bool:
    # Return whether there is anything to send.
    if isinstance(kind, Scalar):
        return kind.kind not in ELSEWHERE
    if isinstance(kind, Array):
        return kind.count > 0 and _has_data(kind.element)
    return kind.union or any(_has_data(member.type) for member in kind.members)


def _nested(record: Record) -> frozenset[Record]:
    # The records that get a datatype of their own.
    counts: dict[Record, int] = {}

    def look(kind: Type, copies: int) -> None:
        if isinstance(kind, Array):
            look(kind.element, 2)
        elif isinstance(kind, Record) and not kind.union:
            known = kind in counts
            counts[kind] = counts.get(kind, 0) + copies
            for member in () if known else kind.members:
                look(member.type, 1)

    for member in record.members:
        look(member.type, 1)
    return frozenset(kind for kind, count in counts.items() if count > 1)


def _plan(record: Record, nested: frozenset[Record]) -> Plan:
    entries: list[Entry] = []
    omitted: list[str] = []

    def add(members: tuple[Member, ...], prefix: str, at: int, known: tuple[str, int]) -> None:
        # `known` is the innermost member that the source code can name, with its offset.
        separator = "%" if record.fortran else "."
        for member in members:
            _expect_name(member.name)
            name = f"{prefix}{separator}{member.name}" if prefix else member.name
            offset = at + member.offset
            place = known
            if member.name and not member.hidden and known[0] == prefix and ":" not in member.name:
                place = (name, offset)
            block = _Block(name, offset, place, member.hidden)
            kind, count = _counted(member.type)
            own = isinstance(kind, Record) and not kind.union and kind not in nested
            if own and count == 1 and isinstance(kind, Record):
                add(kind.members, name, offset, place)
                continue
            _add(block, kind, count, record.fortran, entries, omitted)

    _expect_name(record.name)
    if record.union:
        raise MpippError(f"{record.name} is a union: make the datatype of the member that is used")
    add(record.members, "", 0, ("", 0))
    return Plan(record, tuple(entries), tuple(omitted))


class _Block(NamedTuple):
    name: str
    offset: int
    place: tuple[str, int]
    hidden: str


def _counted(kind: Type) -> tuple[Type, int]:
    count = 1
    while isinstance(kind, Array):
        count *= kind.count
        kind = kind.element
    return kind, count


def _add(
    block: _Block,
    kind: Type,
    count: int,
    fortran: bool,
    entries: list[Entry],
    omitted: list[str],
) -> None:
    what = block.name or f"the bytes at {block.offset}"
    comment = what if "::" in what else ""
    if block.hidden:
        comment = f"{what} is {block.hidden}"
    if not count:
        omitted.append(f"{what} has no elements")
        return
    if isinstance(kind, Scalar) and kind.kind in ELSEWHERE:
        omitted.append(f"{what} is {ELSEWHERE[kind.kind]}")
        return
    nested = kind if isinstance(kind, Record) and not kind.union else None
    if nested is not None and not _has_data(nested):
        omitted.append(f"{what} has {_empty_reason(_plan(nested, frozenset()))}")
        return
    datatype = types.datatype_name(kind, fortran) if isinstance(kind, Scalar) else ""
    if nested is None and not datatype:
        count *= kind.size
        datatype = "MPI_BYTE"
        comment = _as_bytes(block.name.rstrip(".%"), kind)
    if count > _MOST_ELEMENTS:
        raise MpippError(f"{what} has {count} elements: a blocklength is at most {_MOST_ELEMENTS}")
    member, at = block.place
    extra = block.offset - at
    entries.append(Entry(member, extra, block.offset, count, datatype, nested, comment))


def _as_bytes(name: str, kind: Type) -> str:
    if isinstance(kind, Record):
        return f"{name + ' is ' if name else ''}a union: as bytes"
    if kind.name == name:
        return f"bit fields {name}: as bytes"
    return f"{name} is {kind.name}: as bytes"
