# SPDX-License-Identifier: MIT
"""Check that communication buffers do not overlap if an operation writes one of them.

Two operations that only read the same memory are fine (MPI-4.1, section 3.7.2). While an operation
may write memory, no other operation may use it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from mpipp.analysis.context.buffer_accesses import Access, accesses, in_use
from mpipp.analysis.context.process import Process
from mpipp.analysis.findings.finding import Finding, Findings, with_repeat_count
from mpipp.datatypes import memory as buffer_memory
from mpipp.datatypes.memory import Index, region
from mpipp.render.phrases import Phrase

_GATHERS = ("Gather", "Gatherv", "Allgather", "Allgatherv")


def check(process: Process) -> Findings:
    """Yield overlaps between the buffers of all active operations of a process."""
    every = [(operation, accesses(operation)) for operation in process.operations]
    for _, used in every:
        for access in used:
            if access.writes:
                yield from itself(access)
        for first, second in combinations(used, 2):
            if first.writes or second.writes:
                yield from _within(first, second)
    yield from _between([access for one, used in every for access in in_use(one, used)])


def itself(access: Access) -> Findings:
    """Yield bytes that an operation writes twice through one buffer."""
    found = buffer_memory.region_overlap(access.region)
    if found is None:
        return
    start, end = found
    operation = access.operation
    names = tuple(name for name, _ in zip(access.names(start), range(2)))
    where = addresses(start, end)
    if operation.call.state == "over":  # the address of a completed call's buffer is unknown
        where = Phrase.of(
            "bytes [{displacement}, {end_displacement}) of it",
            displacement=start,
            end_displacement=end,
        )
    both = names[0]
    if len(names) > 1:
        both = Phrase.of("{one} and {other}", one=both, other=names[1])
    # No byte may be gathered from two processes (MPI-4.1, sections 6.5 and 6.7). If one process's
    # part overlaps itself, the error is in its datatype.
    gathers = operation.call.facts.operation in ("Gatherv", "Allgatherv")
    parts = [region(one.datatype, one.count, one.address) for one in access.entries]
    yield Finding.of(
        "self-overlap"
        if not gathers or any(map(buffer_memory.region_overlap, parts))
        else "parts-overlap",
        [operation.party(Phrase.of("writes {bytes} through {names}", bytes=where, names=both))],
        procedure=operation.call.procedure,
        argument=access.buffer.role,
    )


def _within(first: Access, second: Access) -> Findings:
    shared = buffer_memory.shared(first.region, second.region)
    if shared is None:
        return
    call = first.operation.call
    same = first.buffer.address == second.buffer.address and not first.absolute
    is_in_place = same or _is_own_part(first, second)
    allowed = call.facts.in_place if is_in_place else None
    yield Finding.of(
        "aliased-buffers",
        [first.operation.party(*_details(shared, first, second))],
        "same" if same else "overlap",
        procedure=call.procedure,
        argument=first.buffer.role,
        other_argument=second.buffer.role,
        first_clause=f"pass MPI_IN_PLACE as {allowed.role}, or " if allowed else "",
        last_clause="" if allowed else " that do not overlap",
    )


def _is_own_part(sent: Access, received: Access) -> bool:
    # Return whether a process gathers its own part from the place where it belongs.
    operation, comm = sent.operation, sent.operation.comm
    if comm is None or comm.remote_size or operation.call.facts.operation not in _GATHERS:
        return False
    buffer = received.buffer
    if buffer.shares is not None:
        displacement = buffer.share(comm.rank).displacement
    else:
        whole = next(iter(received.entries), None)
        each = whole.count // comm.size * whole.datatype.extent if whole is not None else None
        displacement = each * comm.rank if each is not None else None
    return displacement is not None and sent.buffer.address == buffer.address + displacement


class _RepeatedUse(NamedTuple):
    # Uses of the same bytes by calls at one place, as in a loop.
    place: int
    accesses: list[Access]


class _Shared(NamedTuple):
    # The calls at two places: the first two that overlap, and all operations with overlaps.
    first: Access
    second: Access
    bytes: tuple[int, int]
    operations: set[int]


def _between(every: list[Access]) -> Findings:
    # One finding for each pair of places: the number of overlapping buffers may be quadratic.
    order = {id(access): number for number, access in enumerate(every)}
    alike = _group_repeated(every)
    writers = [group for group in alike if group.accesses[0].writes]
    written = Index([group.accesses[0].stored for group in writers])
    found: dict[object, _Shared] = {}
    for group in alike:
        for other, pair, both in _meeting(group, writers, written):
            first, second = sorted(pair, key=lambda access: order[id(access)])
            places = frozenset((group.place, other.place))
            shared = found.setdefault(places, _Shared(first, second, both, set()))
            shared.operations.update(id(access.operation) for access in (*group.accesses, *pair))
    for shared in found.values():
        finding = _two_operations(shared.first, shared.second, shared.bytes)
        yield with_repeat_count(finding, len(shared.operations) - 2)


def _group_repeated(every: list[Access]) -> list[_RepeatedUse]:
    places: dict[object, int] = {}
    found: dict[object, _RepeatedUse] = {}
    for access in every:
        site, start = access.operation.call.site, access.operation.start
        of = (site, start and start.site) if site.address else id(access.operation)
        place = places.setdefault(of, len(places))
        memory = tuple((id(one.datatype), one.count, one.address) for one in access.entries)
        found.setdefault((place, access.writes, memory), _RepeatedUse(place, [])).accesses.append(
            access
        )
    return list(found.values())


def _meeting(
    group: _RepeatedUse, writers: list[_RepeatedUse], written: Index
) -> Iterator[tuple[_RepeatedUse, tuple[Access, Access], tuple[int, int]]]:
    # Yields, for each place, one other use of shared bytes, the two accesses that share them, and
    # the bytes.
    met: set[int] = set()
    first, *_ = group.accesses
    for key, both in written.query(first.region, lambda key: writers[key].place not in met):
        other = writers[key]
        pairs = (
            (a, b) for a in group.accesses for b in other.accesses if a.operation is not b.operation
        )
        pair = next(pairs, None)
        if pair is not None:
            met.add(other.place)
            yield other, pair, both


def _two_operations(first: Access, second: Access, shared: tuple[int, int]) -> Finding:
    both = first.writes and second.writes
    start, end = shared
    return Finding.of(
        "written-twice" if both else "written-while-read",
        [access.operation.party(access.used(start)) for access in (first, second)],
        procedure=first.operation.call.procedure,
        other_procedure=second.operation.call.procedure,
        bytes=addresses(start, end),
    )


def _details(shared: tuple[int, int], *both: Access) -> Iterator[Phrase]:
    start, end = shared
    yield Phrase.of("both at {bytes}", bytes=addresses(start, end))
    for access in both:
        yield access.used(start)


def addresses(start: int, end: int) -> Phrase:
    """Return the bytes [start, end) as addresses."""
    return Phrase.of("[{address}, {end_address})", address=start, end_address=end)
