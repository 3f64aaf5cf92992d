# SPDX-License-Identifier: MIT
from __future__ import annotations

from collections.abc import Callable

import pytest

from mpipp.common.errors import AddressError
from mpipp.datatypes import element_address, memory
from mpipp.datatypes.element_address import at_displacement, at_packed, parse, resolve
from mpipp.typetree import Datatype
from tests.unit.samples import (
    DOUBLE,
    INT,
    SHORT_INT,
    contiguous,
    dup,
    indexed,
    paper_struct,
    resized,
    struct,
    subarray,
    vector,
)

STRUCT = paper_struct()
VECTOR = vector(3, 2, 4, DOUBLE)


def find(datatype: Datatype, address: str, count: int | None = None) -> element_address.Element:
    return resolve(datatype, parse(address), count)


@pytest.mark.parametrize(
    "address",
    [
        "(STRUCT)[2][5](CHAR)",
        "[2][5]",
        "(struct)[2][5](MPI_CHAR)",
        "s_type(STRUCT)[2][5](CHAR)",
        " [ 2 ] [5]( char ) ",
    ],
)
def test_the_address_of_the_paper(address: str) -> None:
    element = find(STRUCT, address)
    assert element.path == "(STRUCT)[2][5](CHAR)"
    assert element.short_path == "[2][5]"
    assert (element.displacement, element.packed, element.size) == (52, 25, 1)
    assert element.is_basic


def test_an_intermediate_stage() -> None:
    block = find(STRUCT, "(STRUCT)[3]")
    assert (block.path, block.datatype, block.prefix) == ("(STRUCT)[3]", STRUCT, (3,))
    assert (block.displacement, block.packed, block.size) == (76, 27, 16)
    row = find(subarray((4, 5), (2, 3), (1, 1), INT), "[1]")
    assert (row.displacement, row.packed, row.size) == (44, 12, 12)


def test_an_inner_datatype() -> None:
    inner = find(contiguous(4, STRUCT), "[3]")
    assert (inner.path, inner.datatype, inner.displacement) == (
        "(CONTIGUOUS)[3](STRUCT)",
        STRUCT,
        312,
    )


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("[1][2][5]", "[1](STRUCT)[2][5](CHAR)"),
        ("[1](STRUCT)[2][5]", "[1](STRUCT)[2][5](CHAR)"),
        ("[7][3][1]", "[7](STRUCT)[3][1](DOUBLE)"),
        ("[7](STRUCT)[3]", "[7](STRUCT)[3]"),
    ],
)
def test_a_leading_index_is_the_repetition(address: str, path: str) -> None:
    element = find(STRUCT, address)
    assert element.path == path
    assert element.displacement == element.repetition * 104 + find(STRUCT, path[3:]).displacement


def test_must_prints_linear_indices_for_arrays() -> None:
    assert find(subarray((4, 5), (2, 3), (1, 1), INT), "[1][5]").indices == (1, 2)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        (
            "[2][7]",
            "2nd index [7] of (STRUCT)[2][7] is out of range: block 2 has 7 elements, [0] to [6]",
        ),
        (
            "[5][0]",
            "1st index [5] of (STRUCT)[5] is out of range: (STRUCT) has 5 blocks, [0] to [4]",
        ),
        ("[2][5](INT)", "(INT) does not fit: (CHAR) is at (STRUCT)[2][5]"),
        ("(VECTOR)[2][5]", "(VECTOR) does not fit: (STRUCT) is at the start"),
        ("[3](DOUBLE)", "(DOUBLE) does not fit: (STRUCT)[3] is a block of 2 MPI_DOUBLE"),
        ("[9][2][5]", "repetition [9] is out of range: the buffer has 3 entries"),
        ("[0][0][2][5]", "index [2] is one too many: (STRUCT)[0][0] is already one MPI_LB"),
        (
            "[2][x]",
            'cannot read "[x]" in the address "[2][x]": write [index] and (KIND) only',
        ),
    ],
)
def test_errors_say_what_is_wrong(address: str, message: str) -> None:
    with pytest.raises(AddressError) as error:
        find(STRUCT, address, 3)
    assert str(error.value) == message


def test_an_index_of_a_basic_type_is_one_too_many() -> None:
    with pytest.raises(AddressError) as error:
        find(INT, "[0][2]", 1)
    assert str(error.value) == "index [0] is one too many: it is already one MPI_INT"


def test_by_packed_position() -> None:
    assert at_packed(STRUCT, 25).path == "(STRUCT)[2][5](CHAR)"
    assert at_packed(STRUCT, 43 + 26).path == "[1](STRUCT)[2][6](CHAR)"
    with pytest.raises(AddressError, match="position 43 is outside the packed data: 43 bytes"):
        at_packed(STRUCT, 43, 1)
    with pytest.raises(AddressError, match="holds no data"):
        at_packed(contiguous(0, INT), 0)


def test_packed_positions_skip_empty_blocks() -> None:
    assert at_packed(indexed((1, 0, 0, 2), (0, 5, 6, 9), INT), 4).path == "(INDEXED)[3][0](INT)"


def test_by_displacement() -> None:
    assert [e.path for e in at_displacement(STRUCT, 52)] == ["(STRUCT)[2][5](CHAR)"]
    assert [e.path for e in at_displacement(STRUCT, 104 + 83, 2)] == ["[1](STRUCT)[3][0](DOUBLE)"]


def test_all_elements_that_overlap() -> None:
    twice = struct((2, 0, INT), (1, 2, DOUBLE))
    assert [e.path for e in at_displacement(twice, 5)] == [
        "(STRUCT)[0][1](INT)",
        "(STRUCT)[1][0](DOUBLE)",
    ]


@pytest.mark.parametrize(
    ("displacement", "message"),
    [
        (-1, "no element at displacement -1: the first is (VECTOR)[0][0](DOUBLE) at 0"),
        (
            20,
            "no element at displacement 20: it is in the gap between (VECTOR)[0][1](DOUBLE), "
            "which ends at 16, and (VECTOR)[1][0](DOUBLE) at 32",
        ),
        (
            80,
            "no element at displacement 80: the last is (VECTOR)[2][1](DOUBLE), which ends at 80",
        ),
    ],
)
def test_a_gap_names_its_neighbors(displacement: int, message: str) -> None:
    with pytest.raises(AddressError) as error:
        at_displacement(VECTOR, displacement)
    assert str(error.value) == message


def test_the_gap_inside_a_pair_belongs_to_the_pair() -> None:
    assert [e.path for e in at_displacement(SHORT_INT, 2)] == ["(SHORT_INT)"]


def test_huge_and_interleaved_datatypes_are_searched_quickly() -> None:
    # A transposed matrix: the columns are 8 bytes apart, and their elements 8 * 2**40 bytes.
    n = 2**40
    column = resized(0, 8, vector(n, 1, n, DOUBLE))
    matrix = contiguous(n, column)
    row, col = 123_456_789, 987_654_321
    (element,) = at_displacement(matrix, (row * n + col) * 8 + 7)
    assert element.indices == (col, 0, row, 0)
    assert at_packed(matrix, element.packed).displacement == element.displacement


def test_many_blocks_are_searched_quickly() -> None:
    n = 100_000
    blocks = indexed([1 + i % 3 for i in range(n)], [5 * (n - i) for i in range(n)], INT)
    for block in (0, 77_777, n - 1):
        (element,) = at_displacement(blocks, 20 * (n - block))
        assert element.indices == (block, 0)
    with pytest.raises(AddressError, match="in the gap between"):
        at_displacement(blocks, 20 * 5 + 16)


@pytest.mark.parametrize("how", ["contiguous", "dup", "indexed", "struct", "vector"])
def test_types_nested_very_deep(how: str) -> None:
    make: dict[str, Callable[[Datatype], Datatype]] = {
        "contiguous": lambda inner: contiguous(1, inner),
        "dup": dup,
        "indexed": lambda inner: indexed((1,), (0,), inner),
        "struct": lambda inner: struct((1, 0, inner)),
        "vector": lambda inner: vector(1, 1, 1, inner),
    }
    depth = 10_000 if how == "vector" else 1000
    tree = vector(2, 1, 2, INT)
    for _ in range(depth):
        tree = make[how](tree)
    (found,) = element_address.at_displacement(tree, 9)
    assert (found.displacement, found.packed, found.datatype) == (8, 4, INT)
    with pytest.raises(AddressError, match=r"it is in the gap between .* ends at 4, and .* at 8$"):
        element_address.at_displacement(tree, 5)
    between = memory.between(memory.Buffer(tree, 1, 0), memory.Buffer(INT, 1, 8))
    assert between is not None and (between.start, between.end) == (8, 12)
    itself = memory.self_overlap(vector(2, 1, 0, tree))
    assert itself is not None and (itself.start, itself.end) == (0, 4)


@pytest.mark.parametrize(
    ("datatype", "address", "ending"),
    [
        (dup(VECTOR), "[2][1]", "; did you mean (DUP)[0](VECTOR)[2][1](DOUBLE)?"),
        (
            dup(resized(0, 104, STRUCT)),
            "[2][5]",
            "; did you mean (DUP)[0](RESIZED)[0](STRUCT)[2][5](CHAR)?",
        ),
        (
            resized(0, 104, STRUCT),
            "[1][2][5]",
            "; did you mean [1](RESIZED)[0](STRUCT)[2][5](CHAR)?",
        ),
    ],
)
def test_a_missing_index_of_a_single_child_is_offered(
    datatype: Datatype, address: str, ending: str
) -> None:
    with pytest.raises(AddressError) as error:
        find(datatype, address)
    assert str(error.value).endswith(ending)
    offered = ending.partition("mean ")[2].rstrip("?")
    assert find(datatype, offered).path == offered


def test_what_no_added_index_mends_is_no_offer() -> None:
    for address in ("[3][0]", "[2][2]", "[5]"):
        with pytest.raises(AddressError) as error:
            find(dup(VECTOR), address)
        assert "did you mean" not in str(error.value)


def test_an_error_behind_a_repetition_says_that_it_is_one() -> None:
    with pytest.raises(AddressError) as error:
        find(STRUCT, "[2][5][0]")
    assert str(error.value) == (
        "1st index [5] of (STRUCT)[5] is out of range: (STRUCT) has 5 blocks, [0] to [4]. "
        "The first of 3 indices, [2], is the repetition: the entry of the buffer"
    )
