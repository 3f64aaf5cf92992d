# SPDX-License-Identifier: MIT
"""Integers and addresses that MPI stores, and Fortran's integers that MPI reads, compared with the
variables that the program passes."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support import MPI, every_fortran, every_mpi
from tests.watcher import runs

FINDING = re.compile(
    r"\w+: (\w+) of MPI_\w+ (is the value of a pointer) to (\w+), not the address of the pointer$|"
    r"\w+: (\w+) of MPI_\w+ (is an integer of 8 bytes), but (\w+) has 4 bytes$|"
    r"\w+: (\w+) of MPI_\w+ (is larger than|does not fit) the variable ([\w.%]+)(?: \(.*\))?$",
    re.MULTILINE,
)


def found(mpi: MPI, name: str, *arguments: str) -> list[tuple[str, ...]]:
    """The argument, the kind of error and the variable in each block of a run."""
    flags = ["-fallow-argument-mismatch"] if name.endswith(".f90") else []
    run = runs.run(mpi, [runs.program(name, mpi, *flags), *arguments], "--check", n=1)
    heads = [FINDING.search(block) for block in run.blocks]
    assert all(heads), run.blocks
    return [tuple(filter(None, head.groups())) for head in heads if head]


@every_mpi
def test_cxx(mpi: MPI) -> None:
    assert found(mpi, "results.cc") == [
        ("flag", "is larger than", "tested.done"),
        ("flag", "is larger than", "probed.done"),
        ("size", "does not fit", "length"),
        ("attribute_val", "is larger than", "limit.value"),
        ("lb", "does not fit", "scratch"),
        ("extent", "does not fit", "scratch"),
        ("baseptr", "is the value of a pointer", "double"),
    ]


@every_fortran
def test_fortran(mpi: MPI) -> None:
    assert found(mpi, "results.f90") == [
        ("rank", "does not fit", "rank"),
        ("lb", "is larger than", "wrong%lower"),
        ("extent", "is larger than", "wrong%upper"),
    ]


@every_fortran
def test_fortran_kinds(mpi: MPI, tmp_path: Path) -> None:
    assert found(mpi, "kinds.f90", str(tmp_path / "data")) == [
        ("offset", "is an integer of 8 bytes", "at"),
        ("extent", "is an integer of 8 bytes", "4"),
    ]


@every_mpi
def test_corrected(mpi: MPI) -> None:
    assert found(mpi, "results.cc", "fixed") == []


@every_fortran
def test_corrected_fortran(mpi: MPI, tmp_path: Path) -> None:
    assert found(mpi, "results.f90", "fixed") == []
    assert found(mpi, "kinds.f90", str(tmp_path / "data"), "fixed") == []


@every_mpi
def test_text(mpi: MPI) -> None:
    run = runs.run(mpi, [runs.program("results.cc", mpi)], "--check", n=1)
    block = next(one for one in run.blocks if "tested.done (bool, 1 byte)" in one)
    assert "\n    MPI stores 4 bytes, and changes the memory behind the variable\n" in block
    assert "to do: declare the variable with the type of the procedure's" in block
