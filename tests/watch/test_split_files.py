# SPDX-License-Identifier: MIT
"""Split collective calls on files that do not come one at a time, each with its end."""

from __future__ import annotations

from pathlib import Path

import runs
from support import MPI, on_mpi

_WRITE = "MPI_File_write_at_all"
FOUND = {
    "beside": f"{_WRITE} is called while {_WRITE}_begin is pending on the file",
    "twice": "MPI_File_write_all_begin is called while MPI_File_write_all_begin is pending on the "
    "file",
    "not_begun": "MPI_File_write_ordered_end is called, but no split collective call is pending on "
    "the file",
    "other_end": f"MPI_File_write_all_end cannot end {_WRITE}_begin",
    "synced": f"MPI_File_sync is called while {_WRITE}_begin is pending on the file",
    "main": f"MPI_File_close is called while {_WRITE}_begin is pending on the file",
}
CRASHES = ("openmpi4", "not_begun")


@on_mpi("mpich4", "openmpi4")
def test_each_mistake_is_found(mpi: MPI, tmp_path: Path) -> None:
    program = runs.program("split.c", mpi)
    found = runs.run(mpi, [program, tmp_path / "file", "wrong"], "--check=files", n=1)
    lines = [block.splitlines() for block in found.blocks]
    told = {block[2].rpartition(" in ")[2]: block[0].removeprefix("error: ") for block in lines}
    expected = {name: what for name, what in FOUND.items() if (mpi.id, name) != CRASHES}
    assert told == expected


@on_mpi("mpich4", "openmpi4")
def test_what_is_right(mpi: MPI, tmp_path: Path) -> None:
    program = runs.program("split.c", mpi)
    found = runs.run(mpi, [program, tmp_path / "file", "right"])
    assert found.blocks == []
    assert found.last == ["mpipp: no errors in 2 processes, 66 calls"]  # and no questions
