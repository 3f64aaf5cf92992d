# SPDX-License-Identifier: MIT
"""`mpipp.TypeTree` as a Python program uses it, without MPI."""

from __future__ import annotations

import array
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable

import pytest

import mpipp
from mpipp import MpippError, TypeTree
from tests.support import ROOT, clean_environment
from tests.unit import samples
from tests.unit.samples import CHAR, DOUBLE, INT, struct, vector

COLUMN = TypeTree(vector(4, 1, 5, DOUBLE))
ROW = TypeTree(samples.contiguous(4, DOUBLE))
PARTICLE = TypeTree(struct((1, 0, INT), (1, 8, DOUBLE), (4, 16, CHAR), name="particle"))
PAPER = TypeTree(samples.paper_struct())
MATRIX = array.array("d", range(20))


def test_bounds() -> None:
    assert (PAPER.size, PAPER.lb, PAPER.ub, PAPER.extent) == (43, -4, 100, 104)
    assert (PAPER.true_lb, PAPER.true_extent, PAPER.element_count) == (0, 92, 14)


def test_how_it_shows_itself() -> None:
    assert repr(COLUMN) == "<TypeTree VECTOR, size 32, extent 128>"
    assert repr(PARTICLE) == '<TypeTree STRUCT "particle", size 16, extent 24>'
    assert repr(TypeTree(INT)) == "<TypeTree MPI_INT, size 4, extent 4>"
    assert str(PARTICLE).splitlines() == [
        "                                 size  lb  extent  true lb  true extent",
        'STRUCT "particle" count 3          16   0      24        0           20',
        "  [0] = b0 at 0, 1 x MPI_INT        4   0       4        0            4",
        "  [1] = b1 at 8, 1 x MPI_DOUBLE     8   0       8        0            8",
        "  [2] = b2 at 16, 4 x MPI_CHAR      1   0       1        0            1",
    ]
    assert ET.fromstring(PARTICLE._repr_svg_()).tag == "{http://www.w3.org/2000/svg}svg"


def test_the_expanded_tree_reads_as_lines_at_a_prompt() -> None:
    assert repr(COLUMN.expanded(1)).splitlines() == [
        "                   from   to",
        "(VECTOR)              0  128",
        "  [0]  1 (DOUBLE)     0    8",
        "  [1] .. [3]         40  128  same shape, 8 bytes each, 40 apart",
    ]


def test_elements() -> None:
    element = COLUMN.element("[2][0]")
    assert repr(element) == "<Element (VECTOR)[2][0](DOUBLE) at 80>"
    assert (element.displacement, element.packed, element.size) == (80, 16, 8)
    assert COLUMN.element("(VECTOR)[2][0](DOUBLE)") == element
    assert COLUMN.at(87) == [element]
    assert COLUMN.packed(16) == element
    assert COLUMN.element("[1][2][0]", 2).displacement == 128 + 80
    assert COLUMN.at(128 + 80, 2) == [COLUMN.packed(48)]


def test_type_signatures() -> None:
    assert COLUMN.typesig() == "4 x MPI_DOUBLE"
    assert PARTICLE.typesig(10**9) == "1000000000 x {MPI_INT, MPI_DOUBLE, 4 x MPI_CHAR}"
    with pytest.raises(MpippError, match=r"^the count is -1: it must not be negative$"):
        COLUMN.typesig(-1)


def test_matching() -> None:
    assert COLUMN.match(ROW)
    assert repr(COLUMN.match(ROW)) == "match: 4 elements, 32 bytes"
    longer = COLUMN.match(TypeTree(DOUBLE), other_count=3)
    assert not longer
    assert (longer.verdict, longer.equal, longer.second) == ("longer", 3, None)
    assert longer.first == COLUMN.element("[3][0]")
    assert COLUMN.match(ROW, 10**9, 10**9)
    assert COLUMN.match(ROW, 1, 2).verdict == "partial"


def test_a_mismatch_names_both_elements() -> None:
    found = PARTICLE.match(COLUMN)
    assert repr(found).splitlines() == [
        "mismatch at the first element: MPI_INT is sent, MPI_DOUBLE received",
        "  sent      particle(STRUCT)[0][0](INT)  MPI_INT     displacement 0, packed 0",
        "  received  (VECTOR)[0][0](DOUBLE)       MPI_DOUBLE  displacement 0, packed 0",
    ]
    assert found.first == PARTICLE.element("[0][0]")
    assert found.second == COLUMN.element("[0][0]")


def test_overlap() -> None:
    assert COLUMN.overlap(1000, COLUMN, 1008) is None
    found = COLUMN.overlap(1000, COLUMN, 1040)
    assert found
    assert (found.start, found.end) == (1040, 1048)
    assert (found.first, found.second) == (COLUMN.element("[1][0]"), COLUMN.element("[0][0]"))
    assert COLUMN.overlap(1000, ROW, 1008) is None
    assert COLUMN.overlap(1000, ROW, 1016)


def test_self_overlap() -> None:
    sparse = TypeTree(samples.resized(0, 40, vector(2, 1, 5, DOUBLE)))
    assert not sparse.self_overlap()
    found = sparse.self_overlap(2)
    assert found
    assert (found.start, found.end) == (40, 48)
    assert found.first == sparse.element("[0][0][1][0]", 2)
    assert found.second == sparse.element("[1][0][0][0]", 2)


def test_memory() -> None:
    assert repr(COLUMN.blocks()).splitlines()[:2] == [
        "type: 32 bytes of data in [0, 128)",
        "  [0, 8)         8 bytes, 4 times every 40 bytes",
    ]
    assert repr(PARTICLE.map()).splitlines()[1] == "  0  Iiii.... Dddddddd CCCC...."
    assert str(PARTICLE.map()) == PARTICLE.map().text
    assert ET.fromstring(PARTICLE.map(2)._repr_svg_()).tag == "{http://www.w3.org/2000/svg}svg"


def test_very_many_constructors() -> None:
    tree = samples.vector(2, 1, 2, INT)
    for _ in range(1200):
        tree = samples.dup(tree)
    nested = TypeTree(tree)
    (found,) = nested.at(9)
    assert (found.displacement, found.indices[-2:]) == (8, (1, 0))
    assert "  0  Iiii.... Iiii" in str(nested.map()).splitlines()


def test_values() -> None:
    assert COLUMN.values(MATRIX) == "{{0}, {5}, {10}, {15}}"
    assert COLUMN.values(MATRIX, offset=8) == "{{1}, {6}, {11}, {16}}"
    assert TypeTree(INT).values(bytes([7, 0, 0, 0] * 3), 3) == "{7, 7, 7}"
    assert COLUMN.values(b"", 0) == "{}"
    data = (3).to_bytes(4, sys.byteorder) + bytes(12) + b"Ar\0\0"
    assert repr(PARTICLE.values(data)) == r'{b0 = 3, b1 = 0, b2 = "Ar\000"}'
    assert TypeTree(samples.paper_struct()).values(bytes(92)).startswith("{b1 = {0, 0, 0, 0, 0}")


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (
            lambda: COLUMN.values(MATRIX, 2),
            "the data would lie in bytes 0 to 256 of the buffer, which has 160: check count and "
            "offset",
        ),
        (
            lambda: TypeTree(struct((1, -8, DOUBLE))).values(MATRIX),
            "the data would lie in bytes -8 to 0 of the buffer, which has 160: check count and "
            "offset",
        ),
        (lambda: COLUMN.values(3), "expected a buffer, not int: pass an array or bytes"),
        (
            lambda: COLUMN.values(memoryview(MATRIX)[::2]),
            "the buffer is not contiguous: pass the whole array that it is part of",
        ),
        (
            lambda: COLUMN.element("[9]"),
            "1st index [9] of (VECTOR)[9] is out of range: (VECTOR) has 4 blocks, [0] to [3]",
        ),
        (
            lambda: COLUMN.packed(32, 1),
            "the position 32 is outside the packed data: 32 bytes",
        ),
        (lambda: COLUMN.self_overlap(-2), "the count is -2: it must not be negative"),
        (lambda: COLUMN.at(0, -1), "the count is -1: it must not be negative"),
        (lambda: COLUMN.typesig(1.5), "the count is 1.5: it must be an integer"),  # type: ignore[arg-type]
        (lambda: COLUMN.packed("8"), "the position is '8': it must be an integer"),  # type: ignore[arg-type]
        (
            lambda: COLUMN.match(DOUBLE),  # type: ignore[arg-type]
            "expected a TypeTree, not Datatype: for an MPI.Datatype write TypeTree.from_mpi4py",
        ),
        (
            lambda: TypeTree(3),  # type: ignore[arg-type]
            "expected an mpipp.Datatype, not int: for an MPI.Datatype write TypeTree.from_mpi4py",
        ),
    ],
)
def test_errors_are_one_sentence(ask: Callable[[], object], sentence: str) -> None:
    with pytest.raises(MpippError) as raised:
        ask()
    assert str(raised.value) == sentence


def test_importing_mpipp_loads_neither_this_nor_mpi4py() -> None:
    code = (
        "import sys, mpipp; names = ('mpipp.api.type_tree', 'mpi4py');"
        "print([m for m in names if m in sys.modules]);"
        "mpipp.TypeTree; print('mpi4py' in sys.modules, 'mpipp.api.type_tree' in sys.modules)"
    )
    environment = clean_environment(PYTHONPATH=str(ROOT))
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.splitlines() == ["[]", "False True"]


def test_without_mpi4py_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    with pytest.raises(
        MpippError, match=r"^cannot import mpi4py\.MPI \(.*\): install mpi4py and an"
    ):
        TypeTree.from_mpi4py(None)


def test_there_is_nothing_else() -> None:
    with pytest.raises(AttributeError, match="module 'mpipp' has no attribute 'TypeTrees'"):
        mpipp.TypeTrees  # noqa: B018
