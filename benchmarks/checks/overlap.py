# SPDX-License-Identifier: MIT
"""The cost of overlap checks, compared with blocklists and plain strided blocks from the paper.

A blocklist (section VII of the paper) is a sorted list of intervals. Two blocklists are compared by
one pass over both. Plain strided blocks (section VIII) are compared by cases. In the worst case,
two unusual strides in one region, each block of one set is compared with the other set.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import NamedTuple

from benchmarks.table import Figure, seconds
from mpipp.datatypes.memory import Index, Region, region, shared
from mpipp.typetree import Datatype, Extents, named

ROUNDS = 9
PENDING = 10_000
CHAR = named("MPI_CHAR", Extents(1, 0, 1, 0, 1))
DOUBLE = named("MPI_DOUBLE", Extents(8, 0, 8, 0, 8))
Blocklist = list[tuple[int, int]]


class Strided(NamedTuple):
    """A strided block as in the paper. All members are in bytes, except the number of
    repetitions."""

    begin: int
    length: int
    repetitions: int
    stride: int

    @property
    def end(self) -> int:
        return self.begin + (self.repetitions - 1) * self.stride + self.length


def walk(first: Blocklist, second: Blocklist) -> bool:
    """Return whether two blocklists overlap, in one step for each block."""
    i = j = 0
    while i < len(first) and j < len(second):
        if first[i][1] <= second[j][0]:
            i += 1
        elif second[j][1] <= first[i][0]:
            j += 1
        else:
            return True
    return False


def block_meets(begin: int, end: int, other: Strided) -> bool:
    """Return whether a block overlaps a strided block (procedure 6 of the paper)."""
    if other.end <= begin or other.begin >= end:
        return False
    if other.repetitions == 1 or begin < other.begin:
        return True
    start = other.begin + (begin - other.begin) // other.stride * other.stride
    return begin < start + other.length or end > start + other.stride


def plain(first: Strided, second: Strided, most: int) -> bool:
    """Return whether two plain strided blocks overlap. The worst case visits at most
    `most` blocks."""
    if first.end <= second.begin or second.end <= first.begin:
        return False
    if first.stride - first.length < second.length:
        return True  # a block does not fit in the other's gap
    if first.stride == second.stride:
        apart = (second.begin - first.begin) % first.stride
        return apart < first.length or apart + second.length > first.stride
    for i in range(min(first.repetitions, most)):
        begin = first.begin + i * first.stride
        if block_meets(begin, begin + first.length, second):
            return True
    return False


def plane(k: int, place: int) -> Datatype:
    """A plane of k x k single elements of a k^3 array of MPI_DOUBLE."""
    return subarray((k, k, k), (k, k, 1), (0, 0, place))


def subarray(
    sizes: tuple[int, ...], subsizes: tuple[int, ...], starts: tuple[int, ...]
) -> Datatype:
    arguments = {"ndims": 3, "sizes": sizes, "subsizes": subsizes, "starts": starts, "order": "C"}
    return Datatype("SUBARRAY", arguments, (DOUBLE,))


def comb(count: int, stride: int, base: Datatype) -> Datatype:
    arguments = {"count": count, "blocklength": 1, "stride": stride}
    return Datatype("HVECTOR", arguments, (base,))


def irregular(number: int, parity: int) -> Datatype:
    """Blocks of one byte at random displacements. Blocks of both parities interleave."""
    numbers = random.Random(1)
    places = list(accumulate(numbers.randint(2, 30) for _ in range(2 * number)))[parity::2]
    arguments = {"count": number, "blocklength": 1, "displacements": places}
    return Datatype("HINDEXED_BLOCK", arguments, (CHAR,))


def fresh(made: Datatype) -> Datatype:
    """A copy of the datatype without cached results."""
    return Datatype(made.combiner, made.arguments, made.components)


def best(action: Callable[[], object], repeated: int = 1) -> float:
    """Seconds of one action: the minimum of several rounds, because other work only adds time."""

    def run() -> None:
        for _ in range(repeated):
            action()

    return min(seconds(run) for _ in range(ROUNDS)) / repeated


def figures() -> Iterator[Figure]:
    """All figures of overlap checks."""
    yield from _planes()
    for shift, what in ((8, "that meet once"), (4, "that never meet")):
        yield _coprime(shift, what)
    yield from _irregular()
    column, row = comb(1000, 16 * PENDING, DOUBLE), comb(1000, 8, DOUBLE)
    yield _pending("columns of one matrix", column, 16)
    yield _pending("rows", row, 16_000)


def _planes() -> Iterator[Figure]:
    # New datatypes and blocklists in each round: the cost of a check for new buffers.
    times = {}
    for k in (100, 1000, 10_000):
        times[k] = best(lambda: check_planes(k), 20)  # noqa: B023
        note = "of 10^8 intervals no blocklist is made here"
        if k <= 1000:
            lists = seconds(lambda: walk(blocklist(k, 5), blocklist(k, 6)))  # noqa: B023
            note = f"blocklist {lists:.3g} s: {lists / times[k]:,.0f} x as long"
        yield Figure(
            f"overlap of two planes, k = {k}: build and compare", times[k] * 1e6, 500, "us", note
        )
    yield Figure("  slowest k / fastest k", max(times.values()) / min(times.values()), 2, "x")
    k = 1000
    first, second = region(plane(k, 5)), region(plane(k, 6))
    took = best(lambda: shared(first, second), 100)
    both = blocklist(k, 5), blocklist(k, 6)
    walked = seconds(lambda: walk(*both))
    note = f"blocklist {walked:.3g} s: {walked / took:,.0f} x as long"
    yield Figure("  k = 1000: compare only", took * 1e6, 100, "us", note)


def check_planes(k: int) -> None:
    """Check that two interleaving planes do not overlap."""
    if shared(region(plane(k, 5)), region(plane(k, 6))) is not None:
        raise RuntimeError("two planes that interleave were said to overlap")


def blocklist(k: int, place: int) -> Blocklist:
    """The intervals of a plane."""
    return [(8 * (k * i + place), 8 * (k * i + place) + 8) for i in range(k * k)]


def _coprime(shift: int, what: str) -> Figure:
    count, stride, other_stride = 10**9, 8 * 1000003, 8 * 1000033
    first = region(comb(count, stride, CHAR))
    second = region(comb(count, other_stride, CHAR), 1, shift)
    if (shared(first, second) is not None) != (shift == 8):
        raise RuntimeError(f"two combs {what} are said not to")
    took = best(lambda: shared(first, second), 100)
    visited = 200_000
    one, other = Strided(0, 1, count, stride), Strided(shift, 1, count, other_stride)
    worst = seconds(lambda: plain(one, other, visited)) * count / visited
    note = f"plain strided blocks visit 10^9: {worst:.3g} s, {worst / took:,.0f} x as long"
    return Figure(f"10^9 blocks each, coprime strides, {what}", took * 1e3, 1, "ms", note)


def _irregular() -> Iterator[Figure]:
    number = 100_000
    types = irregular(number, 0), irregular(number, 1)
    build = best(lambda: [region(fresh(made)) for made in types])
    yield Figure("two irregular lists of 10^5 blocks: build", build, 1.5, "s")
    first, second = map(region, types)
    query = best(lambda: shared(first, second))
    lists = [[(at, at + 1) for at in made.arguments["displacements"]] for made in types]
    walked = best(lambda: walk(*lists))
    note = f"blocklist {walked * 1e3:.3g} ms: {walked / query:.2g} x as long"
    yield Figure("  that interleave: query", query * 1e3, 50, "ms", note)


def _pending(what: str, datatype: Datatype, distance: int) -> Figure:
    # A new buffer lies between two pending ones.
    pending = [region(datatype, 1, distance * i) for i in range(PENDING)]
    new = region(datatype, 1, distance * 77 + distance // 2)
    index = Index(pending)
    if list(index.query(new)) or [key for key, _ in index.query(pending[78])] != [78]:
        raise RuntimeError("the index finds other buffers")
    took = best(lambda: list(index.query(new)), 5)
    some = 100
    merged = sorted(interval for part in pending[:some] for interval in intervals(part))
    walked = seconds(lambda: walk(merged, intervals(new))) * PENDING / some
    note = f"one blocklist of all: {walked * 1e3:.3g} ms, {walked / took:,.3g} x as long"
    return Figure(f"a new buffer against 10^4 pending {what}", took * 1e3, 5, "ms", note)


def intervals(of: Region) -> Blocklist:
    """Strided blocks as a blocklist."""
    part = of.comb
    assert part is not None
    starts = [part.start]
    for count, stride in part.dims:
        starts = [start + i * stride for start in starts for i in range(count)]
    return [(start, start + part.length) for start in starts]
