# SPDX-License-Identifier: MIT
from __future__ import annotations

import struct as c
from collections.abc import Iterator

import pytest

from mpipp.datatypes import element_address
from mpipp.datatypes.element_address import ParsedAddress
from mpipp.datatypes.values.nodes import buffer, stage_node
from mpipp.render import outline
from mpipp.render.outline import Item, Line, Tree
from mpipp.render.value_text import values_text
from mpipp.typetree import Datatype
from tests.unit.samples import (
    CHAR,
    DOUBLE,
    DOUBLE_INT,
    INT,
    FakeMemory,
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

AT = 0x1000
NUMBERS = c.pack("128i", *range(128))

DATATYPES = (
    INT,
    DOUBLE_INT,
    contiguous(3, INT),
    vector(3, 2, 4, INT),
    vector(3, 1, -2, INT),
    indexed([2, 0, 1], [4, 0, -1], INT),
    struct((2, 0, INT), (3, 8, CHAR), (1, 16, vector(2, 1, 2, DOUBLE))),
    paper_struct(),
    resized(-4, 40, dup(contiguous(2, INT))),
    subarray((4, 6), (2, 3), (1, 2), INT, "FORTRAN"),
    subarray((4, 6), (2, 3), (1, 2), vector(2, 1, 2, INT)),
    darray(2, 1, (8,), ("CYCLIC",), (2,), (2,), INT),
)


def walk(item: Item, indices: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Item]]:
    yield indices, item
    for i in range(item.count):
        yield from walk(item.child(i), (*indices, i))


@pytest.mark.parametrize("datatype", DATATYPES, ids=repr)
def test_the_way_to_a_line_is_the_elements_address(datatype: Datatype) -> None:
    memory = FakeMemory(AT - 64, NUMBERS)
    found = 0
    for indices, item in walk(outline.data("x", memory, AT, 1, datatype)):
        line = item.line()
        element = element_address.resolve(datatype, ParsedAddress(indices, ()))
        assert line.name == (f"[{indices[-1]}]" if indices else "x")
        assert (line.displacement, line.size) == (element.displacement, element.size)
        assert line.parts == item.count
        if element.is_basic and not element.datatype.is_marker:
            found += 1
            node = stage_node(memory, AT + element.displacement, element.datatype, ())
            assert line.value == values_text(node)
            assert line.type == element.datatype.name
    assert found == datatype.element_count or datatype is DOUBLE_INT


def test_entries() -> None:
    data = outline.data("x", FakeMemory(AT, NUMBERS), AT, 3, vector(2, 1, 2, INT))
    assert data.line() == Line("x", "{{{0}, {2}}, {{3}, {5}}, {{6}, {8}}}", "3 VECTOR", 0, 24, 3)
    assert outline.lines(data, 1, 99) == [
        Line("[1]", "{{3}, {5}}", "VECTOR", 12, 8, 2),
        Line("[2]", "{{6}, {8}}", "VECTOR", 24, 8, 2),
    ]


def test_a_line_reads_little() -> None:
    memory = FakeMemory(0, bytes(1 << 20))
    data = outline.data("x", memory, 0, 1, vector(100_000, 1, 2, INT))
    assert data.line().value == "{{0}, {0}, {0}, {0}, {0}, {0}, ...}"
    assert memory.bytes_read <= 1 << 15
    assert data.child(99_999).line().displacement == 799_992
    assert len(outline.lines(data, 50_000, 51_000)) == 1000
    assert memory.bytes_read <= 1 << 17


def test_what_cannot_be_read_is_said_in_place() -> None:
    data = outline.data("x", FakeMemory(AT, NUMBERS[:8]), AT, 1, contiguous(3, INT))
    assert [line.value for line in outline.lines(data, 0, 3)] == ["0", "1", "<cannot read 0x1008>"]
    assert data.line().value == "{0, 1, <cannot read 0x1008>}"


def test_texts() -> None:
    def line(text: bytes) -> str:
        count = len(text)
        return outline.data("x", FakeMemory(AT, text), AT, 1, contiguous(count, CHAR)).line().value

    assert line(b"hello\0") == '"hello"'
    assert line(b"\xc8\n") == '"\\310\\n"'
    assert line(bytes(range(65, 91)) * 4).endswith('GH"...')


def test_a_datatype_is_its_arguments_and_bounds() -> None:
    tree = Tree("t", struct((2, 0, INT), (1, 8, vector(3, 1, 2, DOUBLE)), name="mine"))
    assert tree.line() == Line("t", "mine", "", None, 32, 9)
    lines = outline.lines(tree, 0, 99)
    assert [(line.name, line.value) for line in lines] == [
        ("kind", "STRUCT"),
        ("name", '"mine"'),
        ("count", "2"),
        (
            "entries",
            '{{blocklength = 2, offset = 0, type = "MPI_INT"}, '
            "{blocklength = 1, offset = 8, type = VECTOR}}",
        ),
        ("size", "32"),
        ("lb", "0"),
        ("extent", "48"),
        ("true_lb", "0"),
        ("true_extent", "48"),
    ]
    inner = tree.child(3).child(1).child(2)
    assert inner.line() == Line("type", "VECTOR", "", None, 24, 10)
    assert Tree("int", INT).line() == Line("int", "MPI_INT", "", None, 4, 0)


def test_a_long_summary_is_cut() -> None:
    tree = Tree("t", vector(1, 1, 1, INT))
    assert len(tree.line().value) <= 100
    assert Tree("list", list(range(1000))).line() == Line(
        "list", "{0, 1, 2, 3, 4, 5, ...}", "", None, None, 1000
    )


def test_values_of_a_preview_are_those_of_the_buffer() -> None:
    datatype = struct((2, 0, INT), (3, 8, CHAR))
    memory = FakeMemory(AT, c.pack("2i4s", 7, 8, b"abcd"))
    assert outline.preview(buffer(memory, AT, 1, datatype)) == '{{7, 8}, "abc"}'
