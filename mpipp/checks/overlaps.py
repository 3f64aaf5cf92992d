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

_BETWEEN = (
    "MPI-4.1, section 3.7.2: the buffer of a nonblocking operation must not be changed, "
    "and a receive buffer not used at all, before the operation is complete"
)
_WITHIN = "MPI-4.1, section 2.3: an argument that is written must not be aliased with another"
_ITSELF = (
    "MPI-4.1, section 5.1.11: a buffer that an operation writes must not have overlapping entries"
)


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
    yield Finding(
        "self-overlap",
        "error",
        f"{use.operation.call.procedure} writes memory twice: {use.buffer.role} overlaps itself",
        (use.operation.party(f"writes {where} through {' and '.join(names)}"),),
        _ITSELF,
        "give every element a place of its own: compare the stride, displacements and extent "
        "of the datatype with the size of what it repeats",
        "MUST_ERROR_SELFOVERLAPPED",
    )


def _within(first: Use, second: Use) -> Findings:
    shared = overlap.shared(first.region, second.region)
    if shared is None:
        return
    call = first.operation.call
    same = first.buffer.address == second.buffer.address and not first.absolute
    allowed = inplace.place(call.procedure) if same else None
    advice = "use two buffers that do not overlap"
    if allowed is not None:
        advice = f"pass MPI_IN_PLACE as {allowed.role}, or use two buffers"
    yield Finding(
        "aliased-buffers",
        "error",
        f"{first.buffer.role} and {second.buffer.role} of {call.procedure} "
        + ("are the same memory" if same else "overlap"),
        (first.operation.party(*_details(shared, first, second)),),
        _WITHIN,
        advice,
        "MUST_ERROR_OVERLAPPED_RECV",
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
    return Finding(
        "buffer-overlap",
        "error",
        f"{first.operation.call.procedure} and {second.operation.call.procedure} "
        + ("write the same memory" if both else "write and read the same memory")
        + f", [{start:#x}, {end:#x})",
        (
            first.operation.party(f"{first.verb} {first.name(start)}"),
            second.operation.party(f"{second.verb} {second.name(start)}"),
        ),
        _BETWEEN,
        "complete one operation before the other is started, or use two buffers",
        "MUST_ERROR_OVERLAPPED_RECV" if both else "MUST_ERROR_OVERLAPPED_SEND",
    )


def _details(shared: tuple[int, int], *both: Use) -> Iterator[str]:
    start, end = shared
    yield f"both at [{start:#x}, {end:#x})"
    for use in both:
        yield f"{use.verb} {use.name(start)}"
