# SPDX-License-Identifier: MIT
"""`mpipp stacks --print` reads the variables of compiled programs as the debugger does."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from mpipp.cli.stacks import job_values
from mpipp.common.errors import MpippError
from mpipp.symbolizer.variables import access_path
from mpipp.symbolizer.variables.access_path import AccessPath, Indices, Member, Target
from mpipp.toolchain.running_jobs import Process
from tests.support import need

CXX = """\
#include <cstdio>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>
namespace model { static double mass = 2.5; }
enum class Color { red, blue };
struct Base { int id = 7; };
struct Mesh : Base {
  std::vector<double> cells{1.5, 2.5};
  std::unique_ptr<Base> owner = std::make_unique<Base>();
  Color color = Color::blue;
  bool done = true;
  char letter = 'x';
  void relax(const std::vector<int> &order, float (&table)[2][2]) {
    std::string name = "abc";
    const Mesh &self = *this;
    int *null = nullptr;
    puts("ready"), fflush(stdout);
    for (;;) pause();
  }
};
int main() {
  Mesh mesh;
  model::mass += mesh.id - 7;
  float table[2][2] = {{1, 2}, {3, 0.5f}};
  mesh.relax({4, 5, 6}, table);
}
"""
CXX_VALUES = {
    "cells": "{1.5, 2.5}",
    "cells[1]": "2.5",
    "this->cells[0]": "1.5",
    "id": "7",
    "self.id": "7",
    "owner->id": "7",
    "self.done": "true",
    "self.letter": "'x'",
    "order": "{4, 5, 6}",
    "order[2]": "6",
    "table": "{{1, 2}, {3, 0.5}}",
    "table[1]": "{3, 0.5}",
    "null": "0x0",
    "mass": "2.5",
    "mesh.id": "7",
}
CXX_FAILURES = {
    "*null": "null is a null pointer",
    "order[3]": "the index 3 of order is not from 0 to 2",
    "mesh.cells.none": "mesh.cells has no members",
}
FORTRAN = """\
module state
  implicit none
  type cell
    integer :: id
    real(8), allocatable :: u(:)
  end type
  type(cell), save :: first
  integer, save :: steps = 12
end module
program main
  use state
  implicit none
  real(8), allocatable :: grid(:, :), none(:)
  integer, pointer :: link
  integer, target :: number = 5
  logical :: done = .true.
  character(4) :: name = 'abcd'
  complex(8) :: wave = (1, -2)
  allocate (grid(0:1, 2))
  grid = reshape([1d0, 2d0, 3d0, 4d0], [2, 2])
  link => number
  first%id = 3
  allocate (first%u(2))
  first%u = [8d0, 9d0]
  call relax(grid(:, 2), grid(1, :))
contains
  subroutine relax(row, column)
    real(8), intent(in) :: row(:), column(:)
    print '(a)', 'ready'
    flush (6)
    do
      call sleep(100)
    end do
    print *, row, column, none, name, wave, done
  end subroutine
end program
"""
FORTRAN_VALUES = {
    "grid": "((1, 2), (3, 4))",
    "GRID(0,2)": "3",
    "row": "(3, 4)",
    "row(2)": "4",
    "column": "(2, 4)",
    "link": "5",
    "done": ".true.",
    "name": '"abcd"',
    "wave": "(1, -2)",
    "steps": "12",
    "first%id": "3",
    "first%u": "(8, 9)",
    "first%u(2)": "9",
}
FORTRAN_FAILURES = {
    "none": "none is not allocated",
    "grid(1)": "grid has 2 dimensions: write an index for each",
    "grid(2,1)": "the index 2 of grid is not from 0 to 1",
}


def expect(compiler: str, source: Path, values: dict[str, str], failures: dict[str, str]) -> None:
    """Compare the values in a program that has written a line and then waits."""
    program = source.with_suffix("")
    words = [need(compiler), "-g", "-O0", str(source), "-o", str(program)]
    subprocess.run(words, cwd=source.parent, check=True)  # gfortran writes modules there
    with subprocess.Popen([program], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            one = Process(process.pid, program.name, 0, "")
            found = {name: job_values.read([one], name) for name in (*values, *failures)}
        finally:
            process.kill()
    texts = {name: [one.text for one in found[name].by_rank.values] for name in values}
    assert texts == {name: [text] for name, text in values.items()}
    assert {name: found[name].by_rank.failures for name in failures} == {
        name: {0: sentence} for name, sentence in failures.items()
    }


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_cxx(compiler: str, tmp_path: Path) -> None:
    source = tmp_path / "mesh.cc"
    source.write_text(CXX)
    expect(compiler, source, CXX_VALUES, CXX_FAILURES)


def test_fortran(tmp_path: Path) -> None:
    source = tmp_path / "state.f90"
    source.write_text(FORTRAN)
    expect("gfortran", source, FORTRAN_VALUES, FORTRAN_FAILURES)


def test_paths() -> None:
    steps = (Member("x", True), Indices((3,)), Member("y", False), Target())
    assert access_path.parsed(" * p->x[ 3 ].y ") == AccessPath("p", steps)
    assert access_path.parsed("u(-1, 2)%a").steps == (Indices((-1, 2)), Member("a", False))


@pytest.mark.parametrize("text", ["", "1", "p->", "u()", "a b", "a[i]", "f(x)", "&a", "a+1", "*"])
def test_other_expressions(text: str) -> None:
    with pytest.raises(MpippError, match="is not a variable or a part of one"):
        access_path.parsed(text)
