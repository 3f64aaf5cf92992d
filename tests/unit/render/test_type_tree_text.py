# SPDX-License-Identifier: MIT
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mpipp.render.datatype_structs import members
from mpipp.render.nested_text import Walker
from mpipp.render.print_settings import Limits
from mpipp.render.type_tree_text import expanded_tree, meta_tree
from mpipp.typetree import Datatype, Extents
from tests.unit.samples import (
    DOUBLE,
    INT,
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

REAL = Datatype("F90_REAL", {"p": 6, "r": 30}, reported=Extents(4, 0, 4, 0, 4))


@pytest.mark.parametrize(
    ("datatype", "expected"),
    [
        (INT, "MPI_INT"),
        (dup(INT), '{kind = DUP, type = "MPI_INT"}'),
        (contiguous(3, INT), '{kind = CONTIGUOUS, count = 3, type = "MPI_INT"}'),
        (
            vector(3, 2, 4, DOUBLE),
            '{kind = VECTOR, count = 3, blocklength = 2, stride = 4, type = "MPI_DOUBLE"}',
        ),
        (
            indexed((1, 2), (0, 3), INT),
            "{kind = INDEXED, count = 2, entries = {{blocklength = 1, displacement = 0}, "
            '{blocklength = 2, displacement = 3}}, type = "MPI_INT"}',
        ),
        (
            indexed((1,), (12,), INT, "HINDEXED"),
            "{kind = HINDEXED, count = 1, entries = {{blocklength = 1, offset = 12}}, "
            'type = "MPI_INT"}',
        ),
        (
            indexed_block(2, (3, 0), INT),
            "{kind = INDEXED_BLOCK, count = 2, blocklength = 2, displacements = {3, 0}, "
            'type = "MPI_INT"}',
        ),
        (
            indexed_block(2, (3, 0), INT, "HINDEXED_BLOCK"),
            "{kind = HINDEXED_BLOCK, count = 2, blocklength = 2, offsets = {3, 0}, "
            'type = "MPI_INT"}',
        ),
        (
            paper_struct(),
            "{kind = STRUCT, count = 5, entries = {"
            '{blocklength = 1, offset = -4, type = "MPI_LB"}, '
            '{blocklength = 5, offset = 0, type = "MPI_INT"}, '
            '{blocklength = 7, offset = 47, type = "MPI_CHAR"}, '
            '{blocklength = 2, offset = 76, type = "MPI_DOUBLE"}, '
            '{blocklength = 1, offset = 100, type = "MPI_UB"}}}',
        ),
        (
            subarray((4, 5), (2, 3), (1, 1), INT),
            "{kind = SUBARRAY, ndims = 2, sizes = {4, 5}, subsizes = {2, 3}, starts = {1, 1}, "
            'order = C, type = "MPI_INT"}',
        ),
        (
            darray(4, 1, (8, 9), ("BLOCK", "CYCLIC"), (None, 3), (2, 2), INT, "FORTRAN"),
            "{kind = DARRAY, size = 4, rank = 1, ndims = 2, gsizes = {8, 9}, "
            "distribs = {BLOCK, CYCLIC}, dargs = {DFLT_DARG, 3}, psizes = {2, 2}, "
            'order = FORTRAN, type = "MPI_INT"}',
        ),
        (resized(-4, 12, INT), '{kind = RESIZED, lb = -4, extent = 12, type = "MPI_INT"}'),
        (REAL, "{kind = F90_REAL, p = 6, r = 30}"),
        (dup(REAL), "{kind = DUP, type = {kind = F90_REAL, p = 6, r = 30}}"),
        (
            struct((1, 0, contiguous(2, INT)), name='a "b"'),
            '{kind = STRUCT, name = "a \\"b\\"", count = 1, entries = {{blocklength = 1, '
            'offset = 0, type = {kind = CONTIGUOUS, count = 2, type = "MPI_INT"}}}}',
        ),
    ],
)
def test_a_handle_is_a_c_struct(datatype: Datatype, expected: str) -> None:
    assert Walker().text(datatype) == expected


def test_limits_apply_to_handles() -> None:
    big = indexed_block(1, range(10**6), INT)
    text = Walker(Limits(elements=3)).text(big)
    assert "displacements = {0, 1, 2...}" in text
    nested = dup(dup(dup(INT)))
    assert Walker(Limits(max_depth=2)).text(nested) == (
        "{kind = DUP, type = {kind = DUP, type = {...}}}"
    )


def test_members_are_made_when_asked_for() -> None:
    big = indexed(range(10**6), range(10**6), INT)
    entries: Any = dict(members(big))["entries"]
    assert len(entries) == 10**6
    assert entries[999_999] == [("blocklength", 999_999), ("displacement", 999_999)]
    assert members(INT) == []


def test_meta_tree() -> None:
    cell = resized(0, 104, paper_struct())
    tree = struct((1, 0, cell), (2, 500, vector(3, 2, 4, cell)))
    made = {cell: "made at main.c:12"}
    assert meta_tree(tree, lambda node: made.get(node, "")) == [
        line.rstrip()
        for line in """\
                                                                size  lb  extent  true lb  true extent
STRUCT count 2                                                   559   0    2580        0         2568
  [0] = b0 at 0, 1 x RESIZED lb 0, extent 104 #1                  43   0     104        0           92  made at main.c:12
    STRUCT count 5                                                43  -4     104        0           92
      [0] at -4, 1 x MPI_LB                                        0   0       0
      [1] = b1 at 0, 5 x MPI_INT                                   4   0       4        0            4
      [2] = b2 at 47, 7 x MPI_CHAR                                 1   0       1        0            1
      [3] = b3 at 76, 2 x MPI_DOUBLE                               8   0       8        0            8
      [4] at 100, 1 x MPI_UB                                       0   0       0
  [1] = b1 at 500, 2 x VECTOR count 3, blocklength 2, stride 4   258   0    1040        0         1028
    RESIZED #1, as above
""".splitlines()  # noqa: E501
    ]


def test_expanded_tree() -> None:
    cell = resized(0, 104, paper_struct())
    tree = struct((1, 0, cell), (2, 500, vector(10**6, 2, 4, cell)))
    assert expanded_tree(tree) == [
        line.rstrip()
        for line in """\
                              from         to
(STRUCT)                         0  832000072
  [0]                            0         92
    [0](RESIZED)                 0         92
      [0](STRUCT)                0         92
        [0]  1 (LB)             -4         -4
        [1]  5 (INT)             0         20
        [2]  7 (CHAR)           47         54
        [3]  2 (DOUBLE)         76         92
        [4]  1 (UB)            100        100
  [1]                          500  832000072
    [0](VECTOR)                500  416000280
      [0]                      500        696
        [0](RESIZED)           500        592
          [0](STRUCT)          500        592  14 elements
        [1]                    604        696  same shape
      [1] .. [999999]          916  416000280  same shape, 196 bytes each, 416 apart
    [1]                  416000292  832000072  same shape
""".splitlines()
    ]


def test_expanded_tree_of_many_blocks_is_cut() -> None:
    tree = indexed([1 + i % 2 for i in range(10**6)], range(0, 4 * 10**6, 4), INT)
    lines = expanded_tree(tree, limits=Limits(elements=4))
    assert lines == [
        "                from        to",
        "(INDEXED)          0  15999992",
        "  [0]  1 (INT)     0         4",
        "  [1]  2 (INT)    16        24",
        "  [2]  1 (INT)    32        36",
        "...",
    ]


@pytest.mark.parametrize(("make", "depth"), [(dup, 5000), (lambda t: struct((1, 0, t)), 2000)])
def test_a_tree_nested_very_deep(make: Callable[[Datatype], Datatype], depth: int) -> None:
    tree = INT
    for _ in range(depth):
        tree = make(tree)
    lines = expanded_tree(tree, depth + 1, Limits(elements=0))
    assert len(lines) - 2 == depth * tree.shape.stages - (tree.shape.stages - 1)
    assert lines[-1].split()[-2:] == ["0", "4"]
