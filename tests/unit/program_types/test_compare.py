# SPDX-License-Identifier: MIT
"""Comparison of datatypes with the program's types: exact texts, and a brute-force check."""

from __future__ import annotations

import functools
import itertools
import os
import random
import time
from collections.abc import Iterator

import pytest

from mpipp.datatypes import element_address
from mpipp.program_types import types
from mpipp.program_types.compare import (
    Layout,
    Report,
    compare,
    focused,
    kind_match,
    member_lookup,
    narrowed,
    opened,
)
from mpipp.program_types.compare import text as comparetext
from mpipp.program_types.compare.element_streams import Stream, streams
from mpipp.program_types.compare.member_lookup import Placement, Placer
from mpipp.program_types.types import Array, Index, Member, Record, Scalar, Type
from mpipp.typetree import Datatype
from tests.expanded import child
from tests.short import some
from tests.unit import samples
from tests.unit.samples import BYTE, CHAR, DOUBLE, DOUBLE_INT, FLOAT, INT, LB, UB

SEED = int(os.environ.get("MPIPP_SEED", "1"))
SHORT = Scalar("signed", "short", 2)
INTEGER = Scalar("signed", "int", 4)
UNSIGNED = Scalar("unsigned", "unsigned int", 4)
REAL = Scalar("float", "double", 8)
SINGLE = Scalar("float", "float", 4)
LETTER = Scalar("char", "char", 1)
POINTER = Scalar("pointer", "char *", 8)
COMPLEX = Scalar("complex", "complex double", 16)

PARTICLE = Record(
    "struct particle",
    40,
    (
        Member("id", 0, INTEGER),
        Member("x", 8, REAL),
        Member("pos", 16, Array(INTEGER, 2)),
        Member("name", 24, Array(LETTER, 10)),
    ),
)
POINT = Record("struct point", 24, tuple(Member(name, 8 * i, REAL) for i, name in enumerate("xyz")))


def layout(kind: Type, root: str = "it") -> Layout:
    return Layout(kind, root, root, kind.name)


def report(datatype: Datatype, kind: Type, count: int = 1, origin: int = 0) -> Report:
    return compare(datatype, layout(kind), count, origin)


def said(datatype: Datatype, kind: Type, count: int = 1) -> list[str]:
    """All lines between the verdict and the list of elements."""
    lines = list(comparetext.lines(report(datatype, kind, count), "t"))
    return [line.strip() for line in lines[1:] if " -> " not in line]


def verdict(datatype: Datatype, kind: Type, count: int = 1) -> str:
    return next(comparetext.lines(report(datatype, kind, count), "t"))


def particle(*displacements: int) -> Datatype:
    parts = zip((1, 1, 2, 10), displacements, (INT, DOUBLE, INT, CHAR))
    return samples.resized(0, 40, samples.struct(*parts))


def test_a_right_type_is_one_line() -> None:
    assert list(comparetext.lines(report(particle(0, 8, 16, 24), PARTICLE), "t")) == [
        "matches: t, 14 elements, fits it (struct particle, 40 bytes); every member is covered"
    ]
    everything = comparetext.lines(report(particle(0, 8, 16, 24), PARTICLE), "t", every=True)
    assert list(everything)[1:] == [
        "    [0][0][0](INT)     -> it.id",
        "    [0][1][0](DOUBLE)  -> it.x",
        "    [0][2][0..1](INT)  -> it.pos[0..1]",
        "    [0][3][0..9](CHAR) -> it.name[0..9]",
    ]


def test_members_that_nothing_covers() -> None:
    two = samples.resized(0, 40, samples.struct((1, 0, INT), (7, 24, CHAR)))
    assert verdict(two, PARTICLE) == (
        "matches: t, 8 elements, fits it (struct particle, 40 bytes); "
        "not covered: it.x at 8, it.pos[0..1] at 16, 3 of 10 elements of it.name[0..9]"
    )


def test_addresses_subtracted_the_wrong_way_round() -> None:
    # The example in the paper's introduction.
    record = Record(
        "struct s", 24, (Member("i", 0, INTEGER), Member("d", 8, REAL), Member("c", 16, LETTER))
    )
    swapped = samples.struct((1, 0, LB), (1, 0, INT), (1, -8, DOUBLE), (1, -16, CHAR), (1, -24, UB))
    assert said(swapped, record) == [
        "[2][0](DOUBLE) at -8: outside it, which begins at 0",
        "[3][0](CHAR) at -16: outside it, which begins at 0",
        "remark: the extent is -24 bytes, but sizeof(struct s) is 24: with a count above 1 "
        "further entries are out of place: use MPI_Type_create_resized",
        "the displacements {0, 0, -8, -16, -24} would fit as {0, 0, 8, 16, 24}: the addresses "
        "were subtracted the wrong way round (member - start is right, start - member is wrong)",
        "not covered: it.d at 8, it.c at 16",
    ]


def test_the_first_wrong_element_comes_first() -> None:
    # Displacements without the padding behind `tag`: all later entries are out of place, too.
    record = Record(
        "P", 24, (Member("tag", 0, LETTER), Member("x", 8, REAL), Member("i", 16, INTEGER))
    )
    packed = samples.struct((1, 0, CHAR), (1, 1, DOUBLE), (1, 9, INT))
    problems = report(packed, record, count=4).problems
    assert problems[0].text == "[0][1][0](DOUBLE) at 1: begins in the padding before it.x at 8"


def test_displacements_counted_from_another_member() -> None:
    from_x = samples.resized(0, 40, samples.struct((1, 0, DOUBLE), (2, 8, INT), (1, -8, INT)))
    assert said(from_x, PARTICLE)[3:4] == [
        "all displacements would fit with 8 added, [0][0][0](DOUBLE) on it.x: they are not counted "
        "from the start of it"
    ]


def test_padding_straddling_and_inside() -> None:
    assert said(particle(4, 6, 12, 36), PARTICLE)[:4] == [
        "[0][0][0](INT) at 4: in no member: padding after it.id, which ends at 4",
        "[0][1][0](DOUBLE) at 6: begins in the padding before it.x at 8",
        "[0][2][0](INT) at 12: 4 bytes inside it.x, a double of 8 bytes at 8",
        "[0][3][0..3](CHAR) at 36: in no member: padding after it.name[9], which ends at 34",
    ]
    assert said(particle(2, 12, 22, 40), PARTICLE)[:5] == [
        "[0][0][0](INT) at 2: reaches beyond it.id, an int of 4 bytes that ends at 4: MPI_INT fits",
        "[0][1][0](DOUBLE) at 12: 8 bytes that straddle it.x at 8 and it.pos[0] at 16",
        "[0][2][0](INT) at 22: 4 bytes that straddle it.pos[1] at 20 to it.name[1] at 25",
        "[0][2][1](INT) at 26: 4 bytes that straddle it.name[2] at 26 to it.name[5] at 29",
        "[0][3][0..9](CHAR) at 40: outside it, which ends at 40",
    ]


def test_other_kinds_and_sizes() -> None:
    cases = (
        (INT, REAL, "MPI_INT, but it is a double of 8 bytes: MPI_DOUBLE fits"),
        (INT, SINGLE, "MPI_INT, but it is a float of 4 bytes: MPI_FLOAT fits"),
        (INT, UNSIGNED, "MPI_INT, but it is an unsigned int of 4 bytes: MPI_UNSIGNED fits"),
        (INT, SHORT, "reaches beyond it, which ends at 2"),
        (FLOAT, REAL, "4 bytes, but it is a double of 8 bytes: MPI_DOUBLE fits"),
        (
            CHAR,
            Scalar("bool", "_Bool", 1),
            "MPI_CHAR, but it is a _Bool of 1 byte: MPI_C_BOOL fits",
        ),
        (
            samples.basic("MPI_LONG", 8),
            POINTER,
            "it is a pointer (char *): its value means nothing to another process",
        ),
    )
    for datatype, kind, expected in cases:
        name = element_address.kind(datatype)
        assert said(datatype, kind)[0] == f"({name}) at 0: {expected}"


def test_what_fits() -> None:
    complex_type = samples.basic("MPI_C_DOUBLE_COMPLEX", 16)
    pair = Record("struct pair", 16, (Member("value", 0, REAL), Member("index", 8, INTEGER)))
    union = Record("union u", 8, (Member("i", 0, INTEGER), Member("d", 0, REAL)), union=True)
    holder = Record("struct h", 16, (Member("u", 0, union), Member("e", 8, REAL)))
    bits = Record(
        "struct b", 8, (Member("a:3,b:5", 0, Scalar("bits", "a:3,b:5", 4)), Member("c", 4, INTEGER))
    )
    for datatype, kind in (
        (samples.contiguous(40, BYTE), PARTICLE),  # the bytes include the padding
        (complex_type, COMPLEX),
        (samples.contiguous(2, DOUBLE), COMPLEX),
        (samples.contiguous(3, complex_type), Array(REAL, 6)),
        (DOUBLE_INT, pair),
        (samples.struct((1, 0, INT), (1, 8, DOUBLE)), holder),
        (samples.contiguous(2, DOUBLE), holder),
        (samples.contiguous(2, INT), bits),
        (samples.basic("MPI_INT", 4), Scalar("enum", "enum colour", 4)),
    ):
        found = report(datatype, kind)
        assert not found.problems and not found.lacks, (datatype, kind, found.problems)


def test_pair_types_are_two_parts() -> None:
    swapped = Record("struct pair", 16, (Member("index", 0, INTEGER), Member("value", 8, REAL)))
    assert said(DOUBLE_INT, swapped)[:2] == [
        "(DOUBLE_INT) value at 0: reaches beyond it.index, an int of 4 bytes that ends at 4: "
        "MPI_INT fits",
        "(DOUBLE_INT) index at 8: MPI_DOUBLE_INT, but it.value is a double of 8 bytes: "
        "MPI_DOUBLE fits",
    ]


def test_extent() -> None:
    assert said(samples.struct((1, 0, INT), (1, 8, DOUBLE)), PARTICLE)[0] == (
        "the extent is 16 bytes, but sizeof(struct particle) is 40: with a count above 1 further "
        "entries are out of place: use MPI_Type_create_resized"
    )


def test_elements_that_overlap_cover_once() -> None:
    pair = Array(INTEGER, 2)
    assert said(samples.indexed([1, 1], [0, 0], INT), pair) == [
        "[0][0](INT) and [1][0](INT) share the bytes [0, 4): a receive must not write them",
        "not covered: 1 of 2 elements of it[0..1]",
    ]
    many = samples.vector(3000, 2, 1, INT)
    assert said(many, Array(INTEGER, 4000))[-1] == (
        "the coverage is unknown: too many elements overlap"
    )


def test_arrays_in_both_languages() -> None:
    matrix = Array(Array(REAL, 8), 6)
    column = samples.vector(6, 1, 8, DOUBLE)
    (cover,) = report(column, matrix, origin=8).covers
    assert (cover.element, cover.displacement, cover.member) == (
        "[0..5][0](DOUBLE)",
        0,
        "it[0..5][1]",
    )
    columns = Array(Array(REAL, 3, -1, fortran=True), 4, 1, fortran=True)
    row = samples.vector(4, 1, 3, DOUBLE)
    found = compare(row, Layout(columns, "a", "a", columns.name, fortran=True))
    assert [cover.member for cover in found.covers] == ["a(-1,1..4)"]
    one = narrowed(samples.contiguous(3, DOUBLE), Layout(columns, "a", "a", "", True))
    assert one.name == "a(:,1)"


def test_what_a_pointer_points_to_may_be_several() -> None:
    pointed = Layout(PARTICLE, "p->", "*p", PARTICLE.name)
    three = opened(samples.contiguous(3, particle(0, 8, 16, 24)), pointed)
    assert three.described == "p (struct particle [3], 120 bytes)"
    assert three.spell((Index(three.kind, 2), "x")) == "p[2].x"  # type: ignore[arg-type]
    assert opened(particle(0, 8, 16, 24), pointed) is pointed


def test_the_part_of_an_object_that_holds_the_data() -> None:
    whole = Layout(Array(PARTICLE, 10), "all", "all", "struct particle [10]")
    part, offset = focused(whole, 88, 96)
    assert (part.described, offset) == ("all[2].x (double, 8 bytes)", 88)
    part, offset = focused(whole, 80, 120)
    assert (part.described, offset) == ("all[2] (struct particle, 40 bytes)", 80)


def test_large_arrays_take_no_time() -> None:
    million = Array(REAL, 10**6)
    square = Array(Array(REAL, 1000), 1000)
    cases = (
        (samples.vector(500_000, 1, 2, DOUBLE), million, 0),
        (samples.contiguous(10**6, DOUBLE), square, 0),
        (samples.vector(1000, 1, 1000, DOUBLE), square, 8),
        (samples.vector(1000, 10, 1000, DOUBLE), square, 8),
        (samples.contiguous(3 * 10**6, DOUBLE), Array(POINT, 10**6), 0),
        (samples.contiguous(4 * 10**7, BYTE), Array(PARTICLE, 10**6), 0),
        (samples.indexed([1] * 10**5, range(0, 10**6, 10), DOUBLE), million, 0),
        (samples.contiguous(10**9, FLOAT), million, 0),
    )
    start = time.process_time()
    for datatype, kind, origin in cases:
        found = report(datatype, kind, origin=origin)
        assert found.complete
    assert time.process_time() - start < 4


def test_types_that_are_nested_deep() -> None:
    tree = INT
    for _ in range(3000):
        tree = samples.struct((1, 0, tree))
    (found,) = streams(samples.vector(4, 1, 2, tree))
    assert (found.count, found.start, len(found.indices)) == (4, 0, 6003)


def test_too_irregular_to_look_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(member_lookup, "_MOST_STEPS", 500)
    members = tuple(Member(f"m{i}", 8 * i, REAL) for i in range(1000))
    found = report(samples.contiguous(1000, DOUBLE), Record("struct s", 8000, members))
    assert not found.complete and found.lacks is None
    assert list(comparetext.lines(found, "t"))[-1] == (
        "  too many elements are irregular: the rest was not checked"
    )


def test_listed_blocks_are_folded() -> None:
    places = [i * i for i in range(1000)]
    found = report(samples.indexed([1] * 1000, places, DOUBLE), Array(REAL, 10**6))
    assert [(cover.element, cover.member) for cover in found.covers] == [
        ("[0..999][0](DOUBLE)", "it[0..998001 in part]")
    ]
    assert list(comparetext.lines(found, "t")) == [
        "matches: t, 1000 elements, fits it (double [1000000], 8000000 bytes); "
        "not covered: 999000 of 1000000 elements of it[0..999999]"
    ]


# The brute-force check of every single element.


def _basic_elements(datatype: Datatype, at: int = 0) -> Iterator[tuple[Datatype, int]]:
    if datatype.is_leaf:
        yield datatype, at
        return
    shape = datatype.shape

    def descend(prefix: tuple[int, ...]) -> Iterator[tuple[Datatype, int]]:
        if len(prefix) == shape.stages:
            component, displacement = child(datatype, prefix)
            yield from _basic_elements(component, at + displacement)
            return
        for i in range(shape.branching(prefix)):
            yield from descend((*prefix, i))

    yield from descend(())


def _positions(stream: Stream) -> Iterator[tuple[int, tuple[int, ...]]]:
    for steps in itertools.product(*(range(level.steps) for level in stream.levels)):
        at = stream.start
        indices = list(stream.indices)
        for level, i in zip(stream.levels, steps):
            at += level.offset(i)
            indices[level.place] += level.moves(i)
        yield at, tuple(indices)


def _random_datatype(depth: int) -> Datatype:
    if not depth:
        return random.choice((INT, DOUBLE, CHAR, BYTE))
    inner = _random_datatype(depth - 1)
    choice = random.randrange(5)
    if choice == 0:
        return samples.contiguous(random.randrange(1, 6), inner)
    if choice == 1:
        return samples.vector(
            random.randrange(1, 6), random.randrange(1, 4), random.randrange(-6, 7), inner
        )
    if choice == 2:
        count = random.choice((1, 2, 3, 4, 50))
        lengths = [random.randrange(0, 3) for _ in range(count)]
        return samples.indexed(lengths, [random.randrange(-4, 9) for _ in range(count)], inner)
    if choice == 3:
        other = _random_datatype(depth - 1)
        blocks = [
            (random.randrange(0, 3), random.randrange(-8, 40), part) for part in (inner, other)
        ]
        return samples.struct(*blocks)
    sizes = [random.randrange(1, 5) for _ in range(2)]
    subsizes = [random.randrange(1, size + 1) for size in sizes]
    starts = [random.randrange(0, size - sub + 1) for size, sub in zip(sizes, subsizes)]
    return samples.subarray(sizes, subsizes, starts, inner, random.choice(("C", "FORTRAN")))


def _random_kind(depth: int) -> Type:
    if not depth:
        return random.choice((SHORT, INTEGER, REAL, LETTER, COMPLEX))
    if random.random() < 0.5:
        element = _random_kind(depth - 1)
        stride = random.choice((0, 0, element.size + 3))
        return Array(element, random.randrange(1, 7), stride=stride)
    members = []
    offset = 0
    for i in range(random.randrange(1, 4)):
        offset += random.choice((0, 0, 1, 4))
        inner = _random_kind(depth - 1)
        members.append(Member(f"m{i}", offset, inner))
        offset += inner.size
    return Record("struct r", offset + random.choice((0, 3)), tuple(members))


def _where(kind: Type, at: int, size: int) -> str:
    if at + size <= 0 or at >= kind.size:
        return "outside"
    touched = list(types.within(kind, at, at + size))
    if not touched:
        inside = at >= 0 and at + size <= kind.size
        return "padding" if inside else "crossing"
    _, low, scalar = touched[0]
    whole = len(touched) == 1 and low <= at and at + size <= low + scalar.size
    return "member" if whole else "crossing"


def _check(placement: Placement, kind: Type) -> list[tuple[int, tuple[int, ...]]]:
    found = list(_positions(placement.stream))
    for at, _ in found:
        where = _where(kind, at, placement.stream.size)
        # An element in the padding between two adjacent places may be in either.
        same = where == placement.where or {where, placement.where} == {"padding", "crossing"}
        assert same, (where, placement)
        if where == "member":
            ((path, low, scalar),) = types.within(kind, at, at + placement.stream.size)
            assert scalar == placement.kind
            assert len(path) == len(placement.path)
            levels_inside = [v for v in placement.stream.levels if v.stride < scalar.size]
            assert low + placement.rest == at or levels_inside
    return found


def test_against_every_element_by_itself() -> None:
    print(f"seed {SEED}")
    random.seed(SEED)
    for round_ in range(some(3000)):
        datatype = _random_datatype(random.randrange(0, 4))
        kind = _random_kind(random.randrange(0, 4))
        count, origin = random.randrange(1, 4), random.choice((0, 0, 0, 8, -3))
        placer = Placer(kind, functools.partial(kind_match.best, whole=kind))
        found = []
        for stream in streams(datatype, count, origin):
            for placement in placer.place(stream):
                found += _check(placement, kind)
        expected = [
            at + origin + i * datatype.extent
            for i in range(count)
            for _, at in _basic_elements(datatype)
        ]
        assert sorted(at for at, _ in found) == sorted(expected), (SEED, round_)
        for at, indices in random.sample(found, min(len(found), 5)):
            parsed = element_address.ParsedAddress(indices[1:], ())
            element = element_address.resolve(datatype, parsed)
            assert element.displacement + indices[0] * datatype.extent + origin == at, (
                SEED,
                round_,
            )
