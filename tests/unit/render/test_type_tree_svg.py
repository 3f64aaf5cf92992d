# SPDX-License-Identifier: MIT
"""The drawn type-tree: valid SVG of bounded size, in which nothing overlaps."""

from __future__ import annotations

import itertools
import time
import xml.etree.ElementTree as ET

import pytest

from mpipp.render.type_tree_svg import tree_svg
from mpipp.typetree import Datatype, Extents
from tests.unit import samples
from tests.unit.samples import (
    CHAR,
    DOUBLE,
    INT,
    contiguous,
    indexed,
    struct,
    subarray,
    vector,
)

SVG = "{http://www.w3.org/2000/svg}"


class Picture:
    """The content of a drawing, read back from the SVG."""

    def __init__(self, datatype: Datatype) -> None:
        self.root = ET.fromstring(tree_svg(datatype))
        self.width = float(self.root.get("width", 0))
        self.height = float(self.root.get("height", 0))
        self.boxes = [self._box(group) for group in self.root.iter(f"{SVG}g")]
        self.labels = [
            text.text for text in self.root.findall(f"{SVG}text") if text.get("class") == "dim"
        ]

    def _box(self, group: ET.Element) -> tuple[list[str], tuple[float, float, float, float]]:
        rect = group.find(f"{SVG}rect")
        assert rect is not None
        x, y, width, height = (float(rect.get(n, 0)) for n in ("x", "y", "width", "height"))
        return [t.text or "" for t in group.iter(f"{SVG}text")], (x, y, x + width, y + height)

    @property
    def texts(self) -> list[list[str]]:
        return [text for text, _ in self.boxes]


PARTICLE = struct((1, 0, INT), (1, 8, DOUBLE), (16, 16, CHAR), name="particle")
MANY = struct(*[(1, 16 * i, INT if i % 2 else DOUBLE) for i in range(100_000)])


def chain(depth: int) -> Datatype:
    datatype = DOUBLE
    for _ in range(depth):
        datatype = contiguous(1, datatype)
    return datatype


def test_a_struct() -> None:
    picture = Picture(samples.paper_struct())
    assert picture.texts == [
        ["STRUCT", "count 5", "size 43, extent 104, lb -4", "true lb 0, true extent 92"],
        ["MPI_LB", "size 0"],
        ["MPI_INT", "size 4"],
        ["MPI_CHAR", "size 1"],
        ["MPI_DOUBLE", "size 8"],
        ["MPI_UB", "size 0"],
    ]
    assert picture.labels == [
        "[0] 1 × at -4",
        "[1] 5 × at 0",
        "[2] 7 × at 47",
        "[3] 2 × at 76",
        "[4] 1 × at 100",
    ]


@pytest.mark.parametrize(
    ("datatype", "box", "labels"),
    [
        (
            contiguous(3, DOUBLE),
            ["CONTIGUOUS", "count 3", "size 24"],
            ["3 ×", "8 apart"],
        ),
        (
            vector(4, 1, 5, DOUBLE),
            ["VECTOR", "count 4, blocklength 1", "stride 5", "size 32, extent 128"],
            ["[0] 1 × at 0", "[1] 1 × at 40", "[2] 1 × at 80", "[3] 1 × at 120"],
        ),
        (
            indexed(range(1, 9), range(0, 80, 10), INT),
            ["INDEXED", "count 8", "size 144, extent 312"],
            ["[0] 1 × at 0", "[1] 2 × at 40", "…", "[7] 8 × at 280"],
        ),
        (
            subarray((6, 8), (2, 3), (1, 2), DOUBLE),
            [
                "SUBARRAY",
                "sizes {6, 8}, subsizes {2, 3}",
                "starts {1, 2}, order C",
                "size 48, extent 384",
                "true lb 80, true extent 88",
            ],
            ["2 × 3", "from 80"],
        ),
        (samples.resized(0, 12, INT), ["RESIZED", "lb 0, extent 12", "size 4, extent 12"], []),
        (samples.dup(INT), ["DUP", "size 4"], []),
    ],
)
def test_each_shape(datatype: Datatype, box: list[str], labels: list[str]) -> None:
    picture = Picture(datatype)
    assert picture.texts[0][: len(box)] == box
    assert picture.labels == labels


def test_equal_neighbors_share_a_branch() -> None:
    picture = Picture(struct((1, 0, DOUBLE), (2, 16, DOUBLE), (1, 40, INT)))
    assert [text[0] for text in picture.texts] == ["STRUCT", "MPI_DOUBLE", "MPI_INT"]
    assert picture.labels == ["[0] 1 × at 0", "[1] 2 × at 16", "[2] 1 × at 40"]


def test_what_occurs_again_is_drawn_once() -> None:
    picture = Picture(struct((1, 0, PARTICLE), (1, 32, INT), (1, 40, PARTICLE)))
    assert [text[0] for text in picture.texts[:5]] == [
        "STRUCT",
        "STRUCT #1",
        "MPI_INT",
        "MPI_DOUBLE",
        "MPI_CHAR",
    ]
    assert picture.texts[-1] == ["STRUCT #1", "the same datatype"]


def test_a_struct_of_many_blocks_is_folded() -> None:
    started = time.process_time()
    picture = Picture(MANY)
    assert time.process_time() - started < 10
    assert len(picture.boxes) == 13
    assert picture.texts[-1] == ["… 99989 more blocks"]


def test_a_deep_tree_is_folded() -> None:
    assert Picture(chain(5000)).texts[-1] == ["… 4992 more levels"]
    assert Picture(chain(8)).texts[-1] == ["MPI_DOUBLE", "size 8"]


def test_a_bushy_tree_is_folded() -> None:
    datatype = INT
    for level in range(6):
        parts = [contiguous(i + 1, datatype) for i in range(10)]
        datatype = struct(*[(1, 1000 * i, part) for i, part in enumerate(parts)])
        assert level < 2 or len(Picture(datatype).boxes) < 120


@pytest.mark.parametrize(
    "datatype",
    [
        MANY,
        PARTICLE,
        chain(20),
        struct(
            (1, 0, contiguous(2, PARTICLE)),
            (1, 90, indexed(range(9), range(9), INT)),
            *[(1, 100 * i, subarray((6, 8, i), (2, 3, 1), (0, 0, 0), DOUBLE)) for i in range(1, 9)],
        ),
        struct(),
        INT,
    ],
)
def test_nothing_covers_anything(datatype: Datatype) -> None:
    picture = Picture(datatype)
    boxes = [box for _, box in picture.boxes]
    for left, top, right, bottom in boxes:
        assert left >= 0
        assert top >= 0
        assert right <= picture.width
        assert bottom <= picture.height
    for one, other in itertools.combinations(boxes, 2):
        assert one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
    for text in picture.root.findall(f"{SVG}text"):  # labels
        x, y = float(text.get("x", 0)), float(text.get("y", 0))
        right = x + 7.3 * len(text.text or "")
        for box in boxes:
            assert right <= box[0] or x >= box[2] or y - 12 >= box[3] or y <= box[1]


@pytest.mark.parametrize("name", ["<&>\"'", "a\0b\x1b[31m", "é☃", "\udcff", "x" * 127])
def test_any_name_gives_a_valid_picture(name: str) -> None:
    named = Datatype("NAMED", name=name, reported=Extents(4, 0, 4, 0, 4))
    for datatype in (struct((1, 0, INT), name=name), named):
        picture = Picture(datatype)
        assert all(len(line) <= 30 for text in picture.texts for line in text)
