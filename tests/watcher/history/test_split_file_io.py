# SPDX-License-Identifier: MIT
"""Split collective calls on files that overlap in time, each with its end, and their buffers."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support import MPI, on_mpi
from tests.watcher import runs

_WRITE = "MPI_File_write_at_all"
FOUND = {
    "beside": f"{_WRITE} is called while {_WRITE}_begin is pending on the file",
    "twice": "MPI_File_write_all_begin is called while MPI_File_write_all_begin is pending on the "
    "file",
    "not_begun": "MPI_File_write_ordered_end is called, but no split collective call is pending on "
    "the file",
    "other_end": f"MPI_File_write_all_end cannot end {_WRITE}_begin",
    "synced": f"MPI_File_sync is called while {_WRITE}_begin is pending on the file",
    "viewed": "MPI_File_set_view is called while MPI_File_iwrite is pending on the file",
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
    found, queries = runs.run_with_queries(mpi, [program, tmp_path / "file", "right"])
    assert found.blocks == []
    # Each process sends one query, about the datatypes of its file view.
    last = ["mpipp: no errors in 2 processes (76 MPI calls checked)"]
    assert (found.last, queries) == (last, 2)


BOTH = "write and read the same memory, [ADDRESS, ADDRESS)"
OVERLAPS = {
    "sent": f"MPI_Sendrecv and MPI_File_read_at_all_begin {BOTH}",
    "packed": f"MPI_Pack and MPI_File_read_all_begin {BOTH}",
    "received": f"MPI_Irecv and MPI_File_write_all_begin {BOTH}",
    "before": f"MPI_File_write_ordered_begin and MPI_Irecv {BOTH}",
    "started": f"MPI_Recv_init and {_WRITE}_begin {BOTH}",
    "independent": f"MPI_File_read_at and {_WRITE}_begin {BOTH}",
    "files": f"MPI_File_read_ordered_begin and {_WRITE}_begin {BOTH}",
    "many": f"MPI_Send and MPI_File_read_all_begin {BOTH}",
}
FILE = (
    'file = {filename = "FILE", '
    "amode = MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_RDWR, "
    'comm = "MPI_COMM_SELF", '
    'view = {disp = 0, etype = "MPI_BYTE", filetype = "MPI_BYTE", datarep = "native"}, '
    'split = "MPI_File_write_all_begin"}'
)
RECEIVED = f"""\
error: MPI_Irecv and MPI_File_write_all_begin write and read the same memory, [ADDRESS, ADDRESS)
  rank 0: MPI_Irecv(source = 0, tag = 2, comm = "MPI_COMM_SELF", buf = ADDRESS (1 MPI_INT))
    called at split_overlaps.c:28 in received
    writes buf(INT)
  rank 0: MPI_File_write_all_begin({FILE}, buf = ADDRESS (1 VECTOR[2, 1, 2]))
    called at split_overlaps.c:27 in received
    reads buf(VECTOR)[1][0](INT)
  rule: MPI-4.1, section 3.7.2: before a nonblocking operation completes, its send buffer must not \
be written and its receive buffer must not be accessed
  to do: complete one operation before you start the other, or use two buffers
  MUST: MUST_ERROR_OVERLAPPED_SEND"""


@on_mpi("mpich4", "openmpi4")
def test_a_split_calls_buffer_is_in_use(mpi: MPI, tmp_path: Path) -> None:
    program = runs.program("split_overlaps.c", mpi)
    found = runs.run(mpi, [program, tmp_path / "one", tmp_path / "other", "wrong"], n=1)
    blocks = [
        re.sub("0x[0-9a-f]+", "ADDRESS", block).replace(str(tmp_path / "one"), "FILE")
        for block in found.blocks
    ]
    lines = [block.splitlines() for block in blocks]
    told = {
        next(line for line in block if " in " in line and " called at " in line).split()[-1]: block[
            0
        ]
        for block in lines
    }
    assert told == {name: f"error: {what}" for name, what in OVERLAPS.items()}
    assert blocks[2] == mpi.cited(RECEIVED)
    assert found.last == ["mpipp: 8 errors in 1 process (6,011 MPI calls checked)"]


@on_mpi("mpich4", "openmpi4")
def test_what_is_beside_a_split_calls_buffer_is_not_asked_about(mpi: MPI, tmp_path: Path) -> None:
    program = runs.program("split_overlaps.c", mpi)
    command: list[str | Path] = [program, tmp_path / "one", tmp_path / "other", "right"]
    found, queries = runs.run_with_queries(mpi, command, n=1)
    assert found.blocks == []
    assert (
        found.last == ["mpipp: no errors in 1 process (6,011 MPI calls checked)"] and queries == 0
    )
