# SPDX-License-Identifier: MIT
"""What is told of messages that are over, a case for each way in which they may be received."""

from __future__ import annotations

import re

import runs
from support import MPI, on_mpi

TRUNCATED = """\
error: 8 elements sent, but only 6 received: the message is truncated (MPI_ERR_TRUNCATE)
  rank 0: MPI_{0}(dest = 1, tag = 0, {1} = 8 MPI_INT)
    called at over.c:LINE in {4}
    sends MPI_INT: {1}[6](INT)
  rank 1: MPI_{2}(source = 0, tag = 0, {3} = 6 MPI_INT)
    called at over.c:LINE in {4}
    message number 1
  rule: MPI-4.1, section 3.2.4: a message must not be longer than the receive buffer
  to do: receive with a buffer for all that may be sent, or ask MPI_Probe how much it is
  MUST: MUST_ERROR_TYPEMATCH_LENGTH"""

# By function of programs/over.c.
FOUND = {
    "truncated": TRUNCATED.format("Send", "buf", "Recv", "buf", "truncated"),
    "truncated_any": TRUNCATED.format("Send", "buf", "Recv", "buf", "truncated_any"),
    "truncated_exchange": TRUNCATED.format(
        "Sendrecv", "sendbuf", "Sendrecv", "recvbuf", "truncated_exchange"
    ),
    "truncated_wait": TRUNCATED.format("Isend", "buf", "Irecv", "buf", "truncated_wait"),
    "truncated_probed": TRUNCATED.format("Send", "buf", "Mrecv", "buf", "truncated_probed"),
}


def told(block: str) -> str:
    """Without what depends on when the watcher looks, and where the calls stand."""
    block = re.sub(r"comm = (\{.*?\}|\"\S+\"), ", "", block)
    return re.sub(r"over\.c:\d+", "over.c:LINE", block)


@on_mpi("mpich4", "openmpi4")
def test_what_is_wrong(mpi: MPI) -> None:
    found = runs.run(mpi, [runs.program("over.c", mpi), "wrong"])
    assert sorted(map(told, found.blocks)) == sorted(map(mpi.cited, FOUND.values()))
    assert found.last[0].startswith(f"mpipp: {len(FOUND)} errors in 2 processes, ")


@on_mpi("mpich4", "openmpi4")
def test_what_is_right(mpi: MPI) -> None:
    found = runs.run(mpi, [runs.program("over.c", mpi), "right"])
    assert found.blocks == []
    assert found.last[0].startswith("mpipp: no errors in 2 processes, ")
