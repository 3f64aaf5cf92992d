# SPDX-License-Identifier: MIT
"""Temporary copies of array sections that Fortran compilers pass to nonblocking calls."""

from __future__ import annotations

import pytest

from mpipp.analysis.program_objects.compiler_temporaries import passes_strided_section
from tests.support import MPI, every_fortran
from tests.watcher import runs

IN_THE_STACK = [
    "warning: buf of MPI_Isend is a temporary copy, which may change before MPI sends it",
    "error: buf of MPI_Irecv is a temporary copy: the program does not get the "
    "data that MPI receives",
]
IN_THE_HEAP = [
    "error: the buffer of a pending MPI_Isend is freed",
    "error: the buffer of a pending MPI_Irecv is freed",
]


@every_fortran
@pytest.mark.parametrize("flag", ["-O0", "-O2"])
def test_sections(mpi: MPI, flag: str) -> None:
    # gfortran knows from MPICH's module that the copy may lie in the stack; from Open MPI's not.
    in_the_stack = flag == "-O2" and mpi.id.startswith("mpich")
    expected = IN_THE_STACK if in_the_stack else IN_THE_HEAP
    program = runs.program("temporaries.f90", mpi, flag)
    run = runs.run(mpi, [program], "--check", n=2)
    assert sorted(block.splitlines()[0] for block in run.blocks) == sorted(expected)
    assert runs.run(mpi, [program, "fixed"], "--check", n=2).blocks == []


@pytest.mark.parametrize(
    ("buffer", "expected"),
    [
        ("u(2,:)", True),
        ("u(2, 1:8)", True),
        ("u(1:3,1:2)", True),
        ("u(::2)", True),
        ("g%x(2,:,k+1)", True),
        ("g(i)%x(2,:)", True),
        ("u(:,2)", False),
        ("u(:,:,k)", False),
        ("u(:,2:3)", False),
        ("u(1:8,3)", False),
        ("u", False),
        ("u(1,2)", False),
        ("max(u(1,1), 2)", False),
    ],
)
def test_strided_sections(buffer: str, expected: bool) -> None:
    statement = f"call mpi_irecv({buffer}, 8, MPI_REAL, 0, tags(1), comm, q(i), ierr)"
    assert passes_strided_section(statement, "MPI_Irecv") is expected
    assert not passes_strided_section(statement, "MPI_Isend")
