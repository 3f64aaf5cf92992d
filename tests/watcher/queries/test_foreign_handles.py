# SPDX-License-Identifier: MIT
"""Fortran handles in C, and handles in an int, are recognized."""

from __future__ import annotations

import pytest

from tests.support import MPI, on_mpi
from tests.watcher import runs

FOUND = {
    "comm": ("comm", "is the Fortran handle of MPI_COMM_SELF", "MPI_Comm_f2c"),
    "type": ("the datatype of buffer", "is the Fortran handle of MPI_INT", "MPI_Type_f2c"),
    "half": ("comm", "the handle of MPI_COMM_SELF", "MPI_Comm_c2f"),
}
LANGUAGES = (".c", ".cc")


@on_mpi("openmpi4", "openmpi5")
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("how", FOUND)
def test_where_handles_are_addresses(mpi: MPI, how: str, language: str) -> None:
    program = runs.program(f"foreign_handles{language}", mpi)
    argument, why, procedure = FOUND[how]
    first = runs.run(mpi, [program, how], n=1).blocks[0]
    lines = first.splitlines()
    assert lines[0].startswith(f"error: {argument} is 0x")
    assert any(line.endswith(why) for line in lines)
    assert lines[-1].startswith("  to do: ") and lines[-1].endswith(procedure)
    assert runs.run(mpi, [program, how, "fixed"], n=1).blocks == []


@on_mpi("mpich4")
@pytest.mark.parametrize("how", FOUND)
def test_where_all_languages_have_the_same(mpi: MPI, how: str) -> None:
    assert runs.run(mpi, [runs.program("foreign_handles.c", mpi), how], n=1).blocks == []
