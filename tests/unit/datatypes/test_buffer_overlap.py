# SPDX-License-Identifier: MIT
"""The shared bytes of buffers, compared with sets of the bytes of all their elements."""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import pytest

from mpipp.datatypes import memory, predefined
from mpipp.datatypes.element_address import Element, at_indices
from mpipp.datatypes.memory import (
    Buffer,
    Index,
    Region,
    between,
    footprint,
    intersection,
    region,
    region_overlap,
    self_overlap,
    shared,
    strided_sets,
    union,
)
from mpipp.datatypes.memory.elements_at_byte import covering
from mpipp.typetree import Datatype
from tests.expanded import children
from tests.short import some
from tests.unit.samples import (
    CHAR,
    DOUBLE,
    DOUBLE_INT,
    FLOAT,
    INT,
    LB,
    SHORT_INT,
    basic,
    contiguous,
    darray,
    dup,
    indexed,
    indexed_block,
    paper_struct,
    resized,
    struct,
    subarray,
    vector,
)

SEED = int(os.environ.get("MPIPP_SEED", "1"))
PAIRS = some(60_000)
_NEIGHBORS = 8  # other buffers to compare each buffer with


class Maker:
    """Random datatypes of every constructor, with gaps, overlaps, and empty ones."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.makers = (self._one, self._vector, self._indexed, self._struct, self._array)

    def datatype(self, depth: int) -> Datatype:
        if not depth or self.random.random() < 0.12:
            leaves = (INT, INT, DOUBLE, CHAR, CHAR, FLOAT, basic("MPI_SHORT", 2))
            return self.random.choice((*leaves, SHORT_INT, DOUBLE_INT, LB))
        return self.random.choice(self.makers)(depth - 1)

    def count(self, most: int = 4) -> int:
        return 0 if self.random.random() < 0.05 else self.random.randint(1, most)

    def _counts(self, number: int) -> list[int]:
        return [self.count(3) for _ in range(number)]

    def _displacements(self, number: int, unit: int) -> list[int]:
        places = [self.random.randint(-8, 12) for _ in range(number)]
        if self.random.random() < 0.5:
            places = sorted(self.random.randint(0, 6 * number + 6) for _ in range(number))
        return [place * unit for place in places]

    def _one(self, depth: int) -> Datatype:
        base = self.datatype(depth)
        choice = self.random.randrange(4)
        if choice == 0:
            return dup(base)
        if choice == 1:
            return contiguous(self.count(), base)
        lb = self.random.choice((0, 0, -8, 4, self.random.randint(-20, 20)))
        extent = self.random.choice((0, 8, 16, 64, self.random.randint(-20, 60)))
        return resized(lb, extent, base)

    def _vector(self, depth: int) -> Datatype:
        base = self.datatype(depth)
        if self.random.random() < 0.5:
            return vector(self.count(), self.count(3), self.random.randint(-4, 6), base)
        return vector(self.count(), self.count(3), self.random.randint(-30, 40), base, "HVECTOR")

    def _indexed(self, depth: int) -> Datatype:
        base = self.datatype(depth)
        number = self.count()
        kind = self.random.choice(("INDEXED", "HINDEXED"))
        unit = 1 if kind == "INDEXED" else self.random.choice((1, 3, 4, 8))
        places = self._displacements(number, unit)
        if self.random.random() < 0.5:
            return indexed_block(self.count(3), places, base, f"{kind}_BLOCK")
        return indexed(self._counts(number), places, base, kind)

    def _struct(self, depth: int) -> Datatype:
        places = self._displacements(self.count(), self.random.choice((1, 4, 8, 16)))
        same = self.datatype(depth)
        blocks = []
        for place in places:
            part = same if self.random.random() < 0.4 else self.datatype(depth)
            blocks.append((self.count(3), place, part))
        return struct(*blocks)

    def _array(self, depth: int) -> Datatype:
        base = self.datatype(depth)
        order = self.random.choice(("C", "FORTRAN"))
        ndims = self.random.randint(1, 3)
        if self.random.random() < 0.5:
            sizes = [self.random.randint(1, 4) for _ in range(ndims)]
            subsizes = [self.random.randint(1, size) for size in sizes]
            starts = [self.random.randint(0, n - m) for n, m in zip(sizes, subsizes)]
            return subarray(sizes, subsizes, starts, base, order)
        distribs = [self.random.choice(("BLOCK", "CYCLIC", "NONE")) for _ in range(ndims)]
        psizes = [1 if d == "NONE" else self.random.randint(1, 3) for d in distribs]
        dargs = [self.random.choice((None, 1, 2, 3)) if d == "CYCLIC" else None for d in distribs]
        size = 1
        for psize in psizes:
            size *= psize
        gsizes = [self.random.randint(1, 6) for _ in range(ndims)]
        rank = self.random.randrange(size)
        return darray(size, rank, gsizes, distribs, dargs, psizes, base, order)


def type_map(datatype: Datatype, base: int = 0) -> Iterator[tuple[int, Datatype]]:
    if datatype.is_leaf:
        yield base, datatype
    for _, component, displacement in () if datatype.is_leaf else children(datatype):
        yield from type_map(component, base + displacement)


def leaf_bytes(leaf: Datatype, displacement: int = 0) -> Sequence[int]:
    if predefined.value_class(leaf.name) != "pair":
        return range(displacement, displacement + leaf.size)
    value, index, offset = predefined.pair_layout(leaf.name, leaf.size)
    return [displacement + i for i in (*range(value), *range(offset, offset + index))]


def times_touched(datatype: Datatype, count: int, address: int = 0) -> Counter[int]:
    """For each byte, the number of elements that contain it."""
    once = [byte for at, leaf in type_map(datatype) for byte in leaf_bytes(leaf, at)]
    starts = [address + i * datatype.extent for i in range(count)]
    return Counter(start + byte for start in starts for byte in once)


def bytes_of(element: Element | None) -> Sequence[int]:
    assert element is not None
    return leaf_bytes(element.datatype, element.displacement)


class Sample(NamedTuple):
    """A random buffer, its region, and the number of elements at each byte."""

    buffer: Buffer
    region: Region
    times: Counter[int]


def sample(number: int) -> Sample:
    maker = Maker(number)
    datatype = maker.datatype(number % 5)
    while datatype.element_count > 300:
        datatype = maker.datatype(number % 5)
    count = maker.random.choice((0, 1, 1, 1, 2, 3, 5))
    address = maker.random.randint(-50, 50)
    times = times_touched(datatype, count, address)
    return Sample(Buffer(datatype, count, address), region(datatype, count, address), times)


def check_one(made: Sample) -> bool:
    """Check all properties of one buffer. Returns whether it overlaps itself."""
    buffer, of, times = made
    assert (of.comb is None) == (not times)
    if times:
        assert (of.low, of.high) == (min(times), max(times) + 1)
    assert of.bytes == len(times)
    doubled = {byte - buffer.address for byte, number in times.items() if number > 1}
    found = self_overlap(buffer.datatype, buffer.count)
    assert (found is not None) == bool(doubled)
    if found is None:
        return False
    assert doubled >= set(range(found.start, found.end))
    assert found.first != found.second
    assert found.start in bytes_of(found.first)
    assert found.start in bytes_of(found.second)
    return True


def check_pair(first: Sample, second: Sample) -> bool:
    both = first.times.keys() & second.times.keys()
    found = shared(first.region, second.region)
    assert (found is not None) == bool(both)
    if found is None:
        return False
    assert found[0] < found[1]
    assert both >= set(range(*found))
    return True


def check_names(first: Sample, second: Sample) -> None:
    found = between(first.buffer, second.buffer)
    assert found is not None
    for made, element in ((first, found.first), (second, found.second)):
        assert found.start - made.buffer.address in bytes_of(element)


def check_union(parts: Sequence[Sample]) -> None:
    times: Counter[int] = sum((part.times for part in parts), Counter())
    whole = union(part.region for part in parts)
    assert whole.bytes == len(times)
    doubled = {byte for byte, number in times.items() if number > 1}
    found = region_overlap(whole)
    assert (found is not None) == bool(doubled)
    if found:
        assert doubled >= set(range(*found))


@pytest.mark.timeout(300)
def test_random_buffers() -> None:
    number = SEED
    start = time.monotonic()
    pairs = overlaps = selves = 0
    near: list[Sample] = []
    while pairs < PAIRS:
        try:
            made = sample(number)
            selves += check_one(made)
            for other in near:
                pairs += 1
                if check_pair(made, other):
                    overlaps += 1
                    if overlaps % 8 == 0:
                        check_names(made, other)
            check_union([made, *near[-2:]])
        except AssertionError as error:
            raise AssertionError(f"seed {number}: {error}") from error
        near = [*near, made][-_NEIGHBORS:]
        number += 1
    print(f"seeds {SEED} to {number - 1}: {pairs} pairs in {time.monotonic() - start:.1f} s")
    assert PAIRS // 10 < overlaps < PAIRS - PAIRS // 10
    assert selves > (number - SEED) // 50


def test_small_limits_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    # No list is built and nothing is flattened: mpipp must use only division and arithmetic.
    made = [sample(number) for number in range(SEED, SEED + 1500)]
    monkeypatch.setattr(strided_sets, "MOST_LISTED", 3)
    monkeypatch.setattr(strided_sets, "_FLAT", 2)
    monkeypatch.setattr(intersection, "_FEW", 0)
    for number, (first, second) in enumerate(zip(made, made[1:]), SEED):
        fresh = Buffer(*_again(first.buffer))
        here = region(fresh.datatype, fresh.count, fresh.address)
        both = first.times.keys() & second.times.keys()
        assert (shared(here, second.region) is not None) == bool(both), number
        assert (region_overlap(here) is not None) == (max(first.times.values(), default=0) > 1), (
            number
        )


def _again(buffer: Buffer) -> tuple[Datatype, int, int]:
    # A copy of the datatype without cached results.
    datatype = buffer.datatype
    if not datatype.is_leaf:
        parts = tuple(_again(Buffer(part, 1, 0))[0] for part in datatype.components)
        datatype = Datatype(datatype.combiner, datatype.arguments, parts)
    return datatype, buffer.count, buffer.address


def test_the_least_count_that_overlaps() -> None:
    found = 0
    for number in range(SEED, SEED + 1500):
        datatype = sample(number).buffer.datatype
        if datatype.element_count > 60:
            continue
        expected = next(
            (n for n in range(1, 12) if max(times_touched(datatype, n).values(), default=0) > 1),
            None,
        )
        # Random order of counts: a cached result for one count must not change those of others.
        for count in random.Random(number).sample(range(1, 12), 3):
            doubled = footprint.self_overlap(datatype, count)
            assert (doubled is not None) == (expected is not None and count >= expected), number
        least = footprint.least_overlapping_count(datatype)
        assert least == expected or (expected is None and least is not None and least > 11), number
        found += expected is not None and expected > 1
    assert found > 20


def test_the_struct_of_the_paper() -> None:
    made = region(paper_struct())
    assert made.comb is not None
    assert strided_sets.contiguous_runs(made.comb) == [(0, 20), (47, 54), (76, 92)]
    assert (made.low, made.high, made.bytes) == (0, 92, 43)
    assert self_overlap(paper_struct(), 10**9) is None


def test_elements_are_named() -> None:
    found = self_overlap(vector(3, 2, 1, INT))
    assert found is not None
    assert (found.first and found.first.path, found.second and found.second.path) == (
        "(VECTOR)[0][1](INT)",
        "(VECTOR)[1][0](INT)",
    )
    assert (found.start, found.end) == (4, 8)
    # The entries are closer than the datatype is long. Find the first two that overlap.
    columns = resized(0, 16, vector(4, 1, 6, DOUBLE))
    assert self_overlap(columns, 3) is None
    found = self_overlap(columns, 10**12)
    assert found is not None
    assert (found.first and found.first.path, found.second and found.second.path) == (
        "(RESIZED)[0](VECTOR)[1][0](DOUBLE)",
        "[3](RESIZED)[0](VECTOR)[0][0](DOUBLE)",
    )
    assert footprint.least_overlapping_count(columns) == 4


def test_elements_are_named_where_a_search_gives_up() -> None:
    odd = vector(10**6, 1, 1000003, INT, "HVECTOR")
    made = vector(10**6, 1, 999983, odd, "HVECTOR")
    found = self_overlap(made)
    assert found is not None
    assert found.first != found.second
    assert found.start in bytes_of(found.first)
    assert found.start in bytes_of(found.second)


def test_one_or_two_elements_by_arithmetic() -> None:
    for number in range(SEED, SEED + 800):
        buffer, _, times = sample(number)
        some = random.Random(number).sample(sorted(times), min(5, len(times)))
        for byte in (*some, min(times, default=0) - 1, max(times, default=0) + 1):
            displacement = byte - buffer.address
            found = covering(buffer.datatype, buffer.count, displacement)
            assert len(set(found)) == len(found) == min(2, times[byte]), number
            for indices in found:
                element = at_indices(buffer.datatype, indices)
                assert element.is_basic
                assert displacement in bytes_of(element), number


def test_the_gap_of_a_pair_is_not_its_own() -> None:
    # A short fits between the short and the int of MPI_SHORT_INT.
    short = basic("MPI_SHORT", 2)
    assert shared(region(SHORT_INT, 1, 0), region(short, 1, 2)) is None
    assert self_overlap(struct((1, 0, SHORT_INT), (1, 2, short))) is None
    found = self_overlap(struct((1, 0, SHORT_INT), (1, 3, short)))
    assert found is not None
    assert (found.start, found.end) == (4, 5)


def test_absolute_addresses_and_nothing() -> None:
    # A datatype of absolute addresses is used with MPI_BOTTOM, which is address 0.
    absolute = struct((2, 0x7FFF_0000_1000, INT), (1, 0x7FFF_0000_2000, DOUBLE))
    assert shared(region(absolute), region(INT, 1, 0x7FFF_0000_1004)) == (
        0x7FFF_0000_1004,
        0x7FFF_0000_1008,
    )
    assert shared(region(absolute), region(CHAR, 0xFF8, 0x7FFF_0000_1008)) is None
    nothing = region(contiguous(0, INT))
    assert (nothing.low, nothing.high, nothing.bytes) == (0, 0, 0)
    assert shared(nothing, region(INT)) is None
    assert region_overlap(union([nothing, region(INT, 0)])) is None
    assert between(Buffer(INT, 0, 0), Buffer(INT, 1, 0)) is None


@pytest.mark.thorough
def test_blocks_of_many_blocks() -> None:
    # Every second column of a matrix: 10^8 blocks, which must not be listed.
    columns = [(1, 16 * i, vector(10_000, 1, 20_000, DOUBLE)) for i in range(10_000)]
    assert region_overlap(region(struct(*columns))) is None
    assert region(struct(*columns)).bytes == 8 * 10**8
    more = struct(*columns, (1, 16 * 5000 + 4 + 8 * 20_000 * 70, DOUBLE))
    found = self_overlap(more)
    assert found is not None
    assert found.end - found.start == 4
    assert found.first is not None
    assert found.first.indices == (5000, 0, 70, 0)
    # Strides differ, so bounding boxes do not separate all pairs.
    odd = [(1, 16 * i, vector(1000, 1, 20_000 + i % 7, DOUBLE)) for i in range(1000)]
    assert (region_overlap(region(struct(*odd))) is None) == (len(set(_starts(odd))) == 10**6)


def _starts(blocks: Sequence[tuple[int, int, Datatype]]) -> Iterator[int]:
    for _, at, datatype in blocks:
        yield from (at + i * 8 * datatype.arguments["stride"] for i in range(1000))


def test_a_chain_of_constructors_of_any_length() -> None:
    datatype = INT
    for i in range(20_000):
        datatype = dup(datatype) if i % 2 else struct((1, 4, datatype))
    assert region(datatype).low == 40_000
    linked = INT
    for _ in range(5000):
        linked = struct((1, 0, INT), (1, 12, linked))
    made = region(linked)
    assert made.bytes == 20_004
    assert shared(made, region(INT, 1, 60_000)) == (60_000, 60_004)
    assert shared(made, region(INT, 1, 60_004)) is None
    assert region_overlap(made) is None


def test_time_does_not_depend_on_counts() -> None:
    def plane(k: int, size: int) -> Region:
        return region(subarray((k, k, k), (k, k, 1), (0, 0, size), DOUBLE))

    def seconds(k: int) -> float:
        first, second = plane(k, 5), plane(k, 6)
        start = time.process_time()
        for _ in range(50):
            assert shared(first, second) is None
        return time.process_time() - start

    few = min(seconds(100) for _ in range(5))
    many = min(seconds(10**6) for _ in range(5))
    assert many < 10 * few
    # Each has 10^18 blocks.
    assert shared(plane(10**9, 5), region(DOUBLE, 1, 8 * 5 + 8 * 10**18)) is not None


@pytest.mark.parametrize("number", [300, 10_000])
def test_many_buffers(number: int) -> None:
    # Columns of a matrix: the bounding boxes of all overlap.
    column = vector(1000, 1, number, DOUBLE)
    index = Index(region(column, 1, 8 * i) for i in range(number))
    assert [key for key, _ in index.query(region(column, 1, 8 * 77))] == [77]
    assert next(index.query(region(column, 1, 8 * 77 + 4))) == (77, (620, 624))
    row = [key for key, _ in index.query(region(DOUBLE, 3, 8 * (5 * number + 100)))]
    assert row == [100, 101, 102]
    assert [key for key, _ in index.query(region(DOUBLE, 3, 800), lambda key: key > 100)] == [
        101,
        102,
    ]
    index.remove(101)
    index.remove(101)
    assert [key for key, _ in index.query(region(DOUBLE, 3, 800))] == [100, 102]
    assert index.add(region(DOUBLE, 1, 808)) == number
    assert [key for key, _ in index.query(region(DOUBLE, 3, 800))] == [100, 102, number]
    assert list(index.query(region(DOUBLE, 0, 800))) == []


def test_an_index_finds_what_comparing_finds() -> None:
    made = [sample(number) for number in range(SEED, SEED + 400)]
    index = Index(part.region for part in made)
    for part in made[:60]:
        expected = {i for i, other in enumerate(made) if part.times.keys() & other.times.keys()}
        assert {key for key, _ in index.query(part.region)} == expected


def test_a_range_of_addresses() -> None:
    page = memory.span(4096, 8192)
    assert shared(page, region(INT, 1, 4094)) == (4096, 4098)
    assert shared(page, region(vector(2, 1, 4097, CHAR), 1, 4095)) is None
