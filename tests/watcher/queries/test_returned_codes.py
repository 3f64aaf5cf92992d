# SPDX-License-Identifier: MIT
"""Error codes that MPI returned are remarks, or causes of later errors."""

from __future__ import annotations

import re

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
        "error: file is 0x0, which is not a handle of a file",
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


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize(
    ("how", "ranks", "cause"),
    [
        ("split", "rank 0", "MPI_Comm_split returned MPI_COMM_NULL before"),
        ("create", "rank 0", "MPI_Comm_create returned MPI_COMM_NULL before"),
        ("kart", "rank 1", "MPI_Cart_create returned MPI_COMM_NULL before"),
        ("free", "ranks 0 and 1", "freed before"),
    ],
)
def test_a_null_communicator_has_a_cause(mpi: MPI, how: str, ranks: str, cause: str) -> None:
    program = runs.program("null_comm.c", mpi)
    (found, *_) = runs.run(mpi, [program, how]).blocks
    lines = found.splitlines()
    assert lines[0].endswith("comm is MPI_COMM_NULL, but a communicator is needed")
    at = next(i for i, line in enumerate(lines) if line.endswith(f"{ranks}: {cause}"))
    assert re.search(r"at null_comm.c:\d+ in main", lines[at + 1])
    assert runs.run(mpi, [program, how, "fixed"]).blocks == []


@on_mpi("mpich4", "openmpi4")
def test_a_null_communicator_has_a_cause_in_python(mpi: MPI) -> None:
    script = str(runs.program_source("null_comm.py"))
    (found, *_) = runs.run(mpi, [mpi.python, script]).blocks
    lines = found.splitlines()
    at = lines.index("  rank 0: MPI_Comm_split returned MPI_COMM_NULL before")
    assert lines[at + 1] == "    called at null_comm.py:9 in <module>"
    assert runs.run(mpi, [mpi.python, script, "fixed"]).blocks == []
