# SPDX-License-Identifier: MIT
"""The messages of processes are compared while they run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import support
from tests.support import MPI, on_mpi
from tests.watcher import runs

FOUND = """\
error: the types sent and received do not match, at the first element: \
MPI_FLOAT is sent, MPI_INT received
  rank 0: MPI_Send(dest = 1, tag = 3, comm = "MPI_COMM_WORLD", buf = 4 MPI_FLOAT)
    called at paused.c:13 in message
    sends MPI_FLOAT: buf(FLOAT)
  rank 1: MPI_Recv(source = 0, tag = 3, comm = "MPI_COMM_WORLD", buf = 4 MPI_INT)
    called at paused.c:15 in message
    receives MPI_INT: buf(INT)
    message number 1
  rule: MPI-4.1, section 3.3.1: the types sent and received must match, in the same order
  to do: describe the same basic types in the same order on both sides
  MUST: MUST_ERROR_TYPEMATCH_MISMATCH

error: the types sent and received do not match, at the first element: \
MPI_FLOAT is sent, MPI_INT received
  rank 0: MPI_Bcast(root = 0, comm = {rank = 0, size = 2, state = "freed"}, buffer = 1 MPI_FLOAT)
    called at paused.c:24 in collective
    sends MPI_FLOAT: buffer(FLOAT)
  rank 1: MPI_Bcast(root = 0, comm = {rank = 1, size = 2, state = "freed"}, buffer = 1 MPI_INT)
    called at paused.c:26 in collective
    receives MPI_INT: buffer(INT)
    collective call number 1
  rule: MPI-4.1, section 6.2: the amount and types of data sent must equal those received
  to do: describe the same basic types in the same order on both sides
  MUST: MUST_ERROR_TYPEMATCH_MISMATCH
"""


@on_mpi("mpich4", "openmpi4")
def test_it_is_found_while_the_program_goes_on(mpi: MPI, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    words = runs.words(mpi)
    command = [*words, runs.program("paused.c", mpi), pipe, "message", "collective"]
    with support.running(
        [sys.executable, "-m", "mpipp.cli", *map(str, command)],
        env={**mpi.env, "PYTHONPATH": str(support.ROOT)},
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as started:
        assert started.stderr is not None
        lines = [started.stderr.readline() for _ in FOUND.splitlines()]
        pipe.open("w").close()  # the reader may have closed the pipe already
        rest = started.stderr.read()
    assert "".join(lines) == mpi.cited(FOUND)
    assert runs.read(subprocess.CompletedProcess([], 0, "", rest))[2:] == (
        [],
        ["mpipp: 2 errors in 2 processes (16 MPI calls checked)"],
    )


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
def test_what_moves_is_not_misread(mpi: MPI, tmp_path: Path) -> None:
    found = runs.run(mpi, [runs.program("paused.c", mpi), os.devnull, "loop"])
    assert (found.status, found.blocks) == (0, [])


TWIN = """\
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, sent = 1, got;
    MPI_Comm comm;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "halo");
    if (rank == 0)
        for (int tag = 7; tag < 9; tag++) MPI_Send(&sent, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
    else
        MPI_Irecv(&got, 1, MPI_INT, 0, 7, comm, &request);
    MPI_Barrier(comm);
    MPI_Finalize();
    return 0;
}
"""
AWAITED = "awaited on another communicator"
NEAR = (
    "near miss, another communicator: rank 1 has posted 1 receive with tag 7 on communicator "
    '"halo", for which nothing was sent'
)


@on_mpi("mpich4", "openmpi4")
def test_a_receive_on_another_communicator_is_named(mpi: MPI) -> None:
    """The message with its tag is reported after both processes have ended."""
    program = support.compile_program(TWIN, mpi, ("-g", "-O0", "-w"))
    found = runs.run(mpi, [program], "--check=messages")
    lines = [block.splitlines() for block in found.blocks]
    send = 'MPI_Send(dest = 1, tag = {}, comm = "MPI_COMM_WORLD", buf = 1 MPI_INT)'
    place = lines[0][2].split()[2].partition(":")[0]
    head = "error: a message is sent and never received"
    called = f"    called at {place}:12 in main"
    assert [one[:-3] for one in lines] == [
        [head, f"  rank 0: {send.format(8)}", called],
        [f"{head}, but {AWAITED}", f"  rank 0: {send.format(7)}", called, f"    {NEAR}"],
    ]
