# SPDX-License-Identifier: MIT
"""Objects that are freed twice, with the place of the first free, and ends after MPI_Finalize."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import MPI, every_fortran, on_mpi
from tests.watcher import runs

FREED = {
    ("double_free.c", "comm"): ("double_free.c", 11, 10),
    ("double_free.c", "type"): ("double_free.c", 19, 18),
    ("double_free.c", "op"): ("double_free.c", 27, 26),
    ("double_free.c", "group"): ("double_free.c", 37, 36),
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


@every_fortran
@pytest.mark.parametrize(("which", "line"), [("rank", 13), ("barrier", 14)])
def test_a_call_after_finalize(mpi: MPI, which: str, line: int) -> None:
    """Open MPI's Fortran layer ends the process before it calls the procedure."""
    made = runs.program("late_call.f90", mpi)
    blocks = runs.run(mpi, [made, which], "--check").blocks
    procedure = {"rank": "MPI_Comm_rank", "barrier": "MPI_Barrier"}[which]
    wrong = [one for one in blocks if f"error: {procedure} is called after MPI_Finalize\n" in one]
    assert len(wrong) == len(blocks) == 1
    assert f"called at late_call.f90:{line} in " in wrong[0]
    assert runs.run(mpi, [made, which, "fixed"], "--check").blocks == []


@on_mpi("mpich4")
@pytest.mark.parametrize("how", ["late", "fixed"])
def test_a_call_after_finalize_in_python(mpi: MPI, how: str) -> None:
    """The library ends the processes in this call, which is no second error."""
    command: list[str | Path] = [mpi.python, runs.program_source("late_free.py"), how]
    blocks = runs.run(mpi, command, "--check=initialization").blocks
    heads = [one.splitlines()[0] for one in blocks]
    late = ["error: MPI_Comm_free is called after MPI_Finalize"]
    assert heads == (late if how == "late" else [])


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
