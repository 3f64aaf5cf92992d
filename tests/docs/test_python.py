# SPDX-License-Identifier: MIT
"""docs/tutorials/python.md: its cells, run with mpi4py of both wheels and with mpi4py 3.1.

With MPIPP_UPDATE_DOCS=1 the outputs in the file and its pictures are replaced by the actual ones.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.support import MPI, ROOT

every_mpi4py = pytest.mark.parametrize("mpi", ["mpich5", "openmpi5", "mpi4py3"], indirect=True)

DOCUMENT = ROOT / "docs/tutorials/python.md"
IN = re.compile(r"In \[\d+\]: ?")
MORE = re.compile(r" +\.\.\.: ?")
PICTURE = re.compile(r"!\[.*\]\((\S+\.svg)\)")


@dataclass
class Cell:
    """An input, its documented output with the line number, and its picture."""

    code: list[str]
    number: str
    first: int
    shown: list[str] = field(default_factory=list)
    picture: Path | None = None


def read_cells(text: str) -> list[Cell]:
    """The cells in the document's ipython blocks, and their pictures."""
    cells: list[Cell] = []
    inside = False
    for number, line in enumerate(text.splitlines()):
        picture = PICTURE.fullmatch(line)
        if line.startswith("```"):
            inside = line == "```ipython"
        elif picture:
            cells[-1].picture = DOCUMENT.parent / picture.group(1)
        elif inside and IN.match(line):
            prompt = IN.match(line)
            assert prompt
            cells.append(Cell([line[prompt.end() :]], prompt.group()[4:-3], number + 1))
        elif inside and MORE.match(line) and not cells[-1].shown:
            cells[-1].code.append(MORE.sub("", line, count=1))
            cells[-1].first = number + 1
        elif inside:
            cells[-1].shown.append(line)
    return cells


def run(cells: list[str], mpi: MPI) -> list[dict[str, Any]]:
    """The notebook's output for the cells. mpipp need not be installed."""
    done = subprocess.run(
        [mpi.python, ROOT / "tests/docs/notebook.py"],
        input=json.dumps(cells),
        env={**mpi.env, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert isinstance(found, list)
    return found


def lines_of(cell: Cell, found: dict[str, Any]) -> list[str]:
    """The lines that the document must have after a cell."""
    text = found["text"].rstrip("\n")
    if not text:
        lines = []
    elif re.match(r"print\(|for ", cell.code[-1].strip()):
        lines = text.split("\n")
    else:
        first, *rest = text.split("\n")
        lines = [f"Out[{cell.number}]: {first}", *rest]
        if rest:  # IPython puts several lines below the prompt, so that columns stay aligned
            lines = [f"Out[{cell.number}]:", first, *rest]
    return [line.rstrip() for line in lines]


def rewritten(text: str, cells: list[Cell], found: list[dict[str, Any]]) -> str:
    lines = text.splitlines()
    for cell, answer in reversed(list(zip(cells, found))):
        blank = [""] if cell.shown and not cell.shown[-1] else []
        last = cell.first + len(cell.shown)
        lines[cell.first : last] = [*lines_of(cell, answer), *blank]
    return "\n".join(lines) + "\n"


@every_mpi4py
def test_the_document_shows_what_a_notebook_shows(mpi: MPI) -> None:
    text = DOCUMENT.read_text()
    cells = read_cells(text)
    found = run(["\n".join(cell.code) for cell in cells], mpi)
    if os.environ.get("MPIPP_UPDATE_DOCS"):
        DOCUMENT.write_text(rewritten(text, cells, found))
        for cell, answer in zip(cells, found):
            if cell.picture:
                cell.picture.write_text(answer["svg"])
        return
    for cell, answer in zip(cells, found):
        shown = [line for line in cell.shown if line]
        assert [line for line in lines_of(cell, answer) if line] == shown, cell.code
        if answer["svg"]:
            assert cell.picture, f"there is no picture after {cell.code}"
            assert cell.picture.read_text() == answer["svg"], f"{cell.picture} is not up to date"
        else:
            assert cell.picture is None
    assert len([cell for cell in cells if cell.picture]) >= 2


@every_mpi4py
def test_the_tests_in_the_document_pass(mpi: MPI) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", DOCUMENT.read_text(), re.DOTALL | re.MULTILINE)
    assert blocks
    code = "\n".join(blocks)
    calls = "".join(f"{name}()\n" for name in re.findall(r"^def (test_\w+)", code, re.MULTILINE))
    assert calls
    run([f"{code}\n{calls}"], mpi)


BAD = """
import mpipp
from mpi4py import MPI
from mpipp import TypeTree

def said(make):
    try:
        make()
    except mpipp.MpippError as error:
        print(error)

freed = MPI.INT.Create_contiguous(2)
freed.Free()
said(lambda: TypeTree.from_mpi4py(MPI.DATATYPE_NULL))
said(lambda: TypeTree.from_mpi4py(freed))
said(lambda: TypeTree.from_mpi4py("MPI_INT"))
MPI.Finalize()
said(lambda: TypeTree.from_mpi4py(MPI.INT))
"""


@every_mpi4py
def test_what_is_no_datatype_is_one_sentence(mpi: MPI) -> None:
    null = "MPI_DATATYPE_NULL has no type-tree: pass a datatype that is not freed"
    assert run([BAD], mpi)[0]["text"].splitlines() == [
        null,
        null,
        "expected an MPI.Datatype, not str",
        "MPI describes datatypes only between MPI_Init and MPI_Finalize: create the type-tree "
        "there",
    ]


DEEP = """
from mpi4py import MPI
from mpipp import TypeTree

chain = MPI.INT
for _ in range(3000):
    chain = chain.Create_contiguous(1)
tree = TypeTree.from_mpi4py(chain)
print(tree.datatype.depth, tree.size)
one, other = (MPI.DOUBLE.Create_vector(2, 1, 3) for _ in range(2))
tree = TypeTree.from_mpi4py(MPI.Datatype.Create_struct([1, 1], [0, 100], [one, other]))
print(tree)
for handle in (one, other):
    handle.Get_size()
"""


@every_mpi4py
def test_a_long_chain_and_parts_made_alike(mpi: MPI) -> None:
    deep, _, *rest = run([DEEP], mpi)[0]["text"].splitlines()
    assert deep == "3000 4"
    assert [re.sub(r" {2,}", "  ", line) for line in rest] == [
        "STRUCT count 2  32  0  136  0  132",
        "  [0] = b0 at 0, 1 x VECTOR count 2, blocklength 1, stride 3 #1  16  0  32  0  32",
        "  MPI_DOUBLE  8  0  8  0  8",
        "  [1] = b1 at 100, 1 x VECTOR #1, as above",
    ]
