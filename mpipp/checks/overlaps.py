# SPDX-License-Identifier: MIT
"""Do communication buffers overlap where one is written?

Two operations that only read the same memory are fine (MPI-4.1, section 3.7.2); what an operation
writes must be its own until it is complete.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from mpipp.checks import inplace
from mpipp.checks.finding import Finding, Findings, with_others
from mpipp.checks.process import Operation, Process
from mpipp.checks.uses import Use, uses
from mpipp.datatypes import overlap
from mpipp.datatypes.overlap import Index


def check(process: Process) -> Findings:
    """Overlaps of the buffers of all that is going on in a process."""
    every = [uses(operation) for operation in process.operations]
    for used in every:
        for use in used:
            if use.writes:
                yield from _itself(use)
        for first, second in combinations(used, 2):
            if first.writes or second.writes:
                yield from _within(first, second)
    yield from _between([use for used in every for use in used if _is_using(use.operation)])


def _is_using(operation: Operation) -> bool:
    return operation.started and operation.has_all


def _itself(use: Use) -> Findings:
    found = overlap.twice(use.region)
    if found is None:
        return
    start, end = found
    names = [name for name, _ in zip(use.names(start), range(2))]
    where = f"[{start:#x}, {end:#x})"
    yield Finding.of(
        "self-overlap",
        f"{use.operation.call.procedure} writes memory twice: {use.buffer.role} overlaps itself",
        [use.operation.party(f"writes {where} through {' and '.join(names)}")],
    )


def _within(first: Use, second: Use) -> Findings:
    shared = overlap.shared(first.region, second.region)
    if shared is None:
        return
    call = first.operation.call
    same = first.buffer.address == second.buffer.address and not first.absolute
    allowed = inplace.place(call.procedure) if same else None
    yield Finding.of(
        "aliased-buffers",
        f"{first.buffer.role} and {second.buffer.role} of {call.procedure} "
        + ("are the same memory" if same else "overlap"),
        [first.operation.party(*_details(shared, first, second))],
        in_place=f"pass MPI_IN_PLACE as {allowed.role}, or " if allowed else "",
        apart="" if allowed else " that do not overlap",
    )


def _between(every: list[Use]) -> Findings:
    written = Index([use.region for use in every if use.writes])
    writers = [use for use in every if use.writes]
    order = {use: number for number, use in enumerate(every)}
    pairs: dict[tuple[int, int], tuple[Use, Use, tuple[int, int]]] = {}
    for use in every:
        for number, shared in written.query(use.region):
            other = writers[number]
            if other.operation is use.operation:
                continue
            # One finding for two operations, however many of their buffers meet.
            first, second = sorted((use, other), key=order.__getitem__)
            key = (id(first.operation), id(second.operation))
            pairs.setdefault(key, (first, second, shared))
    # One for all that the same two calls make, which may be as many as the square of a loop's.
    alike: dict[object, list[tuple[Use, Use, tuple[int, int]]]] = {}
    for pair in pairs.values():
        alike.setdefault(_sites(*pair[:2]), []).append(pair)
    for (first, second, shared), *others in alike.values():
        yield with_others(_two_operations(first, second, shared), len(others))


def _sites(first: Use, second: Use) -> object:
    sites = first.operation.call.site, second.operation.call.site
    known = sites[0].address and sites[1].address
    return (sites, first.writes and second.writes) if known else (first, second)


def _two_operations(first: Use, second: Use, shared: tuple[int, int]) -> Finding:
    both = first.writes and second.writes
    start, end = shared
    return Finding.of(
        "written-twice" if both else "written-while-read",
        f"{first.operation.call.procedure} and {second.operation.call.procedure} "
        + ("write the same memory" if both else "write and read the same memory")
        + f", [{start:#x}, {end:#x})",
        [use.operation.party(f"{use.verb} {use.name(start)}") for use in (first, second)],
    )


def _details(shared: tuple[int, int], *both: Use) -> Iterator[str]:
    start, end = shared
    yield f"both at [{start:#x}, {end:#x})"
    for use in both:
        yield f"{use.verb} {use.name(start)}"
