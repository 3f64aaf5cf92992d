# SPDX-License-Identifier: MIT
"""The data of a one-sided operation is compared with its destination before MPI gets the call."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import support
from tests.support import MPI, on_mpi
from tests.watcher import runs

WRONG = """\
#include <mpi.h>
#include <stdlib.h>
static int memory[10], own[10], result[10];
static double numbers[5];
int main(int argc, char **argv) {
  int rank;
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  for (int i = 1; i < argc; i++) {
    int which = atoi(argv[i]);
    MPI_Win_fence(0, win);
    if (rank == 0 && which == 0) MPI_Put(own, 10, MPI_INT, 1, 0, 5, MPI_INT, win);
    if (rank == 0 && which == 1) MPI_Get(own, 5, MPI_INT, 1, 0, 10, MPI_INT, win);
    if (rank == 0 && which == 2) MPI_Put(numbers, 2, MPI_DOUBLE, 1, 0, 4, MPI_INT, win);
    if (rank == 0 && which == 3) MPI_Put(own, 10, MPI_INT, 1, 0, 40, MPI_BYTE, win);
    if (rank == 0 && which == 4) MPI_Accumulate(own, 1, MPI_INT, 1, 0, 1, MPI_FLOAT, MPI_SUM, win);
    MPI_Win_fence(0, win);
  }
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
"""
LENGTH = """\
  rule: MPI-4.1, section 12.3.1: the data must fit at its destination without truncation
  to do: pass the same number of elements on both sides"""
TYPES = """\
  rule: MPI-4.1, section 12.3.1: the types at the origin and at the target must match, in the same \
order{}
  to do: describe the same basic types in the same order on both sides"""
TOLD = (
    """\
error: MPI_Put reads 10 elements, but writes only 5
  rank 0: MPI_Put(...)
    called at FILE:14 in main
    reads MPI_INT: origin_addr[5](INT), at ADDRESS
"""
    + LENGTH,
    """\
error: MPI_Get reads 10 elements, but writes only 5
  rank 0: MPI_Get(...)
    called at FILE:15 in main
    reads MPI_INT: target_disp[5](INT)
"""
    + LENGTH,
    """\
error: the data that MPI_Put reads do not match the data that it writes, at the first element: \
MPI_DOUBLE and MPI_INT
  rank 0: MPI_Put(...)
    called at FILE:16 in main
    reads MPI_DOUBLE: origin_addr(DOUBLE), at ADDRESS
    writes MPI_INT: target_disp(INT)
"""
    + TYPES.format(""),
    """\
error: the data that MPI_Put reads do not match the data that it writes, at the first element: \
MPI_INT and MPI_BYTE
  rank 0: MPI_Put(...)
    called at FILE:17 in main
    reads MPI_INT: origin_addr(INT), at ADDRESS
    writes MPI_BYTE: target_disp(BYTE)
"""
    + TYPES.format("; MPI_BYTE matches only MPI_BYTE"),
    """\
error: the data that MPI_Accumulate reads do not match the data that it writes, \
at the first element: \
MPI_INT and MPI_FLOAT
  rank 0: MPI_Accumulate(...)
    called at FILE:18 in main
    reads MPI_INT: origin_addr(INT), at ADDRESS
    writes MPI_FLOAT: target_disp(FLOAT)
  rule: MPI-4.1, section 12.3.4: all datatypes of an accumulate call must consist of the same \
predefined datatype
  to do: describe the same basic types in the same order on both sides""",
)


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("checks", [(), ("--check=rma",)])
def test_what_does_not_fit_is_told(mpi: MPI, checks: tuple[str, ...]) -> None:
    """The errors are found also with an RMA log, which such an operation would confuse.

    Open MPI ends the job in the last call, which is reported next.
    """
    program = support.compile_program(WRONG, mpi, ("-g", "-O0", "-w"))
    found = runs.run(mpi, [program, *map(str, range(len(TOLD)))], *checks)
    blocks = "\n".join(found.blocks[: len(TOLD)])
    blocks = re.sub(r"(MPI_\w+)\(target_rank.*\)$", r"\1(...)", blocks, flags=re.MULTILINE)
    blocks = re.sub(r"at \S+:(\d+) in", r"at FILE:\1 in", blocks)
    assert re.sub("0x[0-9a-f]+", "ADDRESS", blocks) == mpi.cited("\n".join(TOLD))


@on_mpi("mpich4", "openmpi4")
def test_such_a_call_is_not_made(mpi: MPI) -> None:
    program = support.compile_program(WRONG, mpi, ("-g", "-O0", "-w"))
    found = runs.run(mpi, [program, "0"], "--on-error", "abort")
    assert found.status == 1
    assert found.blocks[0].startswith("error: MPI_Put reads 10 elements, but writes only 5\n")


def questions(mpi: MPI, rounds: int) -> int:
    """The number of queries for this many rounds of correct calls."""
    command: list[str | Path] = [runs.program("transfers.c", mpi), str(rounds)]
    found, queries = runs.run_with_queries(mpi, command)
    assert (found.status, found.blocks) == (0, [])
    assert runs.only(found.last).startswith("mpipp: no errors in 2 processes (")
    return queries


@on_mpi("mpich4", "openmpi4")
def test_what_fits_is_not_asked_about(mpi: MPI) -> None:
    """With any construction of the types and any counts, queries stop once the windows
    are known."""
    assert questions(mpi, 600) < 100
