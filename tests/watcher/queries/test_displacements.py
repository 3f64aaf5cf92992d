# SPDX-License-Identifier: MIT
"""Displacements that lead to unmapped memory, or that do not fit an int."""

from __future__ import annotations

import pytest

from tests.support import MPI, on_mpi
from tests.watcher import runs

OVERFLOWED = (
    "error: the displacement of recvbuf for rank 2 is -1294967296, where the process has no "
    "memory: 3000000000 overflowed an int"
)
WRAPPED = (
    "warning: the displacement of recvbuf for rank 2 is -1294967296: 3000000000 overflowed an int"
)
# The lines of the calls.
LINES = {".c": "displacements.c:27", ".cc": "displacements.c:27", ".f90": "displacements.f90:39"}


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("language", LINES)
def test_an_overflow_is_reported_before_mpi_dies_of_it(mpi: MPI, language: str) -> None:
    program = runs.program(f"displacements{language}", mpi)
    first, *rest = runs.run(mpi, [program, "unmapped"], n=3).blocks
    assert first.startswith(f"{OVERFLOWED}\n  rank 0: MPI_Gatherv(")
    assert f"called at {LINES[language]} in " in first
    assert first.splitlines()[3].startswith("    writes recvbuf(CHAR")
    assert all(one.startswith("remark: a process has died in a call") for one in rest)
    assert runs.run(mpi, [program, "unmapped", "fixed"], n=3).blocks == []


@on_mpi("mpich4", "openmpi4")
def test_an_overflow_into_other_memory_is_a_warning(mpi: MPI) -> None:
    program = runs.program("displacements.c", mpi)
    (found,) = runs.run(mpi, [program, "mapped"], n=3).blocks
    assert found.startswith(f"{WRAPPED}\n  rank 0: MPI_Gatherv(")
    assert runs.run(mpi, [program, "mapped", "fixed"], n=3).blocks == []


@on_mpi("mpich4", "openmpi4")
def test_a_datatype_leads_where_there_is_no_memory(mpi: MPI) -> None:
    """The receive is reported when it is posted, even if no data arrives there."""
    program = runs.program("displacements.c", mpi)
    (found,) = runs.run(mpi, [program, "far"], n=3).blocks
    assert found.startswith("error: buf of MPI_Irecv ")
    assert "lies in unmapped memory at 0x" in found
    assert "writes buf(HINDEXED)[1][0](INT)" in found
    assert runs.run(mpi, [program, "far", "fixed"], n=3).blocks == []
