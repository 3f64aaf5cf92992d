# SPDX-License-Identifier: MIT
"""Programs that need MPI to buffer messages, or not to synchronize in collective calls."""

from __future__ import annotations

import re

import pytest

from tests.support import MPI, on_mpi
from tests.watcher import runs

NEEDS = "remark: ranks 0 and 1 wait for each other unless MPI buffers their messages"
CROSSED = "error: ranks 0 and 1 wait for each other if collective calls synchronize"
ITSELF = "remark: rank 0 waits for itself unless MPI buffers its message"
BCAST_SEND = f"""\
{CROSSED}
  rank 0: MPI_Bcast(comm = "MPI_COMM_WORLD")
    called at buffering.c:LINE in bcast
    waits for rank 1, which calls MPI_Bcast later
  rank 1: MPI_Recv(source = 0, tag = 0, comm = "MPI_COMM_WORLD")
    called at buffering.c:LINE in receive
    waits for rank 0, which calls MPI_Send later
  rule: MPI-4.1, section 6.14: messages and collective calls must be in an order in which no \
processes wait for each other in a cycle, even if every call synchronizes
  to do: move the collective call before the message, or after it, in all processes, or use \
nonblocking calls
  MUST: MUST_ERROR_DEADLOCK"""
CASES = {
    "bcast-send": CROSSED,
    "send-barrier": CROSSED,
    "head-to-head": NEEDS,
    "wait-first": NEEDS,
    "itself": ITSELF,
    "any": CROSSED,
    "persistent": NEEDS,
    "after-tests": NEEDS,
    "master": CROSSED,
}


def found(
    mpi: MPI, case: str, n: int = 2, check: str = "--check=deadlocks,portability"
) -> list[str]:
    """The findings of a case."""
    program = runs.program("buffering.c", mpi)
    return runs.run(mpi, [program, case], check, n=n).others


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("case", CASES)
def test_case(mpi: MPI, case: str) -> None:
    (block,) = found(mpi, case, n=3 if case == "master" else 2)
    assert block.splitlines()[0] == CASES[case]
    if case == "bcast-send":
        assert re.sub(r"(\.c:)\d+", r"\1LINE", block) == mpi.cited(BCAST_SEND)


@on_mpi("mpich4", "openmpi4")
def test_right(mpi: MPI) -> None:
    assert found(mpi, "right") == []


@on_mpi("mpich4", "openmpi4")
def test_fast_keeps_no_order(mpi: MPI) -> None:
    assert found(mpi, "send-barrier", check="--check=fast") == []


@on_mpi("mpich4", "openmpi4")
def test_buffered_messages_alone_are_legal(mpi: MPI) -> None:
    """A program whose sends MPI must buffer gets a remark on portability, but only on request."""
    assert found(mpi, "head-to-head", check="--check=all") == []
