# SPDX-License-Identifier: MIT
"""Buffers of many shapes, compared with their objects: each marked line has a finding."""

from __future__ import annotations

import re

import pytest

from tests.support import MPI, every_fortran, on_mpi
from tests.watcher import runs

_LINE = re.compile(r"    (?:called at|from) (shapes\.\w+):(\d+)")
_NAMED = re.compile(r"(?:past the (?:end|last element) of|fit the variable) (.*)")


def marked(name: str, mpi: MPI) -> list[int]:
    """The numbers of the lines with an error."""
    lines = runs.program_source(name).read_text().splitlines()
    others = "" if mpi.id.startswith("mpich") else "(?!: MPICH)"
    return [n for n, one in enumerate(lines, 1) if re.search(f"[!/#] wrong{others}", one)]


def found(run: runs.Run, name: str) -> list[int]:
    """The lines of the findings of a run."""
    lines = []
    for block in run.blocks:
        (place,) = {one.groups() for one in _LINE.finditer(block)}
        assert place[0] == name, block
        lines.append(int(place[1]))
    return sorted(lines)


def started(mpi: MPI, name: str, *arguments: str) -> runs.Run:
    flag = {"c": "-pthread", "cc": "-pthread", "f90": "-fallow-argument-mismatch"}
    program = runs.program(name, mpi, flag[name.rpartition(".")[2]])
    return runs.run(mpi, [program, *arguments], "--check", n=1)


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("name", ["shapes.c", "shapes.cc"])
def test_c(mpi: MPI, name: str) -> None:
    assert found(started(mpi, name), name) == marked(name, mpi)
    assert found(started(mpi, name, "fixed"), name) == []


@every_fortran
def test_fortran(mpi: MPI) -> None:
    assert found(started(mpi, "shapes.f90"), "shapes.f90") == marked("shapes.f90", mpi)
    assert found(started(mpi, "shapes.f90", "fixed"), "shapes.f90") == []


@on_mpi("mpich4", "openmpi4")
def test_mpi4py(mpi: MPI) -> None:
    script = runs.program_source("shapes.py")
    wrong = runs.run(mpi, [str(mpi.python), script], "--check", n=1)
    names = [named[1] for block in wrong.blocks if (named := _NAMED.search(block))]
    assert names == [
        "self.u (float64 [10], 80 bytes)",
        "self.u[0..4] (float64 [5], 40 bytes)",
        "self.parts[0] (float32 [4], 16 bytes)",
        "self.parts[1] (int32 [12], 48 bytes)",
        'self.by_name["rho"] (complex128 [6], 96 bytes)',
        "self.by_name[3] (bytearray, 16 bytes)",
        "self.slots.v[0..3] (int64 [4], 32 bytes)",
        "self.slots.v (int64 [8], 64 bytes)",
        "inner (float64 [3], 24 bytes)",
        "numbers (float64 [3], 24 bytes)",
        "numbers[0..1] (float64 [2], 16 bytes)",
        "raw (bytearray, 40 bytes)",
        "raw (bytearray, 40 bytes)",
        "foreign (float64 [4], 32 bytes)",
        "foreign[0..1] (float64 [2], 16 bytes)",
        "fortran (float64 [35], 280 bytes)",
        "empty (float64 [0], 0 bytes)",
        "records (ndarray, 48 bytes)",
        "matrix (float64 [2], 16 bytes)",
        "grid (float64 [35], 280 bytes)",
        "a block of memory of a window with 80 bytes",
    ]
    assert found(wrong, "shapes.py") == marked("shapes.py", mpi)
    fixed = runs.run(mpi, [str(mpi.python), script, "fixed"], "--check", n=1)
    assert fixed.blocks == []
