# SPDX-License-Identifier: MIT
"""Check that a datatype fits the variable for which it is used (MPI-4.1, section 3.3.1).

mpipp reports only errors that are certain from debug information. The buffer must be in a declared
variable, because heap memory has no type of its own. Or it is the target of a pointer to numbers in
the function that calls MPI. No pointer to it may fit the datatype, or point to void or characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Optional

from mpipp.analysis.context.process import Operation
from mpipp.analysis.findings.finding import Finding, Party
from mpipp.datatypes import alignment
from mpipp.model import Buffer, DatatypeRecord, Share
from mpipp.program_types.compare import Layout, Problem, Report, compare, focused, opened
from mpipp.program_types.types import Scalar, Type, leaves
from mpipp.render.phrases import Phrase
from mpipp.typetree import Datatype

_CERTAIN = ("kind", "size", "straddles", "inside", "padding", "pointer")
_MOST_SHARES = 16  # peers of a v or w form's buffer that are checked
_MOST_REPORTED = 3  # elements


class Part(NamedTuple):
    """A piece of a buffer: the whole buffer, or in v and w forms the part for one process."""

    record: DatatypeRecord
    address: int
    entries: int
    peer: int | None


class Use(NamedTuple):
    """A variable that holds a part's data, or a pointer that leads to them.

    Attributes:
        layout: its type, or that of the pointer's target.
        origin: where the part begins in it, bytes.
        is_open: whether it is a pointer's target, with an unknown number of objects.
        is_declared: whether the memory itself was declared with this type.
        is_of_caller: whether it is the target of a pointer in the function that calls MPI.
    """

    layout: Layout
    origin: int
    is_open: bool
    is_declared: bool
    is_of_caller: bool = False

    @property
    def has_type(self) -> bool:
        """Return whether the variable shows the type of the data."""
        is_number = isinstance(self.layout.kind, Scalar) and self.layout.kind.size > 1
        return self.is_declared or (self.is_of_caller and is_number)


Uses = Sequence[Optional[Use]]  # None: a pointer that does not show the type


def parts(operation: Operation, buffer: Buffer) -> Iterator[Part]:
    """Yield parts whose data are not only bytes. Parts from MPI_BOTTOM are left out."""
    if not buffer.address:
        return
    pieces: Iterable[tuple[int | None, Share]]
    if buffer.shares is None:
        pieces = [(None, Share(buffer.total_count, 0, buffer.datatype))]
    elif operation.among_neighbors:  # some neighbors may be MPI_PROC_NULL
        return
    else:
        pieces = enumerate(map(buffer.share, range(min(buffer.share_count, _MOST_SHARES))))
    for peer, one in pieces:
        record = one.datatype
        if one.count <= 0 or one.displacement is None or not isinstance(record, DatatypeRecord):
            continue
        if record.tree.size > record.tree.element_count:
            yield Part(record, buffer.address + one.displacement, one.count, peer)


def comparison(tree: Datatype, count: int, use: Use) -> Report:
    """Compare `count` entries of a datatype with the part of a variable that holds them."""
    layout, reach = use.layout, (count - 1) * tree.extent
    low, high = tree.true_lb + min(0, reach), tree.true_ub + max(0, reach)
    if use.is_open and not use.origin:
        layout = opened(tree, layout, count)
    layout, offset = focused(layout, use.origin + low, use.origin + high)
    return compare(tree, layout, count, use.origin - offset)


def check(
    operation: Operation, buffer: Buffer, part: Part, uses: Uses, party: Party
) -> Finding | None:
    """Return the finding for a datatype that certainly fits none of the variables, or None.

    Args:
        party: the operation.
    """
    known = [use for use in uses if use is not None]
    if len(known) < len(uses) or not any(use.has_type for use in known):
        return None
    reports = [comparison(part.record.tree, part.entries, use) for use in known]
    if not all(map(_wrong, reports)):
        return None
    typed = [(use, report) for use, report in zip(known, reports) if use.has_type]
    _, best = max(typed, key=lambda one: one[0].is_declared)
    return None if _holds_bytes(best) else _finding(operation, buffer, part, best, party)


def _wrong(report: Report) -> list[Problem]:
    return [
        problem
        for problem in report.problems
        if problem.certain and problem.code in _CERTAIN and report.complete
    ]


def _holds_bytes(report: Report) -> bool:
    # A variable of bytes may hold any data.
    return all(_is_byte(leaf) for _, _, leaf, _ in leaves(report.layout.kind))


def _is_byte(leaf: Type) -> bool:
    return leaf.size == 1 and not (isinstance(leaf, Scalar) and leaf.kind in ("bool", "logical"))


def _finding(
    operation: Operation, buffer: Buffer, part: Part, report: Report, party: Party
) -> Finding:
    details = [Phrase.of("{text}", text=one.text) for one in _wrong(report)[:_MOST_REPORTED]]
    bad = alignment.misaligned(part.record.tree, part.entries)
    if bad is not None:
        template = "{element} is not at a multiple of its alignment"
        details.append(Phrase.of(template, element=bad.path))
    clause = Phrase("")
    if part.peer is not None:
        clause = Phrase.of(" for {peer}", peer=operation.peer(part.peer))
    return Finding.of(
        "variable-type",
        [party.with_details(*details)],
        argument=buffer.role,
        clause=clause,
        variable=report.layout.described,
    )
