# SPDX-License-Identifier: MIT
"""The comparison of two type signatures as text, with the address of the element on both sides."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from mpipp.common.lazy_dataclass import dataclass
from mpipp.datatypes import element_address, predefined
from mpipp.datatypes.element_address import Element
from mpipp.datatypes.signatures import matching
from mpipp.datatypes.signatures.matching import Comparison, Side
from mpipp.datatypes.signatures.runlength import Signature, signature
from mpipp.render import json_output
from mpipp.typetree import Datatype

_FORTRAN = re.compile(
    r"MPI_((INTEGER|REAL|COMPLEX|LOGICAL)\d*|DOUBLE_PRECISION|DOUBLE_COMPLEX|CHARACTER)"
)


@dataclass(frozen=True)
class Entries:
    """`count` entries of a datatype that the user wrote as `text`."""

    text: str
    datatype: Datatype
    count: int

    @property
    def signature(self) -> Signature:
        """The type signature of the entries."""
        return signature(self.datatype, self.count)


@dataclass(frozen=True)
class Place:
    """A basic element of one side, with its basic type and its displacement in bytes.

    `element` is the element that contains it: itself (`part` is 0), or a pair of which it is `part`
    1 or 2.
    """

    text: str
    kind: str
    displacement: int
    element: Element
    part: int


def place(entries: Entries, side: Side) -> Place:
    """The place of an element from `matching.compare`."""
    element = element_address.at_packed(entries.datatype, side.packed, entries.count)
    name = element.datatype.name
    part, displacement = 0, element.displacement
    if predefined.value_class(name) == "pair":
        part = 1
        if side.packed > element.packed:
            part = 2
            displacement += predefined.pair_layout(name, element.datatype.size).index_offset
    return Place(entries.text + element.path, side.kind, displacement, element, part)


def lines(
    comparison: Comparison, sender: Entries, receiver: Entries, *, cite: Callable[[str], str]
) -> Iterator[str]:
    """The lines about `matching.compare(sender.signature, receiver.signature)`.

    `cite` converts a section of MPI-4.1 to that of the library's version (`analysis.rules.cited`).
    """
    sent, received = sender.signature, receiver.signature
    yield _verdict(comparison, sent, received)
    rows = []
    for entries, side, word in (
        (sender, comparison.first, "sent" if comparison.second else "cut off from"),
        (receiver, comparison.second, "received" if comparison.first else "unchanged from"),
    ):
        if side is not None:
            found = place(entries, side)
            what = found.kind
            if found.part:
                what += f" ({'1st' if found.part == 1 else '2nd'} part of the pair)"
            where = f"displacement {found.displacement}, packed {side.packed}"
            rows.append((f"  {word}", found.text, what, where))
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
    reason, section = _reason(comparison)
    if reason:
        yield f"{reason} ({cite(section)})"


def _verdict(comparison: Comparison, sent: Signature, received: Signature) -> str:
    equal = comparison.equal
    first, second = comparison.first, comparison.second
    if comparison.verdict == "partial":
        return (
            f"partial: {_elements(equal)} of the {received.elements} received are sent: "
            "legal in point-to-point, not in collective communication"
        )
    if comparison.verdict == "longer":
        return (
            f"longer: {_elements(sent.elements)} sent, but only {equal} received: "
            "the message is truncated (MPI_ERR_TRUNCATE)"
        )
    if first is None or second is None:
        size = f", {sent.size} bytes" if sent.size == received.size else ""
        return f"match: {_elements(equal)}{size}"
    if comparison.unknown:
        equals = f"{_elements(equal, 'equal ')}, then " if equal else ""
        return f"match as far as known: {equals}MPI_PACKED, whose content is not known"
    after = f"after {_elements(equal, 'equal ')}" if equal else "at the first element"
    return f"mismatch {after}: {first.kind} is sent, {second.kind} received"


def _elements(number: int, which: str = "") -> str:
    return f"{number} {which}element{'' if number == 1 else 's'}"


def _reason(comparison: Comparison) -> tuple[str, str]:
    # The reason why two types with the same name do not match, and the section of MPI-4.1; or "",
    # "".
    first, second = comparison.first, comparison.second
    if comparison.verdict != "mismatch" or first is None or second is None:
        return "", ""
    kinds = (first.kind, second.kind)
    if "MPI_BYTE" in kinds:
        return "MPI_BYTE matches only MPI_BYTE", "3.3.1"
    if any(kind.startswith("F90_") for kind in kinds):
        return (
            "a parametrised Fortran type matches only one made with the same p and r",
            "19.1.9",
        )
    if len([kind for kind in kinds if _FORTRAN.fullmatch(kind)]) == 1:
        return "types of C and of Fortran do not match", "19.3.10"
    return "", ""


def content(comparison: Comparison, sender: Entries, receiver: Entries) -> Mapping[str, Any]:
    """The result for JSON (`machine.document`)."""
    return {
        "verdict": comparison.verdict,
        "known": not comparison.unknown,
        "equal": comparison.equal,
        "sender": _side(sender, comparison.first),
        "receiver": _side(receiver, comparison.second),
    }


def _side(entries: Entries, side: Side | None) -> Mapping[str, Any]:
    whole = entries.signature
    found = None if side is None else place(entries, side)
    return {
        "datatype": entries.text,
        "count": entries.count,
        "elements": whole.elements,
        "size": whole.size,
        "element": None
        if found is None
        else {**json_output.element(found.element), "type": found.kind, "part": found.part},
    }


def compare(sender: Entries, receiver: Entries) -> Comparison:
    """Compare the type signatures of a send and a receive."""
    return matching.compare(sender.signature, receiver.signature)
