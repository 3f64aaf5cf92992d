# SPDX-License-Identifier: MIT
"""Error codes that MPI returned are remarks, or causes of later errors."""

from __future__ import annotations

import pytest

from tests.support import MPI, on_mpi
from tests.watcher import runs

OPENED = {
    ".c": "returned_codes.c:11",
    ".cc": "returned_codes.c:11",
    ".f90": "returned_codes.f90:12",
}


def watched(mpi: MPI, language: str, *words: str) -> runs.Run:
    return runs.run(mpi, [runs.program(f"returned_codes{language}", mpi), *words])


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("language", OPENED)
def test_a_null_file_has_a_cause(mpi: MPI, language: str) -> None:
    (found,) = watched(mpi, language, "null").blocks
    lines = found.splitlines()
    # Open MPI converts an unset Fortran handle to 0.
    assert lines[0] in (
        "error: file is MPI_FILE_NULL, but a file is needed",
        "error: file is 0x0, which is no handle of a file",
    )
    at = lines.index("  ranks 0 and 1: MPI_File_open returned MPI_ERR_NO_SUCH_FILE before")
    assert f"    called at {OPENED[language]} in " in lines[at + 1]
    assert any(line.startswith("    MPI says: ") for line in lines[at + 1 :])
    assert lines[-1] == (
        "  to do: test the code that MPI_File_open returns before you use the object"
    )
    assert watched(mpi, language, "null", "fixed").blocks == []


@on_mpi("mpich4", "openmpi4")
def test_a_code_alone_is_a_remark(mpi: MPI) -> None:
    """A returned error code causes a remark, not an error, because the program may have
    tested it."""
    found = watched(mpi, ".c", "alone")
    lines = runs.only(found.blocks).splitlines()
    assert lines[:3] == [
        "remark: MPI_File_open returned MPI_ERR_NO_SUCH_FILE",
        "  ranks 0 and 1: MPI_File_open",
        "    called at returned_codes.c:11 in open_missing",
    ]
    assert "    3 times" in lines
    assert found.status == 0
    assert runs.only(found.last).startswith("mpipp: no errors in 2 processes (")
    assert watched(mpi, ".c", "alone", "fixed").blocks == []


@on_mpi("mpich4", "openmpi4")
def test_what_was_reported_is_no_remark(mpi: MPI) -> None:
    """mpipp prints no remark on a code if it reported the error, or if the program's error handler
    was called."""
    for how in ("comm", "handled"):
        (found,) = watched(mpi, ".c", how).blocks
        assert found.startswith("error: dest is 99")
        assert watched(mpi, ".c", how, "fixed").blocks == []
