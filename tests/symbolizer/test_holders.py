# SPDX-License-Identifier: MIT
"""Variables that hold the data at an address, from the debug information of compilers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from mpipp.symbolizer.line_table import LineTable
from mpipp.symbolizer.variables import holders
from mpipp.symbolizer.variables.holders import Holder
from mpipp.symbolizer.variables.scope import Scope
from tests.support import need

PLACE = 0x5000  # the target of all pointers in the frame, and the apparent length of its arrays
FRAME = 0x9000
LENGTHS = """\
int use(void *one);
int lengths(long n) {
  double row[n];
  return use(row);
}
"""
POINTERS = """\
int use(void *one);
int pointers(void) {
  double *data = 0, many[4];
  use(many);
  return use(&data);
}
"""
MEMBERS = """\
struct Cell { double u; int n; };
struct Mesh { Cell cells[3]; int count(); };
int use(void *one);
int Mesh::count() { return use(&cells[1].n); }
int reference(const Cell &cell) { return use((void *)&cell.n); }
"""


class _Memory:
    is_current = False

    def read(self, address: int, length: int) -> bytes:
        return PLACE.to_bytes(length, sys.byteorder)


def _found(file: Path, line: int, addresses: Sequence[int]) -> list[Holder]:
    # The variables that hold one of the addresses, in a function that continues in a line.
    lines = LineTable(str(file))
    every = (lines.line(address) for address in range(400))
    first = next(i for i, place in enumerate(every) if place and place.line == line)
    entry, debug = lines.function_entry(first) or pytest.fail("no function")
    unit = entry.cu.get_top_DIE()
    scope = Scope(entry, first + 1, unit, debug, 0, FRAME, line)
    known = (one for at in addresses for one in holders.holders([scope], at, _Memory()))
    return list(dict.fromkeys(one for one in known if isinstance(one, Holder)))


def _compiled(compiler: str, text: str, directory: Path, suffix: str = ".c") -> Path:
    source = directory / f"code{suffix}"
    source.write_text(text)
    subprocess.run([need(compiler), "-g", "-O0", "-c", source.name], cwd=directory, check=True)
    return directory / "code.o"


def test_arrays_of_variable_length(tmp_path: Path) -> None:
    file = _compiled("gcc", LENGTHS, tmp_path)
    (row,) = [one for one in _found(file, 4, [PLACE + 8]) if one.layout.name == "row"]
    count = PLACE + 1  # the memory contains the last index
    assert (row.low, row.high, row.is_declared) == (PLACE, PLACE + 8 * count, True)
    assert row.layout.type == f"double [{count}]"


def test_an_array_whose_place_is_not_constant(tmp_path: Path) -> None:
    """Clang keeps its address in a register. Its length is another variable, not a number."""
    file = _compiled("clang", LENGTHS, tmp_path)
    found = _found(file, 4, [PLACE + 8, *range(FRAME - 128, FRAME, 8)])
    assert "row" not in [one.layout.name for one in found]


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_pointers_are_objects(compiler: str, tmp_path: Path) -> None:
    file = _compiled(compiler, POINTERS, tmp_path)
    found = _found(file, 5, range(FRAME - 128, FRAME, 8))
    sizes = {one.layout.name: (one.high or 0) - one.low for one in found if one.is_declared}
    assert sizes == {"data": 8, "many": 32}


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
@pytest.mark.parametrize(("line", "name"), [(4, "this->"), (5, "cell")])
def test_objects_that_exist(compiler: str, line: int, name: str, tmp_path: Path) -> None:
    file = _compiled(compiler, MEMBERS, tmp_path, ".cc")
    (one,) = _found(file, line, [PLACE + 8])
    # An object of a derived class may continue after it.
    assert (one.layout.name, one.low, one.high, one.is_declared) == (name, PLACE, None, True)
