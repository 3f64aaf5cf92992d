# SPDX-License-Identifier: MIT
"""A run that was cut short, or watched no process, never reports "no errors"."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import MPI, every_mpi, on_mpi, repeated
from tests.watcher import runs

NOTHING = "mpipp: nothing found in 0 processes (0 MPI calls checked)"


def found_in(block: str) -> str:
    """A finding without its rule."""
    return block.split("\n  rule: ")[0]


@every_mpi
@pytest.mark.parametrize("checks", ["all", "rma", *repeated("buffers", "messages")])
def test_a_death_after_finalize(mpi: MPI, checks: str) -> None:
    found = runs.run(mpi, [runs.program("deaths.c", mpi), "late"], f"--check={checks}")
    if not runs.TELLS_ENDINGS:
        assert found.last[-1].startswith("mpipp: nothing found in 2 processes (")
        return
    (block,) = found.blocks
    assert found_in(block) == (
        "error: a process has died after MPI_Finalize, by SIGSEGV\n"
        "  rank 1: not in MPI; its last call was MPI_Finalize\n"
        "    called at deaths.c:65 in main"
    )
    assert found.last[-1].startswith("mpipp: 1 error in 2 processes (")


@every_mpi
@pytest.mark.parametrize("what", ["comm", "group", "op"])
def test_what_is_freed_after_finalize(mpi: MPI, what: str) -> None:
    """If the library ends the processes in this call, mpipp reports it once."""
    found = runs.run(
        mpi, [runs.program("deaths.c", mpi), what], "--check=initialization", "--error-exit", "5"
    )
    (block,) = found.blocks
    assert block.startswith(f"error: MPI_{what.capitalize()}_free is called after MPI_Finalize\n")
    assert " in free_late\n" in block and "ranks 0 and 1: " in block
    assert found.status == 5


@on_mpi("mpich4", "openmpi4")
def test_a_library_that_ends_processes_after_finalize(mpi: MPI) -> None:
    """The call could not be checked."""
    (block,) = runs.run(mpi, [runs.program("deaths.c", mpi), "comm"], "--check=messages").blocks
    line = block.splitlines()[0]
    assert line.startswith("error: 2 processes have died inside MPI after MPI_Finalize, ")
    assert block.count("MPI_Comm_free()\n    called at deaths.c:31 in free_late\n") == 2


@every_mpi
@pytest.mark.parametrize("how", ["uncalled", "asked"])
def test_nobody_has_initialized_mpi(mpi: MPI, how: str) -> None:
    command: list[str | Path] = [runs.program("deaths.c", mpi), how]
    found = runs.run(mpi, command, "--error-exit", "5", n=2)
    none = "mpipp: not checked: none of 2 processes has initialized MPI"
    assert found == (5, "", [], [none, NOTHING])
    one = "mpipp: not checked: the process has not initialized MPI"
    assert runs.run(mpi, command, n=1) == (0, "", [], [one, NOTHING])


@on_mpi("mpich4", "openmpi4")
def test_a_death_before_init(mpi: MPI) -> None:
    command: list[str | Path] = [runs.program("deaths.c", mpi), "early"]
    found = runs.run(mpi, command, "--error-exit", "5", n=1)
    said, last = found.last
    if runs.TELLS_ENDINGS:
        died = "mpipp: not checked: rank 0: it died before it had initialized MPI, by SIGSEGV"
        assert said == died
    assert (found.status, found.blocks) == (5, [])
    assert last.startswith(f"{NOTHING}; exit status ")


@on_mpi("mpich4", "openmpi4")
def test_what_the_launcher_ends_is_not_blamed(mpi: MPI, tmp_path: Path) -> None:
    """This holds even if an error was reported for the call in which it waits."""
    if not runs.TELLS_ENDINGS:
        pytest.skip("this system does not say how a process has ended")
    was_told = tmp_path / "told"
    program = runs.program("deaths.c", mpi)
    command: list[str | Path] = [*runs.words(mpi), program, "beside", was_told]
    run = runs.started(command, mpi)
    told = runs.until(run, "error: ")
    was_told.touch()
    overlap, died = runs.read(runs.ended(run, told)).blocks
    assert "MPI_Recv" in overlap
    assert died.startswith(
        "error: a process has died, by SIGSEGV\n"
        "  rank 1: not in MPI; its last call was MPI_Op_create\n"
    )


@on_mpi("mpich4")
def test_processes_that_were_ended_before_they_could_be_watched(mpi: MPI) -> None:
    """A death explains why a process has left no file for the comparison."""
    script = '[ "$PMI_RANK" = 0 ] && unset MPIPP_WATCH; exec "$@"'
    words: list[str | Path] = ["sh", "-c", script, "sh", runs.program("deaths.c", mpi), "late"]
    found = runs.run(mpi, words, "--check=all", "--mpicc", mpi.mpicc)
    (block,) = found.blocks
    assert block.startswith("error: a process has died after MPI_Finalize, by SIGSEGV\n")
    assert runs.only(found.last).startswith("mpipp: 1 error in 1 process (")
