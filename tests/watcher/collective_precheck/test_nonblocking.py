# SPDX-License-Identifier: MIT
"""`--strict` compares nonblocking and persistent collective calls when they complete."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support import MPI, on_mpi
from tests.watcher import runs

REDUCED = """\
error: the processes reduce with different operations: MPI_SUM and MPI_MAX
  rank 0: MPI_{0}(comm = "MPI_COMM_WORLD", op = "MPI_SUM", sendbuf = 1 MPI_INT, recvbuf = 1 MPI_INT)
    called at {1}
  rank 1: MPI_{0}(comm = "MPI_COMM_WORLD", op = "MPI_MAX", sendbuf = 1 MPI_INT, recvbuf = 1 MPI_INT)
    called at {1}
    collective call number N
  rule: MPI-4.1, section 6.9: the argument op must be the same in all processes
  to do: pass the same operation in all processes
  MUST: MUST_ERROR_COLLECTIVE_OP_MISMATCH"""
SENT = """\
error: the types sent and received do not match, at the first element: \
MPI_INT is sent, MPI_FLOAT received
  rank 0: MPI_Ineighbor_alltoallw(comm = {rank = 0, size = 2, topology = DIST_GRAPH, \
indegree = 1, outdegree = 1}, sendbuf = {1 MPI_INT}, recvbuf = {1 MPI_FLOAT})
    called at completed_at_end.c:63 in edges
    sends MPI_INT: sendbuf(INT) of neighbor 0
  rank 1: MPI_Ineighbor_alltoallw(comm = {rank = 1, size = 2, topology = DIST_GRAPH, \
indegree = 1, outdegree = 1}, sendbuf = {1 MPI_INT}, recvbuf = {1 MPI_FLOAT})
    called at completed_at_end.c:63 in edges
    receives MPI_FLOAT: recvbuf(FLOAT) of neighbor 0
    collective call number N
  rule: MPI-4.1, section 6.2: the amount and types of data sent must equal those received
  to do: describe the same basic types in the same order on both sides
  MUST: MUST_ERROR_TYPEMATCH_MISMATCH"""
FOUND = {
    "nonblocking": REDUCED.format("Iallreduce", "completed_at_end.c:18 in nonblocking"),
    "persistent": REDUCED.format("Allreduce_init", "completed_at_end.c:28 in persistent"),
    "edges": SENT,
}


@on_mpi("mpich4", "openmpi4")
def test_calls_that_agree(mpi: MPI) -> None:
    found = runs.run(
        mpi, [runs.program("completed_at_end.c", mpi)], "--strict", "--on-error", "abort", n=2
    )
    assert (found.status, found.output, found.blocks) == (0, "went on\n", [])
    last = runs.only(found.last)
    assert last.startswith("mpipp: no errors in 2 processes (")


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("how", FOUND)
def test_the_job_is_ended_at_their_completion(mpi: MPI, how: str) -> None:
    if how == "persistent" and mpi.standard < (4, 0):
        return  # the calls in the program came with MPI-4.0
    command: list[str | Path] = [runs.program("completed_at_end.c", mpi), how]
    found = runs.run(mpi, command, "--strict", "--on-error", "abort", n=2)
    assert found.status
    assert "went on" not in found.output
    blocks = [re.sub(r"(?<=call number )\d+", "N", block) for block in found.blocks]
    assert blocks == [mpi.cited(FOUND[how])]


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
def test_the_questions_at_their_completion_are_counted(mpi: MPI) -> None:
    """Each of two processes sends one query."""
    program = runs.program("completed_at_end.c", mpi)
    right, wrong = (
        runs.run_with_queries(mpi, [program, *how], "--strict")[1] for how in ([], ["nonblocking"])
    )
    assert wrong == right + 2
