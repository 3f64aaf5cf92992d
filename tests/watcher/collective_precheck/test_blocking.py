# SPDX-License-Identifier: MIT
"""`mpipp run --check --strict`: blocking collective calls that disagree never begin."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import support
from tests.support import MPI, on_mpi
from tests.watcher import runs

ROOTS = """\
error: the processes pass different roots: 0 and 1
  ranks 0 and 2: MPI_Bcast(root = 0, comm = "MPI_COMM_WORLD", buffer = 0x... (1 MPI_INT))
    called at strict.c:38 in calls
  rank 1: MPI_Bcast(root = 1, comm = "MPI_COMM_WORLD", buffer = 0x... (1 MPI_INT))
    called at strict.c:38 in calls
  shown as in ranks 0 and 1
  rule: MPI-4.1, section 6.2: the argument root must be the same in all processes
  to do: pass the same root in all processes
  MUST: MUST_ERROR_COLLECTIVE_ROOT_MISMATCH"""
# The error code that each call of strict.c returns in all processes, and its report's first line.
_TYPES = "the types sent and received do not match, at the first element: MPI_{} is sent, MPI_{} "
_MEET = (
    "MPI_{} and MPI_{} are matched on one communicator: each process's collective call number {} "
    "on it"
)
CASES = {
    "roots": ("root", "the processes pass different roots: 0 and 1"),
    "calls": ("other", _MEET.format("Bcast", "Barrier", 2)),
    "ops": ("op", "the processes reduce with different operations: MPI_SUM and MPI_MAX"),
    "types": ("type", _TYPES.format("INT", "FLOAT") + "received"),
    "lengths": ("count", "3 elements sent, but only 2 received"),
    "reduce": ("count", "the processes reduce different numbers of elements: 1 and 2"),
    "reduce_scatter": ("count", "the processes pass different recvcounts: for rank 1 1 and 2"),
    "block": ("count", "the processes reduce different numbers of elements: 3 and 6"),
    "block in place": ("count", "the processes reduce different numbers of elements: 3 and 6"),
    "reduce_scatter in place": (
        "type",
        "the processes reduce different types, at the first element: MPI_INT and MPI_FLOAT",
    ),
    "scan": (
        "type",
        "the processes reduce different types, at the first element: MPI_UNSIGNED and MPI_INT",
    ),
    "gather": ("count", "2 elements sent, but only 1 received"),
    "gatherv": ("count", "only 1 element sent, but 2 received"),
    "scatterv": ("count", "2 elements sent, but only 1 received"),
    "allgatherv": ("count", "only 1 element sent, but 2 received"),
    "alltoall": ("type", _TYPES.format("INT", "FLOAT") + "received"),
    "alltoallv": ("count", "2 elements sent, but only 1 received"),
    "alltoallw": ("type", _TYPES.format("FLOAT", "INT") + "received"),
    "in place": ("arg", "not all processes pass MPI_IN_PLACE as sendbuf"),
    "dims": ("arg", "the processes pass different dims: {3} and {2}"),
    "size": ("arg", "the processes pass different sizes: 16 and 8"),
    "free": ("other", _MEET.format("Barrier", "Comm_free", 1)),
    "inter": ("other", _MEET.format("Bcast", "Barrier", 1)),
    "root's rank": ("root", "rank 0 passes MPI_ROOT, but the other group passes 1"),
    "no root": ("root", "the other group passes 0, but that rank passes MPI_PROC_NULL"),
    "idup": ("other", _MEET.format("Bcast", "Barrier", 1)),
    "assert": ("arg", "the processes pass different assertions: 0 and MPI_MODE_NOPRECEDE"),
    "windows": ("other", "MPI_Win_fence and MPI_Win_free are matched on one window"),
    "neighbor_allgather": ("count", "2 elements sent, but only 1 received"),
    "neighbor_alltoallv": ("count", "2 elements sent, but only 1 received"),
    "neighbor_alltoallw": ("type", _TYPES.format("FLOAT", "INT") + "received"),
    "graph": ("type", _TYPES.format("FLOAT", "INT") + "received"),
    "double alltoall": ("type", _TYPES.format("FLOAT", "INT") + "received"),
    "double alltoallv": ("count", "only 1 element sent, but 3 received"),
    "double allgatherv": ("count", "only 1 element sent, but 2 received"),
    "sum of packed": ("type", _TYPES.format("INT", "FLOAT") + "received"),
    "one end": ("other", "rank 0 has 1 edge to rank 1, which has no edge from it"),
    "inter bcast": ("count", "only 1 element sent, but 2 received"),
    "inter allgather": ("type", _TYPES.format("FLOAT", "INT") + "received"),
    "inter alltoallv": ("count", "2 elements sent, but only 1 received"),
    "inter reduce_scatter": (
        "count",
        "the processes reduce different numbers of elements: 5 and 4",
    ),
    "inter recvcounts": ("count", "the processes pass different recvcounts: for rank 0 2 and 3"),
    "inter gatherv": ("count", "2 elements sent, but only 1 received"),
}


def blocks(found: runs.Run) -> list[str]:
    """The report's blocks, without addresses."""
    return [re.sub("0x[0-9a-f]+", "0x...", block) for block in found.blocks]


@on_mpi("mpich4", "openmpi4")
def test_error_handlers_are_called_in_all_processes(mpi: MPI, tmp_path: Path) -> None:
    program = runs.program("strict.c", mpi)
    found = runs.run(mpi, [program, tmp_path / "file"], "--strict", "--on-error", "handler", n=3)
    assert found.output == "".join(f"{name}: {c}, {c}, {c}\n" for name, (c, _) in CASES.items())
    first, *others = blocks(found)
    assert first == mpi.cited(ROOTS)
    said = [block.split("\n")[0] for block in (first, *others)]
    assert said == [f"error: {what}" for _, what in CASES.values()]
    assert found.status == 0
    last = runs.only(found.last)
    assert last.startswith(f"mpipp: {len(CASES)} errors in 3 processes (697 MPI calls checked)")


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("how", ["abort", "handler"])  # the communicator's handler is fatal
def test_the_job_is_ended(mpi: MPI, how: str) -> None:
    program = runs.program("strict.c", mpi)
    found = runs.run(mpi, [program, "file", "fatal"], "--strict", "--on-error", how, n=3)
    assert found.status
    assert blocks(found) == [mpi.cited(ROOTS)]
    assert found.last[0].startswith("mpipp: 1 error in 3 processes (9 MPI calls checked)")


@on_mpi("mpich4", "openmpi4")
def test_the_program_has_the_communicators_that_it_needs(mpi: MPI) -> None:
    found = runs.run(mpi, [runs.program("many_comms.c", mpi), "1500"], "--strict")
    assert (found.status, found.output, found.blocks) == (0, "made 1500\n", [])
    assert found.last[:-1] == [
        "mpipp: not checked: calls before they start (--strict) on communicators of sessions or of "
        "several MPI_COMM_WORLDs, and more than 256 at a time in one process"
    ]


ALL_DIFFER = """\
#include <mpi.h>
int main(int argc, char **argv) {
  int rank, zero = 0;
  MPI_Comm grid;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int dims = rank + 1;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &dims, &zero, 0, &grid);
  MPI_Finalize();
}
"""


@on_mpi("mpich4", "openmpi4")
def test_an_argument_that_all_give_otherwise_is_told_once(mpi: MPI) -> None:
    program = support.compile_program(ALL_DIFFER, mpi)
    found = runs.run(mpi, [program], "--strict", "--on-error", "handler", n=3)
    block = runs.only(found.blocks)
    assert block.startswith("error: the processes pass different dims: {1} and {2}\n  rank 0: ")
