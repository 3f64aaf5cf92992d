# SPDX-License-Identifier: MIT
"""Objects that are freed twice, with the place of the first free, and deaths after MPI_Finalize."""

from __future__ import annotations

import pytest

from tests.support import MPI, on_mpi
from tests.watcher import runs

FREED = {
    ("double_free.c", "comm"): ("double_free.c", 11, 10),
    ("double_free.c", "type"): ("double_free.c", 19, 18),
    ("double_free.c", "op"): ("double_free.c", 27, 26),
    ("double_free.cc", "comm"): ("double_free.c", 11, 10),
    ("double_free.f90", "comm"): ("double_free.f90", 13, 12),
}
LATE = {"late_death.c": 16, "late_death.cc": 19, "late_death.f90": 12}


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize(("program", "kind"), FREED)
def test_freed_twice(mpi: MPI, program: str, kind: str) -> None:
    source, again, first = FREED[program, kind]
    made = runs.program(program, mpi)
    wrong = runs.run(mpi, [made, kind]).blocks[0]
    assert f"called at {source}:{again} in " in wrong
    if mpi.id == "openmpi4" and program.endswith(".f90"):
        # Its Fortran layer passes 0 for a handle that was freed.
        assert wrong.startswith("error: comm is 0x0, which is not a handle of a communicator\n")
    else:
        assert wrong.splitlines()[0].endswith("freed")
        assert f"freed before\n    freed at {source}:{first} in " in wrong
    assert runs.run(mpi, [made, kind, "fixed"]).blocks == []


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("program", LATE)
def test_a_death_after_finalize(mpi: MPI, program: str) -> None:
    made = runs.program(program, mpi)
    if runs.TELLS_ENDINGS:
        (died,) = runs.run(mpi, [made]).blocks
        what, *lines = died.splitlines()
        assert what.endswith(" died after MPI_Finalize, by SIGSEGV")
        # Open MPI's Fortran layer calls MPI_Finalize as a tail call, so the place is unknown there.
        if not program.endswith(".f90"):
            assert any(f"called at {program}:{LATE[program]} in " in line for line in lines)
    assert runs.run(mpi, [made, "fixed"]).blocks == []
