# SPDX-License-Identifier: MIT
"""Data that a process sends to itself in a collective call are compared at once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support import MPI, compile_program, on_mpi
from tests.watcher import runs

LENGTH = """\
  rule: MPI-4.1, section 6.2: the amount and types of data sent must equal those received
  to do: pass the same number of elements on both sides
  MUST: MUST_ERROR_TYPEMATCH_LENGTH"""
TYPES = """\
  rule: MPI-4.1, section 6.2: the amount and types of data sent must equal those received
  to do: describe the same basic types in the same order on both sides
  MUST: MUST_ERROR_TYPEMATCH_MISMATCH"""
TOLD = {
    "gather": """\
error: a process sends itself only 1 element, but receives 2
  rank 0: MPI_Gather(...)
    called at own_parts.c:31 in wrong
    receives MPI_INT: recvbuf[1](INT) of rank 0
"""
    + LENGTH,
    "scatter": """\
error: a process sends itself only 2 elements, but receives 3
  rank 0: MPI_Scatter(...)
    called at own_parts.c:33 in wrong
    receives MPI_INT: recvbuf[2](INT)
"""
    + LENGTH,
    "types": """\
error: the data that a process sends itself do not match the data that it receives, \
at the first element: \
MPI_FLOAT and MPI_INT
  rank 0: MPI_Gather(...)
    called at own_parts.c:35 in wrong
    sends itself MPI_FLOAT: sendbuf(FLOAT)
    receives MPI_INT: recvbuf(INT) of rank 0
"""
    + TYPES,
    "alone": """\
error: a process sends itself only 2 elements, but receives 4
  ranks 0 to 2: MPI_Allgather(...)
    called at own_parts.c:36 in wrong
    receives MPI_INT: recvbuf[2](INT) of rank 0
"""
    + LENGTH,
}
# The three ways to find the errors: by a query, by the history at the end, and before the call.
WAYS = ((), ("--check=collectives,messages",), ("--check=collectives,messages", "--strict"))


def plain(block: str) -> str:
    """The block without arguments and addresses."""
    block = re.sub(r"^(  ranks? .*: MPI_\w+)\(.*\)$", r"\1(...)", block, flags=re.MULTILINE)
    return re.sub(
        ", at 0x[0-9a-f]+$|\n    collective call number .*|\n  shown as .*",
        "",
        block,
        flags=re.MULTILINE,
    )


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("options", WAYS, ids=["call", "over", "strict"])
def test_what_is_not_received_is_told_once(mpi: MPI, options: tuple[str, ...]) -> None:
    found = runs.run(mpi, [runs.program("own_parts.c", mpi), *TOLD], *options, n=3)
    assert sorted(map(plain, found.blocks)) == sorted(map(mpi.cited, TOLD.values()))


TWICE = """\
error: MPI_Gatherv writes memory twice: recvbuf overlaps itself
  rank 0: MPI_Gatherv(...)
    called at own_parts.c:42 in wrong
    writes [ADDRESS, ADDRESS) through recvbuf[1](INT) of rank 0 and recvbuf(INT) of rank 1
  rule: MPI-4.1, section 6.5: counts, datatypes and displacements must not cause any byte of the \
receive buffer to be written twice
  to do: give each process's part its own bytes: compare the displacements with the counts
  MUST: MUST_ERROR_SELFOVERLAPPED"""


@on_mpi("mpich4", "openmpi4")
def test_parts_that_overlap(mpi: MPI) -> None:
    found = runs.run(mpi, [runs.program("own_parts.c", mpi), "places"])
    block = re.sub(r"0x[0-9a-f]+", "ADDRESS", plain(runs.only(found.blocks)))
    assert block == mpi.cited(TWICE)


@on_mpi("mpich4", "openmpi4")
def test_the_first_that_comes_is_told(mpi: MPI) -> None:
    """The other process never calls. MPI may end the job at once."""
    found = runs.run(mpi, [runs.program("own_parts.c", mpi), "first"])
    told = [block.split("\n")[0] for block in found.blocks]
    assert "error: a process sends itself 2 elements, but receives only 1" in told


@on_mpi("mpich4", "openmpi4")
def test_what_is_received_is_not_asked_about(mpi: MPI) -> None:
    """Correct calls cause no queries, for any construction of the types and any counts."""
    command: list[str | Path] = [runs.program("own_parts.c", mpi), "right", "100"]
    found, queries = runs.run_with_queries(mpi, command)
    assert (found.status, found.blocks) == (0, [])
    last = ["mpipp: no errors in 2 processes (1,608 MPI calls checked)"]
    assert (found.last, queries) == (last, 0)


OWN_PART = """\
#include <mpi.h>

int main(int argc, char **argv) {
  static double all[15];
  int rank, counts[] = {5, 5, 5}, displs[] = {0, 5, 10}, v;
  MPI_Init(&argc, &argv);
  v = argc > 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  double *own = all + 5 * rank;
  if (v)
    MPI_Allgatherv(own, 5, MPI_DOUBLE, all, counts, displs, MPI_DOUBLE, MPI_COMM_WORLD);
  else
    MPI_Allgather(own, 5, MPI_DOUBLE, all, 5, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Finalize();
}
"""


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("form", [[], ["v"]])
def test_the_own_part_may_stay_in_place(mpi: MPI, form: list[str]) -> None:
    """Each process could leave its part in place: a remark recommends MPI_IN_PLACE."""
    command: list[str | Path] = [compile_program(OWN_PART, mpi), *form]
    found = runs.run(mpi, command, "--check=overlap", n=3).others
    assert found
    for block in found:
        assert "  to do: pass MPI_IN_PLACE as sendbuf, or use two buffers" in block.splitlines()
