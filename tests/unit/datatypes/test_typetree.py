# SPDX-License-Identifier: MIT
from __future__ import annotations

from collections.abc import Callable

import pytest

from mpipp.common.errors import MpippError
from mpipp.datatypes import distribution
from mpipp.typetree import Datatype, Extents
from tests.expanded import child, children, levels
from tests.unit.samples import (
    CHAR,
    DOUBLE,
    DOUBLE_INT,
    INT,
    contiguous,
    darray,
    dup,
    indexed,
    paper_struct,
    resized,
    struct,
    subarray,
    vector,
)


def bounds(datatype: Datatype) -> tuple[int, ...]:
    of = datatype.computed
    return of.size, of.lb, of.extent, of.true_lb, of.true_extent


@pytest.mark.parametrize(
    ("datatype", "expected"),
    [
        (contiguous(3, DOUBLE), (24, 0, 24, 0, 24)),
        (vector(3, 2, 4, DOUBLE), (48, 0, 80, 0, 80)),
        (vector(2, 3, -4, INT), (24, -16, 28, -16, 28)),
        (vector(3, 1, 100, INT, "HVECTOR"), (12, 0, 204, 0, 204)),
        (indexed((1, 2), (4, -1), INT), (12, -4, 24, -4, 24)),
        (indexed((1, 2), (5, -1), INT, "HINDEXED"), (12, -1, 10, -1, 10)),
        (paper_struct(), (43, -4, 104, 0, 92)),
        (struct((1, 0, DOUBLE), (1, 8, CHAR)), (9, 0, 16, 0, 9)),
        (resized(-8, 40, INT), (4, -8, 40, 0, 4)),
        (contiguous(2, resized(0, 32, INT)), (8, 0, 64, 0, 36)),
        (struct((1, 0, resized(0, 8, INT)), (1, 100, DOUBLE)), (12, 0, 8, 0, 108)),
        (dup(DOUBLE_INT), (12, 0, 16, 0, 12)),
        (subarray((4, 5), (2, 3), (1, 1), INT), (24, 0, 80, 24, 32)),
        (subarray((4, 5), (2, 3), (1, 1), INT, "FORTRAN"), (24, 0, 80, 20, 40)),
        (contiguous(0, INT), (0, 0, 0, 0, 0)),
        (vector(2, 0, 7, INT), (0, 0, 0, 0, 0)),
        (struct(), (0, 0, 0, 0, 0)),
    ],
)
def test_bounds_follow_the_standard(datatype: Datatype, expected: tuple[int, ...]) -> None:
    assert bounds(datatype) == expected


def test_what_the_library_reports_comes_first() -> None:
    reported = Extents(4, 0, 4096, 0, 4)
    base = Datatype("CONTIGUOUS", {"count": 1}, (INT,), reported=reported)
    assert base.extent == 4096
    assert base.computed.extent == 4
    assert contiguous(2, base).extent == 8192


def test_huge_counts_are_exact_and_cost_nothing() -> None:
    huge = vector(2**62, 3, 2**40, contiguous(2**61, DOUBLE))
    assert huge.size == 2**62 * 3 * 2**61 * 8
    assert huge.element_count == 2**62 * 3 * 2**61
    assert huge.extent == (2**62 - 1) * 2**104 + 3 * 2**64


def test_elements_and_depth() -> None:
    assert paper_struct().element_count == 14
    assert contiguous(5, DOUBLE_INT).element_count == 10
    assert (INT.depth, contiguous(5, vector(3, 2, 4, INT)).depth) == (0, 2)


def test_a_long_chain_needs_no_recursion() -> None:
    chain = INT
    for _ in range(20000):
        chain = dup(chain)
    assert (chain.size, chain.depth) == (4, 20000)


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("C", [(0, 0), (0, 1), (1, 0), (1, 1)]),
        ("FORTRAN", [(0, 0), (1, 0), (0, 1), (1, 1)]),
    ],
)
def test_type_map_order(order: str, expected: list[tuple[int, int]]) -> None:
    array = subarray((4, 4), (2, 2), (1, 1), INT, order)
    assert [indices for indices, _, _ in children(array)] == expected


def test_darray_of_the_standard() -> None:
    # MPI-4.1, section 5.1.4: 100 x 200 x 300 with block, none, cyclic(10) on 2 x 1 x 3 processes.
    piece = darray(
        6,
        4,
        (100, 200, 300),
        ("BLOCK", "NONE", "CYCLIC"),
        (None, None, 10),
        (2, 1, 3),
        CHAR,
    )
    assert levels(piece) == (50, 200, 100)
    assert child(piece, (0, 0, 10)) == (CHAR, 50 * 200 * 300 + 10 + 30)
    assert piece.extent == 6_000_000


def test_levels_are_the_branching_of_each_index() -> None:
    assert levels(INT) == ()
    assert levels(contiguous(7, INT)) == (7,)
    assert levels(resized(0, 8, INT)) == (1,)
    assert levels(paper_struct(), 2) == (5, 7)
    assert child(paper_struct(), (2, 5)) == (CHAR, 52)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Datatype("VECTORS"), "VECTORS is not a combiner of an MPI datatype"),
        (
            lambda: Datatype("VECTOR", {"count": 1, "blocklength": 1}, (INT,)),
            "a datatype made by VECTOR is recorded without its argument stride",
        ),
        (
            lambda: Datatype("CONTIGUOUS", {"count": -1}, (INT,)),
            "a datatype made by CONTIGUOUS has a negative count, -1",
        ),
        (
            lambda: Datatype(
                "INDEXED", {"count": 2, "blocklengths": (1,), "displacements": (0, 1)}, (INT,)
            ),
            "a datatype made by INDEXED has 1 blocklengths, but 2 were expected",
        ),
        (
            lambda: Datatype("DUP", {}, ()),
            "a datatype made by DUP has 0 component datatypes, but 1 were expected",
        ),
        (lambda: Datatype("NAMED", name="MPI_INT"), "MPI_INT needs the extents its MPI library"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(MpippError) as error:
        make()
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(("psizes", "dargs"), [((0, 2), (1, 1)), ((2, 2), (0, 1))])
def test_a_distribution_over_nobody(psizes: tuple[int, ...], dargs: tuple[int, ...]) -> None:
    with pytest.raises(MpippError, match="psizes and dargs must be positive"):
        distribution.darray_dimensions(0, (4, 4), ("CYCLIC", "BLOCK"), dargs, psizes)
