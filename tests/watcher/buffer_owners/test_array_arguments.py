# SPDX-License-Identifier: MIT
"""Statuses, requests and integer arrays of watched runs, compared with their variables."""

from __future__ import annotations

import re

import pytest

from tests.support import MPI, every_fortran, every_mpi
from tests.watcher import runs

BEYOND = re.compile(
    r"error: (\w+) of MPI_\w+ runs past the (?:end|last element) of (a block|[\w.]+)"
)
TYPE = re.compile(r"(?:\S+: )?warning: (\w+) of MPI_\w+ does not fit the variable (\w+)")
INSIDE = re.compile(r"(?:\S+: )?remark: (status) of MPI_Recv begins at element 5 of (\w+)")


def found(mpi: MPI, name: str, *arguments: str) -> list[tuple[str, str]]:
    """The argument and the variable in each block of a run."""
    run = runs.run(mpi, [runs.program(name, mpi), *arguments], "--check", n=1)
    every = []
    for block in run.blocks:
        heads = (one.match(block) for one in (BEYOND, TYPE, INSIDE))
        head = next((one for one in heads if one), None)
        assert head, block
        every.append((head[1], head[2]))
    return every


@every_mpi
def test_c(mpi: MPI) -> None:
    assert found(mpi, "arguments.c") == [
        ("coords", "some.few"),
        ("coords", "some.few"),
        ("ranks2", "some.few"),
        ("array_of_indices", "some.few"),
        ("array_of_statuses", "waiting.statuses"),
        ("status", "few.tiny"),
        ("recvcounts", "wide"),
        ("periods", "counts"),
        ("array_of_displacements", "narrow"),
        ("array_of_blocklengths", "a block"),
        ("array_of_displacements", "a block"),
    ]


@every_mpi
def test_cxx(mpi: MPI) -> None:
    expected = [("array_of_statuses", "statuses"), ("recvcounts", "wide")]
    assert found(mpi, "arguments.cc") == expected


@every_fortran
def test_fortran(mpi: MPI) -> None:
    assert found(mpi, "arguments.f90") == [
        ("coords", "one"),
        ("periods", "one"),
        ("status", "status"),
        ("status", "first"),
        ("status", "around"),
        ("recvcounts", "wide"),
        ("array_of_blocklengths", "listed"),
        ("array_of_displacements", "listed"),
    ]


@every_mpi
@pytest.mark.parametrize("name", ["arguments.c", "arguments.cc"])
def test_corrected(mpi: MPI, name: str) -> None:
    assert found(mpi, name, "fixed") == []


@every_fortran
def test_corrected_fortran(mpi: MPI) -> None:
    assert found(mpi, "arguments.f90", "fixed") == []


@every_fortran
def test_text(mpi: MPI) -> None:
    run = runs.run(mpi, [runs.program("arguments.f90", mpi)], "--check", n=1)
    block = next(one for one in run.blocks if " status of " in one.splitlines()[0])
    size = 20 if mpi.id.startswith("mpich") else 24
    assert f"a status has {size} bytes, in Fortran {size // 4} integers" in block
    assert "\n  to do: declare integer :: status(MPI_STATUS_SIZE) in Fortran" in block
