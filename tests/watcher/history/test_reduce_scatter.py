# SPDX-License-Identifier: MIT
"""A reduce-scatter with MPI_IN_PLACE uses the whole vector in recvbuf (MPI-4.1, section 6.10)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import support
from tests.support import MPI, on_mpi
from tests.watcher import runs

PROGRAM = """\
#include <mpi.h>
static int buf[4], counts[2] = {2, 2}, other[2];
int main(int argc, char **argv) {
  MPI_Request requests[2];
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  CALLS
  MPI_Finalize();
}
"""
# The second block of the vector is that of the other process.
RECEIVE = "MPI_Irecv(&buf[2], 2, MPI_INT, !rank, 0, MPI_COMM_WORLD, &requests[0]);"
SEND = (
    "MPI_Send(other, 2, MPI_INT, !rank, 0, MPI_COMM_WORLD);"
    "MPI_Wait(&requests[0], MPI_STATUS_IGNORE);"
)
RECEIVED = "MPI_Recv(other, 2, MPI_INT, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)"
REDUCED = "buf, {}, MPI_INT, MPI_SUM, MPI_COMM_WORLD"
CALLS = {
    "MPI_Reduce_scatter_block": REDUCED.format("2"),
    "MPI_Reduce_scatter": REDUCED.format("counts"),
    "MPI_Ireduce_scatter_block": REDUCED.format("2") + ", &requests[1]",
    "MPI_Ireduce_scatter": REDUCED.format("counts") + ", &requests[1]",
}
WAIT = "MPI_Wait(&requests[1], MPI_STATUS_IGNORE);"


def program(calls: str, mpi: MPI) -> Path:
    return support.compile_program(PROGRAM.replace("CALLS", calls), mpi)


def told(found: runs.Run) -> list[list[str]]:
    return [re.sub("0x[0-9a-f]+", "0x...", block).splitlines() for block in found.blocks]


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("name", CALLS)
def test_the_block_of_another_process(name: str, mpi: MPI) -> None:
    completed = WAIT if name[4] == "I" else ""
    call = f"{name}(MPI_IN_PLACE, {CALLS[name]});"
    (block,) = told(runs.run(mpi, [program(RECEIVE + call + SEND + completed, mpi)]))
    assert block[0] == f"error: {name} and MPI_Irecv write the same memory, [0x..., 0x...)"
    assert "    reads and writes recvbuf[2](INT)" in block
    assert "    writes buf(INT)" in block


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
def test_what_is_sent_meanwhile(mpi: MPI) -> None:
    """The call reads the whole vector, and writes the result to its first block."""
    calls = "".join(f"{name}(MPI_IN_PLACE, {CALLS[name]});" for name in list(CALLS)[:2])
    receive = SEND.replace("MPI_Send(other, 2, MPI_INT, !rank, 0, MPI_COMM_WORLD)", RECEIVED)
    for first, told_of in (("&buf[2]", 0), ("buf", 2)):
        send = RECEIVE.replace("Irecv(&buf[2]", f"Isend({first}")
        found = runs.run(mpi, [program(send + calls + receive, mpi)])
        assert len(found.blocks) == told_of, found


@on_mpi("mpich4", "openmpi4")
def test_of_a_vector_elsewhere_only_the_result_is_there(mpi: MPI) -> None:
    sent = "int sent[4] = {0};"
    call = "".join(f"{name}(sent, {CALLS[name]});" for name in list(CALLS)[:2])
    found = runs.run(mpi, [program(sent + RECEIVE + call + SEND, mpi)])
    assert found.blocks == []
    assert found.last[0].startswith("mpipp: no errors in 2 processes")


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
def test_what_is_beside_the_vector(mpi: MPI) -> None:
    receive = RECEIVE.replace("&buf[2]", "other")
    call = "".join(f"{name}(MPI_IN_PLACE, {CALLS[name]});" for name in list(CALLS)[:2])
    found = runs.run(mpi, [program(receive + call + SEND.replace("other", "buf"), mpi)])
    assert found.blocks == []
    assert found.last[0].startswith("mpipp: no errors in 2 processes")
