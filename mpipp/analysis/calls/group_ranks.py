# SPDX-License-Identifier: MIT
"""Check of ranks that are passed for a group (MPI-4.1, sections 7.3.1 and 7.3.2).

The group must have these ranks. For the creation of another group they must also be distinct.
"""

from __future__ import annotations

from collections.abc import Sequence

from mpipp.analysis.calls.argument_messages import missing_arrays, ranks_of
from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.findings.finding import Finding, Findings
from mpipp.model import Group
from mpipp.render.phrases import Phrase

_OF_RANKS = ("MPI_Group_incl", "MPI_Group_excl")
_TRANSLATES = "MPI_Group_translate_ranks"
_OF_RANGES = ("MPI_Group_range_incl", "MPI_Group_range_excl")


def check(process: Process) -> Findings:
    """Yield the first error in every call with ranks of a group."""
    for operation in process.operations:
        takes_ranks = operation.call.procedure in (*_OF_RANKS, *_OF_RANGES, _TRANSLATES)
        if operation.tid is None or not takes_ranks:
            continue
        group = _group(operation)
        if group is None:
            continue
        for finding in _problems(operation, group):
            yield finding
            break


def _group(operation: Operation) -> Group | None:
    translates = operation.call.procedure == _TRANSLATES
    handle = operation.call.arguments.get("group1" if translates else "group")
    if not isinstance(handle, int):
        return None
    found = operation.process.usable("group", handle)
    if not isinstance(found, Group):
        return None
    return found if found.size or found.header.name == "MPI_GROUP_EMPTY" else None


def _problems(operation: Operation, group: Group) -> Findings:
    arguments, party = operation.call.arguments, [operation.party()]
    n = arguments.get("n")
    procedure = operation.call.procedure
    ranges, translates = procedure in _OF_RANGES, procedure == _TRANSLATES
    name = "ranges" if ranges else "ranks1" if translates else "ranks"
    values = arguments.get(name)
    if translates and isinstance(n, int) and n < 0:
        yield Finding.of("translated-number", party, number=n)
    elif isinstance(n, int) and (n < 0 or (n > group.size and not ranges and not translates)):
        yield Finding.of("group-length", party, number=n, ranks=ranks_of(group.size))
    for facts in missing_arrays(arguments, {name: n}):
        yield Finding.of("null-ranks", party, **facts)
    if isinstance(values, tuple) and ranges:
        yield from _ranges(operation, group, values)
    elif isinstance(values, tuple) and translates:
        yield from _translated(operation, group, values)
    elif isinstance(values, tuple):
        yield from _each(operation, group, values)


def _each(operation: Operation, group: Group, ranks: Sequence[int]) -> Findings:
    places: dict[int, int] = {}
    for i, rank in enumerate(ranks):
        if not 0 <= rank < group.size:
            facts = {"index": i, "number": rank}
            ranks_known = ranks_of(group.size)
            yield Finding.of("group-rank", [operation.party()], **facts, ranks=ranks_known)
        elif rank in places:
            at = {"first_index": places[rank], "index": i}
            yield Finding.of("group-twice", [operation.party()], **at, number=rank)
        places[rank] = i


def _translated(operation: Operation, group: Group, ranks: Sequence[int]) -> Findings:
    # MPI_Group_translate_ranks accepts repeated ranks and MPI_PROC_NULL.
    for i, rank in enumerate(ranks):
        nobody = operation.process.around.constant_name(rank, "MPI_PROC_NULL")
        if not 0 <= rank < group.size and not nobody:
            facts = {"index": i, "number": rank}
            ranks_known = ranks_of(group.size)
            yield Finding.of("translated-rank", [operation.party()], **facts, ranks=ranks_known)


def _ranges(operation: Operation, group: Group, values: Sequence[int]) -> Findings:
    party = [operation.party()]
    places: dict[int, int] = {}
    for i in range(len(values) // 3):
        first, last, stride = values[3 * i : 3 * i + 3]
        said = Phrase.of(
            "ranges[{index}] is {first_number} to {last_number} by {stride_number}",
            index=i,
            first_number=first,
            last_number=last,
            stride_number=stride,
        )
        if stride == 0:
            yield Finding.of("group-stride", party, clause=said)
            return
        ranks = range(first, last + (1 if stride > 0 else -1), stride)
        outside = (
            [rank for rank in (ranks[0], ranks[-1]) if not 0 <= rank < group.size] if ranks else []
        )
        if outside:
            yield Finding.of("range-rank", party, clause=said, ranks=ranks_of(group.size))
            return
        for rank in ranks:  # fast, because all these ranks are in the group
            if rank in places:
                at = {"first_index": places[rank], "index": i}
                yield Finding.of("range-twice", party, **at, number=rank)
                return
            places[rank] = i
