# SPDX-License-Identifier: MIT
"""Variables of stack frames, from the debug information of compilers."""

from __future__ import annotations

import subprocess
from collections import Counter
from pathlib import Path

import pytest

from mpipp.symbolizer.line_table import LineTable
from tests.support import need

SOURCE = """\
typedef struct { int a; double b; } pair;
int use(void *one, ...);
int both(const int n) {
  double rows[2][4];
  pair pairs[3];
  { char text[5]; use(rows, pairs, text); }
  { char other[7]; return n + use(other); }
}
"""
OUTSIDE = {"n": 4, "rows": 64, "pairs": 48}
FORTRAN = """\
subroutine both(n)
  integer :: n, here(0:4)
  real(8) :: rows(2, 4)
  call use(rows, here, n)
end subroutine
"""


def _visible(lines: LineTable, line: int) -> dict[str, int]:
    # The size of each variable in bytes, if the function continues in a line.
    places = (lines.line(address) for address in range(300))
    first = next(i for i, place in enumerate(places) if place and place.line == line)
    names = (lines.local(first + 1, offset).partition("+")[0] for offset in range(-400, 100))
    return dict(Counter(filter(None, names)))


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_those_of_the_blocks_that_an_address_is_in(compiler: str, tmp_path: Path) -> None:
    (tmp_path / "both.c").write_text(SOURCE)
    words = [need(compiler), "-g", "-O0", "-c", "both.c"]
    subprocess.run(words, cwd=tmp_path, check=True)
    lines = LineTable(str(tmp_path / "both.o"))
    assert _visible(lines, 6) == {**OUTSIDE, "text": 5}
    assert _visible(lines, 7) == {**OUTSIDE, "other": 7}
    assert lines.local(1 << 20, -40) == ""


def test_arrays_of_fortran_begin_with_one(tmp_path: Path) -> None:
    (tmp_path / "both.f90").write_text(FORTRAN)
    words = [need("gfortran"), "-g", "-O0", "-c", "both.f90"]
    subprocess.run(words, cwd=tmp_path, check=True)
    found = _visible(LineTable(str(tmp_path / "both.o")), 4)
    assert (found["rows"], found["here"]) == (64, 20)
