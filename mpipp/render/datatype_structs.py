# SPDX-License-Identifier: MIT
"""A datatype handle as a C struct of the constructor and its arguments (figure 5 of the paper).

`members` is the only definition, for text and for debuggers that expand it member by member.
`offset` is always in bytes, `displacement` always in multiples of the component's extent. All other
names are the standard's argument names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Union, overload

from mpipp.common.text.sanitize import escape
from mpipp.typetree import ARGUMENTS, Datatype


class Constant(str):
    """A name printed without quotes: STRUCT, FORTRAN."""

    __slots__ = ()


class Own(Constant):
    """A constant that differs in each call: an address, a handle."""

    __slots__ = ()


class Entries(Sequence["Members"]):
    """The blocks of a datatype, one struct each, created on demand."""

    def __init__(self, datatype: Datatype) -> None:
        self._datatype = datatype

    def __len__(self) -> int:
        return int(self._datatype.arguments["count"])

    @overload
    def __getitem__(self, i: int) -> Members: ...
    @overload
    def __getitem__(self, i: slice) -> Sequence[Members]: ...
    def __getitem__(self, i: int | slice) -> Members | Sequence[Members]:
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        node = self._datatype
        name = "displacement" if node.combiner == "INDEXED" else "offset"
        entry: Members = [
            ("blocklength", node.arguments["blocklengths"][i]),
            (name, node.arguments["displacements"][i]),
        ]
        if node.combiner == "STRUCT":
            entry.append(("type", type_value(node.components[i])))
        return entry


# A number, a constant, a quoted text, a nested datatype, or an array of values or structs.
Value = Union[int, Constant, str, Datatype, Sequence[Union[int, Constant]], Entries]
Members = list[tuple[str, Value]]

# Constructors whose displacements are in bytes, and arguments that are not shown.
_OFFSETS = frozenset({"HINDEXED_BLOCK"})
_HIDDEN = frozenset({"blocklengths", "displacements"})


def members(datatype: Datatype) -> Members:
    """The members of `datatype`'s struct, in order; [] for a predefined datatype.

    A predefined datatype is printed as its name alone.
    """
    if datatype.combiner == "NAMED":
        return []
    combiner, arguments = datatype.combiner, datatype.arguments
    result: Members = [("kind", Constant(combiner))]
    if datatype.name:
        result.append(("name", datatype.name))
    entries = "blocklengths" in ARGUMENTS[combiner]
    for name in ARGUMENTS[combiner]:
        value = arguments[name]
        if entries and name in _HIDDEN:
            continue
        if name == "displacements" and combiner in _OFFSETS:
            name = "offsets"
        result.append((name, _argument(name, value)))
    if entries:
        result.append(("entries", Entries(datatype)))
    if combiner == "VALUE_INDEX":
        names = "value_type", "index_type"
        result += [(n, type_value(part)) for n, part in zip(names, datatype.components)]
    elif combiner != "STRUCT" and datatype.components:
        result.append(("type", type_value(datatype.components[0])))
    return result


def type_value(datatype: Datatype) -> str | Datatype:
    """A component as the value of a member: a predefined datatype's name, or the
    datatype itself."""
    return datatype.name if datatype.combiner == "NAMED" else datatype


def quoted(text: str) -> str:
    """`text` as a C string in quotes. Printable characters beyond ASCII stay, as in gdb."""
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    if not character.isascii() and character.isprintable():
        return character
    return "".join(escape(code, '"') for code in _bytes(character))


def _bytes(character: str) -> bytes:
    # Python decodes a byte that is not UTF-8 as a surrogate (PEP 383).
    return character.encode(errors="surrogateescape")


def _argument(name: str, value: object) -> Value:
    if name == "order":
        return Constant(value)
    if name == "distribs":
        assert isinstance(value, tuple)
        return [Constant(item) for item in value]
    if name == "dargs":
        assert isinstance(value, tuple)
        return [Constant("DFLT_DARG") if item is None else int(item) for item in value]
    assert isinstance(value, (int, tuple))
    return value
