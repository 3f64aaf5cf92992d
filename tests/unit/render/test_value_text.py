# SPDX-License-Identifier: MIT
from __future__ import annotations

import re
import struct as c
import sys
from typing import Any

import pytest

from mpipp.datatypes.values.nodes import buffer, stage_node
from mpipp.render import value_text
from mpipp.render.print_settings import Limits
from mpipp.render.value_text import flowing, values_text
from mpipp.typetree import Datatype
from tests.unit.samples import (
    BYTE,
    CHAR,
    DOUBLE,
    DOUBLE_INT,
    INT,
    LB,
    SHORT_INT,
    FakeMemory,
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

AT = 0x1000
NUMBERS = c.pack("64i", *range(64))


def text(datatype: Datatype, data: bytes, count: int = 1, start: int = 0, **limits: Any) -> str:
    memory = FakeMemory(AT, data)
    return values_text(buffer(memory, AT + start, count, datatype), Limits(**limits))


def struct_data() -> bytes:
    data = bytearray(104)
    c.pack_into("5i", data, 0, 1, 2, 3, 4, 5)
    data[47:54] = b"abcdefg"
    c.pack_into("2d", data, 76, 1.5, 2.5)
    return bytes(data)


@pytest.mark.parametrize(
    ("datatype", "count", "expected"),
    [
        (INT, 1, "0"),
        (INT, 3, "{0, 1, 2}"),
        (contiguous(3, INT), 1, "{0, 1, 2}"),
        (contiguous(3, INT), 2, "{{0, 1, 2}, {3, 4, 5}}"),
        (vector(2, 3, 5, INT), 1, "{{0, 1, 2}, {5, 6, 7}}"),
        (indexed((2, 0, 1), (4, 9, 0), INT), 1, "{{4, 5}, {}, {0}}"),
        (indexed_block(2, (4, 0), INT), 1, "{{4, 5}, {0, 1}}"),
        (resized(0, 8, INT), 3, "{0, 2, 4}"),
        (dup(resized(0, 8, dup(INT))), 1, "0"),
        (subarray((3, 4), (2, 2), (1, 1), INT), 1, "{{5, 6}, {9, 10}}"),
        (subarray((3, 4), (2, 2), (1, 1), INT, "FORTRAN"), 1, "{{4, 7}, {5, 8}}"),
        (darray(2, 1, (10,), ("CYCLIC",), (None,), (2,), INT), 1, "{1, 3, 5, 7, 9}"),
        (darray(2, 0, (10,), ("CYCLIC",), (3,), (2,), INT), 1, "{0, 1, 2, 6, 7, 8}"),
        (struct((1, 0, INT), (2, 8, INT), (0, 4, INT)), 1, "{b0 = 0, b1 = {2, 3}}"),
        (struct((1, 0, LB), (1, 4, vector(2, 1, 2, INT))), 1, "{b1 = {{1}, {3}}}"),
        (struct(), 1, "{}"),
        (contiguous(0, INT), 1, "{}"),
        (INT, 0, "{}"),
        (contiguous(2, BYTE), 1, "{0x0, 0x0}"),
    ],
)
def test_values_are_nested_as_the_expanded_tree(
    datatype: Datatype, count: int, expected: str
) -> None:
    assert text(datatype, NUMBERS, count) == expected


def test_the_vector_of_the_paper() -> None:
    data = c.pack("12d", *(1.5 * i for i in range(1, 13)))
    assert text(vector(3, 2, 4, DOUBLE), data) == "{{1.5, 3}, {7.5, 9}, {13.5, 15}}"


def test_the_struct_of_the_paper() -> None:
    expected = '{b1 = {1, 2, 3, 4, 5}, b2 = "abcdefg", b3 = {1.5, 2.5}}'
    assert text(paper_struct(), struct_data()) == expected
    assert text(paper_struct(), struct_data() * 20, 20) == f"{{{expected} <repeats 20 times>}}"


def test_pretty() -> None:
    assert text(paper_struct(), struct_data() * 2, 2, pretty=True) == (
        "{{\n"
        "    b1 = {1, 2, 3, 4, 5},\n"
        '    b2 = "abcdefg",\n'
        "    b3 = {1.5, 2.5}\n"
        "  }, {\n"
        "    b1 = {1, 2, 3, 4, 5},\n"
        '    b2 = "abcdefg",\n'
        "    b3 = {1.5, 2.5}\n"
        "  }}"
    )


def test_pairs() -> None:
    data = c.pack("dixxxxdixxxx", 1.5, 7, 2.5, 8)
    assert text(DOUBLE_INT, data, 2) == "{{value = 1.5, index = 7}, {value = 2.5, index = 8}}"
    assert text(SHORT_INT, c.pack("hxxi", -1, 9)) == "{value = -1, index = 9}"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"abc", '"abc"'),
        (b"abc\0\0\0\0\0", r'"abc\000\000\000\000"'),
        (b"a\n\t\"\\'\1\377\2001", r'''"a\n\t\"\\'\001\377\2001"'''),
        (
            b"x" * 28 + b"abc" + bytes(9),
            "'x' <repeats 28 times>, \"abc\\000\\000\\000\\000\\000\\000\\000\\000\"",
        ),
        (b"abc" + b"x" * 28 + b"abc", '"abc", \'x\' <repeats 28 times>, "abc"'),
        (bytes(30), "'\\000' <repeats 29 times>"),
        (b"x" * 10, '"xxxxxxxxxx"'),
        (b"x" * 11, "'x' <repeats 11 times>"),
        (b"\0a\0\0", r'"\000a\000"'),
        (b"\0", '""'),
    ],
)
def test_text_is_printed_as_gdb_prints_char_arrays(data: bytes, expected: str) -> None:
    assert text(contiguous(len(data), CHAR), data) == expected
    assert text(CHAR, data, len(data)) == expected or len(data) == 1


def test_long_text_is_cut_as_gdb_does() -> None:
    alphabet = bytes(97 + i % 26 for i in range(300))
    assert text(contiguous(300, CHAR), alphabet) == f'"{alphabet[:200].decode()}"...'
    tail = alphabet[:195] + b"z" * 55
    expected = f"\"{alphabet[:195].decode()}\", 'z' <repeats 55 times>"
    assert text(contiguous(250, CHAR), tail) == expected
    assert text(contiguous(4, CHAR), b"abcd", elements=2) == '"ab"...'


def test_characters_that_are_not_neighbors() -> None:
    assert text(contiguous(3, resized(0, 2, CHAR)), b"a.b.c.") == '"abc"'
    assert text(vector(3, 1, 2, CHAR), b"a.b.c.") == '{"a", "b", "c"}'
    assert text(struct((1, 0, CHAR), (2, 2, CHAR)), b"a.bc") == "{b0 = 'a', b1 = \"bc\"}"


@pytest.mark.parametrize(
    ("values", "limits", "expected"),
    [
        ([1] * 11 + [2] + [3] * 10, {}, "{1 <repeats 11 times>, 2" + ", 3" * 10 + "}"),
        ([5] * 9 + [1], {"repeats": 3}, "{5 <repeats 9 times>, 1}"),
        ([1] * 11 + [2, 3], {"elements": 4}, "{1 <repeats 11 times>...}"),
        (range(6), {"elements": 4}, "{0, 1, 2, 3...}"),
        (range(4), {"elements": 4}, "{0, 1, 2, 3}"),
        ([1] * 20, {"repeats": 0}, "{" + ", ".join("1" * 20) + "}"),
    ],
)
def test_limits(values: list[int], limits: dict[str, int], expected: str) -> None:
    data = c.pack(f"{len(values)}i", *values)
    assert text(contiguous(len(values), INT), data, **limits) == expected
    # The same values, visited one by one.
    blocks = indexed([1] * len(values), range(len(values)), INT)
    one_by_one = text(blocks, data, **limits).replace("{", "").replace("}", "")
    assert "{" + one_by_one + "}" == expected


def test_the_limit_counts_the_whole_print() -> None:
    assert text(vector(4, 3, 3, INT), NUMBERS, elements=4) == "{{0, 1, 2}, {3...}...}"
    assert text(struct((1, 0, INT), (3, 4, INT), (1, 20, INT)), NUMBERS, elements=3) == (
        "{b0 = 0, b1 = {1, 2...}...}"
    )


def test_max_depth() -> None:
    array = vector(2, 2, 2, contiguous(1, INT))
    assert text(array, NUMBERS, max_depth=0) == "{...}"
    assert text(array, NUMBERS, max_depth=2) == "{{{...}, {...}}, {{...}, {...}}}"
    assert text(array, NUMBERS, max_depth=-1) == "{{{0}, {1}}, {{2}, {3}}}"


def test_equal_items_need_equal_bits() -> None:
    data = c.pack("12d", *([0.0] * 6 + [-0.0] * 6))
    assert text(contiguous(12, DOUBLE), data, repeats=5) == (
        "{0 <repeats 6 times>, -0 <repeats 6 times>}"
    )
    nan = c.pack("12Q", *([0x7FF8000000000000] * 12))
    assert text(contiguous(12, DOUBLE), nan) == "{nan(0x8000000000000) <repeats 12 times>}"


MANY = 2**31 - 1


class Impatient(FakeMemory):
    """Memory that may be read only a few times."""

    def read(self, address: int, length: int) -> bytes:
        assert self.reads < 100
        return super().read(address, length)


@pytest.mark.parametrize(
    ("datatype", "count", "expected"),
    [
        (vector(MANY, 1, 0, INT), 1, f"{{{{0}} <repeats {MANY} times>}}"),
        (vector(MANY, 3, 0, INT), 1, f"{{{{0, 1, 2}} <repeats {MANY} times>}}"),
        (vector(MANY, MANY, 0, resized(0, 0, INT)), 1, f"{{{{0 <repeats {MANY} times>}} <re"),
        (resized(0, 0, INT), MANY**2, f"{{0 <repeats {MANY**2} times>}}"),
        (contiguous(MANY, resized(0, 0, CHAR)), 1, rf"'\000' <repeats {MANY - 1} times>"),
        (struct((MANY, 4, resized(0, 0, CHAR))), 1, rf"{{b0 = '\001' <repeats {MANY} times>}}"),
        (indexed((1, MANY), (1, 2), resized(0, 0, INT)), 1, f"{{{{0}}, {{0 <repeats {MANY} times>"),
        (
            darray(2, 0, (MANY,), ("CYCLIC",), (3,), (2,), resized(0, 0, INT)),
            1,
            "{0 <repeats 10737",
        ),
        (darray(2, 0, (MANY,), ("CYCLIC",), (3,), (2,), contiguous(0, INT)), 1, "{{} <repeats 107"),
        (
            struct((1, 0, INT), (MANY, 4, resized(0, 8, struct()))),
            1,
            "{b0 = 0, b1 = {{} <repeats 2",
        ),
        (vector(MANY, 1, 0, indexed((1, 1), (1, 0), INT)), 1, "{{{{1}, {0}}} <repeats 2147"),
    ],
)
def test_what_is_in_one_place_is_read_once(datatype: Datatype, count: int, expected: str) -> None:
    memory = Impatient(AT, NUMBERS)
    assert values_text(buffer(memory, AT, count, datatype)).startswith(expected)


def test_very_many_too_deep() -> None:
    inner = vector(MANY, 1, 2, INT)
    for datatype in (inner, darray(2, 0, (MANY,), ("CYCLIC",), (3,), (2,), contiguous(1, INT))):
        assert text(datatype, NUMBERS, max_depth=1).startswith("{{...} <repeats ")


def test_one_text_in_one_place() -> None:
    letters = contiguous(300, resized(0, 0, CHAR))
    assert text(letters, b"x") == "'x' <repeats 300 times>"
    assert text(letters, b"x", repeats=0, elements=4) == '"xxxx"...'
    assert text(contiguous(5, resized(0, 0, CHAR)), b"x") == '"xxxxx"'
    assert text(contiguous(5, resized(0, 0, CHAR)), b"\0") == r'"\000\000\000\000"'
    assert text(contiguous(2, resized(0, 0, CHAR)), b"\0") == r'"\000"'


@pytest.mark.parametrize("stride", [1, 2, 5, -1])
def test_what_is_alike_is_not_decoded_one_by_one(stride: int) -> None:
    length = 4 * 100_000
    data = bytearray(4 * length * abs(stride))
    data[-4:] = data[:4] = b"\1\0\0\0"
    start = (length - 1) * 4 * abs(stride) if stride < 0 else 0
    expected = f"{{{{1}}, {{0}} <repeats {length - (abs(stride) == 1) - 1} times>"
    assert text(vector(length, 1, stride, INT), bytes(data), start=start).startswith(expected)


def test_a_run_in_memory_with_holes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of sparse memory is cheap to create, so the search for a run's end is bounded."""
    monkeypatch.setattr(value_text, "_LONGEST_ROWS", 1 << 22)

    class Holes:
        def __init__(self) -> None:
            self.total = 0

        def read(self, address: int, length: int) -> bytes:
            self.total += length
            return bytes(length)

    memory = Holes()
    text = values_text(buffer(memory, 0, 1 << 50, DOUBLE), Limits())
    assert re.fullmatch(r"\{0 <repeats \d{6} times>\.\.\.\}", text)
    assert memory.total < 1 << 25


def test_negative_displacements_and_strides() -> None:
    assert text(vector(3, 1, -2, INT), NUMBERS, start=20) == "{{5}, {3}, {1}}"
    assert text(indexed((1, 1), (-1, 1), INT), NUMBERS, start=8) == "{{1}, {3}}"


def test_mpi_bottom_has_absolute_displacements() -> None:
    absolute = struct((2, AT, INT), (1, AT + 40, INT))
    node = buffer(FakeMemory(AT, NUMBERS), 0, 1, absolute)
    assert values_text(node) == "{b0 = {0, 1}, b1 = 10}"


def test_what_cannot_be_read_is_shown_in_place() -> None:
    assert text(contiguous(4, INT), NUMBERS[:8]) == (
        "{0, 1, <cannot read 0x1008>, <cannot read 0x100c>}"
    )
    assert text(contiguous(64, INT), NUMBERS[:8]) == (
        "{0, 1, <cannot read 0x1008> <repeats 62 times>}"
    )
    assert text(contiguous(4, CHAR), b"ab") == "<cannot read 0x1000>"
    assert text(INT, NUMBERS, start=-(1 << 20)) == "<cannot read -0xff000>"


@pytest.mark.parametrize(
    ("prefix", "expected"),
    [
        ((), '{b1 = {1, 2, 3, 4, 5}, b2 = "abcdefg", b3 = {1.5, 2.5}}'),
        ((2,), '"abcdefg"'),
        ((3,), "{1.5, 2.5}"),
        ((3, 1), "2.5"),
    ],
)
def test_the_values_below_some_indices(prefix: tuple[int, ...], expected: str) -> None:
    memory = FakeMemory(AT, struct_data())
    assert values_text(stage_node(memory, AT, paper_struct(), prefix)) == expected


def test_the_values_of_a_row_of_an_array() -> None:
    array = subarray((3, 4), (2, 2), (1, 1), INT)
    assert values_text(stage_node(FakeMemory(AT, NUMBERS), AT, array, (1,))) == "{9, 10}"


def test_nodes_are_lazy() -> None:
    memory = FakeMemory(AT, bytes(16 * 10**6))
    node = buffer(memory, AT, 1, vector(10**6, 1, 2, DOUBLE))
    assert (node.kind, node.count, memory.reads) == ("array", 10**6, 0)
    item = node.child(999_999).child(0)
    assert (item.kind, item.value(), item.text()) == ("scalar", 0.0, "0")
    assert memory.reads <= 2
    with pytest.raises(IndexError):
        node.child(10**6)


def test_a_short_print_of_a_large_buffer_reads_little() -> None:
    memory = FakeMemory(AT, b"".join(c.pack("d8x", i) for i in range(100_000)))
    printed = values_text(buffer(memory, AT, 1, vector(100_000, 1, 2, DOUBLE)))
    assert printed.endswith("{198}, {199}...}")
    assert memory.bytes_read < 20_000


@pytest.mark.parametrize("count", [0, 1, 4096, 4097, 8194, 20_000])
@pytest.mark.parametrize("limits", [Limits(elements=0), Limits(elements=9000), Limits(max_depth=0)])
def test_long_arrays_flow(count: int, limits: Limits) -> None:
    memory = FakeMemory(AT, c.pack(f"<{count}d", *range(count)))
    pieces: list[str] = []
    node = buffer(memory, AT, count, DOUBLE)
    pieces.append(flowing(node, limits, pieces.append))
    assert "".join(pieces) == values_text(node, limits)
    assert all(piece.count(", ") < 5000 for piece in pieces)


def test_the_other_byte_order() -> None:
    other = ">" if sys.byteorder == "little" else "<"

    class Other(FakeMemory):
        byte_order = other

    complex_number = basic("MPI_C_DOUBLE_COMPLEX", 16)
    wide = basic("MPI_WCHAR", 4)
    tree = struct(
        (2, 0, INT), (1, 8, DOUBLE), (1, 16, complex_number), (2, 32, wide), (1, 40, DOUBLE_INT)
    )
    data = c.pack(
        f"{other}iiddd4s4sdi4x",
        1,
        -2,
        1.5,
        2.5,
        -3.5,
        *(code.to_bytes(4, "big" if other == ">" else "little") for code in (0x263A, 0x41)),
        0.25,
        7,
    )
    node = buffer(Other(AT, data), AT, 1, tree)
    assert values_text(node) == (
        '{b0 = {1, -2}, b1 = 1.5, b2 = 2.5 + -3.5i, b3 = L"\\u263aA", '
        "b4 = {value = 0.25, index = 7}}"
    )
    assert node.child(0).child(1).value() == -2
    numbers = c.pack(f"{other}40i", *range(20), *([5] * 20))
    assert values_text(buffer(Other(AT, numbers), AT, 40, INT)) == (
        f"{{{', '.join(map(str, range(20)))}, 5 <repeats 20 times>}}"
    )
