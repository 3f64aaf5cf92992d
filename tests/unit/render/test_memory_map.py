# SPDX-License-Identifier: MIT
"""The memory map: its facts, compared with the bytes of all elements, and its exact pictures."""

from __future__ import annotations

import os
import re
import time
import xml.dom.minidom

import pytest

from mpipp.datatypes.alignment import alignment
from mpipp.render.memory_map import map
from mpipp.render.memory_map.map import MemoryMap, Note, Row, memory_map
from mpipp.render.memory_map.svg import svg
from mpipp.typetree import Datatype, Extents
from tests.short import some
from tests.unit.datatypes.test_buffer_overlap import Maker, times_touched, type_map
from tests.unit.samples import (
    CHAR,
    DOUBLE,
    INT,
    SHORT_INT,
    basic,
    contiguous,
    darray,
    indexed,
    named,
    paper_struct,
    resized,
    struct,
    subarray,
    vector,
)

SEED = int(os.environ.get("MPIPP_SEED", "1"))
RULER = "     +0       +8       +16      +24      +32      +40      +48      +56"


def drawn(datatype: Datatype, count: int = 1) -> str:
    lines = map.text(memory_map(datatype, count))
    assert all(len(line) <= 80 for line in lines)
    return "\n".join(lines)


def test_the_struct_of_the_paper() -> None:
    found = memory_map(paper_struct())
    assert (found.size, found.touched, found.runs, found.hole_bytes) == (43, 43, 3, 49)
    assert (found.low, found.high, found.lb, found.extent) == (0, 92, -4, 104)
    assert (found.overlap, found.least_count_overlap) == (None, None)
    assert found.misaligned is not None
    assert found.misaligned.path == "(STRUCT)[3][0](DOUBLE)"
    assert drawn(paper_struct()) == (
        f"{RULER}\n"
        "  0  IiiiIiii IiiiIiii Iiii.... ........ ........ .......C CCCCCC.. ........\n"
        " 64  ........ ....Dddd ddddDddd dddd.... ....\n"
        "\n"
        "i MPI_INT    c MPI_CHAR    d MPI_DOUBLE    . not touched"
    )


def test_negative_displacements_gaps_of_pairs_and_bounds() -> None:
    made = struct((2, -12, SHORT_INT), (1, 8, CHAR))
    assert drawn(resized(-16, 40, made)) == (
        f"{RULER}\n"
        "-64                                                        ....Ss.. ssssSs..\n"
        "  0  ssss.... C....... ........\n"
        "\n"
        "s MPI_SHORT_INT    c MPI_CHAR    . not touched"
    )


def test_an_element_that_reaches_beyond_its_size_ends() -> None:
    damaged = named("MPI_FLOAT", Extents(4, 0, 4, 0, 5))
    assert drawn(contiguous(2, damaged)).splitlines()[1] == "  0  Ffff#fff"


def test_no_entries_have_no_bounds() -> None:
    found = memory_map(resized(-16, 40, INT), 0)
    assert (found.lb, found.extent, found.low, found.true_extent) == (0, 0, 0, 0)


def test_elements_that_overlap() -> None:
    assert drawn(vector(3, 2, 1, INT)) == (
        f"{RULER}\n  0  Iiii#### ####Iiii\n\ni MPI_INT    # more than one element    . not touched"
    )
    (row,) = map.lines(memory_map(vector(3, 2, 1, INT)))
    assert isinstance(row, Row)
    assert [(cell.start, cell.end, cell.twice) for cell in row.cells] == [
        (0, 4, False),
        (4, 8, True),
        (8, 12, True),
        (12, 16, False),
    ]


def test_large_maps_are_folded() -> None:
    assert drawn(struct((1, 0, INT), (1, 8, DOUBLE)), 10**9) == (
        "the first of 1000000000, every 16 bytes:\n"
        f"{RULER}\n"
        f"  0  {' '.join(['Iiii.... Dddddddd'] * 4)}\n"
        "\n"
        "i MPI_INT    d MPI_DOUBLE    . not touched"
    )
    plane = subarray((1000, 1000, 10), (1000, 7, 10), (0, 0, 0), contiguous(3, CHAR))
    assert drawn(plane).splitlines()[:3] == [
        "the first of 1000, every 30000 bytes:",
        RULER,
        f"  0  {' '.join(['CCCCCCCC'] * 8)}",
    ]
    assert drawn(contiguous(10**6, DOUBLE)).splitlines()[7:11] == [
        "    384  Dddddddd Dddddddd Dddddddd Dddddddd Dddddddd Dddddddd Dddddddd Dddddddd",
        "    448  Dddddddd Dddddddd Dddddddd Dddddddd Dddddddd Dddddddd Dddddddd Dddddddd",
        "         (7999296 bytes not drawn)",
        "7999808  Dddddddd Dddddddd Dddddddd Dddddddd Dddddddd Dddddddd Dddddddd Dddddddd",
    ]
    large = memory_map(contiguous(10**6, DOUBLE))
    marked = map.lines(large, mark=8 * 496)
    starts = [line.start if isinstance(line, map.Row) else line.text for line in marked]
    assert starts == [
        *(0, 64, 128, 192, 256, "3584 bytes not drawn", 3904, 3968, 4032),
        *("7995712 bytes not drawn", 7999808, 7999872, 7999936),
    ]
    assert map.lines(large, mark=0) == map.lines(large, mark=64) == map.lines(large)
    far = indexed([1, 2, 1], [0, 100000, 5], DOUBLE)
    assert drawn(far) == (
        "        +0       +8       +16      +24      +32      +40      +48      +56\n"
        "     0  Dddddddd ........ ........ ........ ........ Dddddddd ........ ........\n"
        "        (799936 bytes not touched)\n"
        "800000  Dddddddd Dddddddd\n"
        "\n"
        "d MPI_DOUBLE    . not touched"
    )


def test_a_long_list_that_is_repeated_often_takes_no_time() -> None:
    blocks = ((1, 8 * i, DOUBLE if i % 2 else INT) for i in range(400))
    start = time.process_time()
    lines = drawn(struct(*blocks), 120).splitlines()
    assert time.process_time() - start < 2
    assert lines[0] == "the first of 120, every 3200 bytes:"
    row = " ".join(["Iiii.... Dddddddd"] * 4)
    assert lines[10:12] == ["      (2496 bytes not drawn)", f"3008  {row}"]


def test_absolute_addresses() -> None:
    made = struct((1, 0x7FFE12345678, INT), (2, 0x7FFE123456F0, DOUBLE))
    assert drawn(made).splitlines()[1:4] == [
        "140729203840608                             Iiii....",
        "                 (96 bytes not touched)",
        "140729203840736  ........ ........ Dddddddd Dddddddd",
    ]


@pytest.mark.parametrize("made", [struct(), contiguous(0, INT), vector(2, 0, 7, INT)])
def test_nothing(made: Datatype) -> None:
    assert drawn(made) == "no data"
    assert "no data" in svg(memory_map(made))
    assert drawn(INT, 0) == "no data"


def check_facts(found: MemoryMap) -> None:
    times = times_touched(found.datatype, found.count)
    runs = sum(byte - 1 not in times for byte in times)
    assert (found.touched, found.runs) == (len(times), runs)
    assert found.hole_bytes == (max(times) + 1 - min(times) - len(times) if times else 0)
    wrong = {
        at + i * found.datatype.extent
        for i in range(found.count)
        for at, leaf in type_map(found.datatype)
        if leaf.size and (at + i * found.datatype.extent) % alignment(leaf)
    }
    assert (found.misaligned is not None) == bool(wrong)
    if found.misaligned:
        assert found.misaligned.displacement in wrong


def check_picture(found: MemoryMap) -> None:
    # Every byte of a row is drawn, unless the map is so long that rows are left out.
    times = times_touched(found.datatype, found.count)
    lines = map.lines(found)
    rows = [line for line in lines if isinstance(line, Row)]
    for row in rows:
        assert row.start % row.length == 0
        cells = {byte: cell for cell in row.cells for byte in range(cell.start, cell.end)}
        here = [b for b in range(row.start, row.start + row.length) if b in times]
        assert sorted(cells) == here
        assert all(cells[byte].twice == (times[byte] > 1) for byte in here)
    whole = not any(isinstance(line, Note) and "touched" not in line.text for line in lines)
    if whole and times:
        assert {byte - byte % rows[0].length for byte in times} == {row.start for row in rows}


def test_random_maps() -> None:
    print(f"seeds {SEED} to {SEED + 599}")
    for number in range(SEED, SEED + some(600)):
        maker = Maker(number)
        datatype = maker.datatype(number % 5)
        if datatype.element_count > 200:
            continue
        found = memory_map(datatype, maker.random.choice((0, 1, 1, 2, 3)))
        try:
            check_facts(found)
            check_picture(found)
            if number % 10 == 0:
                xml.dom.minidom.parseString(svg(found))
        except AssertionError as error:
            raise AssertionError(f"seed {number}: {error}") from error


def test_the_svg_has_every_element() -> None:
    picture = svg(memory_map(paper_struct()), 'a "struct" & more')
    xml.dom.minidom.parseString(picture)
    titles = re.findall("<title>(.*?)</title>", picture, re.DOTALL)
    assert "(STRUCT)[3][1](DOUBLE)\nMPI_DOUBLE at displacement 84" in titles
    assert sum("(STRUCT)" in title for title in titles) == 14
    assert "ub at 100" in titles
    assert 'a "struct" &amp; more: 43 bytes of data in [0, 92), extent 104</text>' in picture
    assert "prefers-color-scheme:dark" in picture


@pytest.mark.parametrize(
    ("made", "count"),
    [
        (contiguous(10**9, CHAR), 1),
        (vector(1000, 1, 1000, DOUBLE), 1000),
        (indexed([1] * 3000, [i * i for i in range(3000)], CHAR), 1),
        (darray(4, 1, (300, 300), ("CYCLIC",) * 2, (2, 3), (2, 2), DOUBLE), 1),
        (vector(10**6, 2, 1, INT), 10**6),
    ],
)
def test_the_svg_of_anything_is_small(made: Datatype, count: int) -> None:
    picture = svg(memory_map(made, count))
    xml.dom.minidom.parseString(picture)
    assert picture.count("<rect") < 2000
    assert len(picture) < 400_000


def test_letters_are_different() -> None:
    names = ["MPI_INT", "MPI_INTEGER", "MPI_INT8_T", "MPI_LONG", "MPI_LONG_LONG", "MPI_2INT"]
    made = struct(*((1, 16 * i, basic(name, 8)) for i, name in enumerate(names)))
    letters = map.legend(map.lines(memory_map(made)))
    assert list(letters) == names
    assert len(set(letters.values())) == len(names)
    assert letters["MPI_INT"] == "i"
    assert all(a.islower() and len(a) == 1 for a in letters.values())


@pytest.mark.thorough
def test_ten_thousand_structs_in_each_other() -> None:
    made, began = INT, time.process_time()
    for i in range(1, 10_001):
        made = struct((1, 0, made), (1, 8 * i, INT))
    drawn = map.text(memory_map(made))
    ints = "Iiii.... " * 8
    assert drawn[1:3] == [f"    0  {ints.rstrip()}", f"   64  {ints.rstrip()}"]
    assert drawn[9:] == [
        "       (79360 bytes not drawn)",
        f"79872  {ints.rstrip()}",
        f"79936  {ints.rstrip()}",
        "80000  Iiii",
        "",
        "i MPI_INT    . not touched",
    ]
    assert time.process_time() - began < 30  # it takes two seconds; an earlier version took 90
