# SPDX-License-Identifier: MIT
"""`mpipp run --check --strict`: blocking collective calls that disagree never begin."""

from __future__ import annotations

import re

import pytest
import runs
from support import MPI, on_mpi

ROOTS = """\
error: the processes name different roots: 0 and 1
  rank 0: MPI_Bcast(root = 0, comm = "MPI_COMM_WORLD", buffer = 0x... (1 MPI_INT))
    called at strict.c:27 in roots
  rank 1: MPI_Bcast(root = 1, comm = "MPI_COMM_WORLD", buffer = 0x... (1 MPI_INT))
    called at strict.c:27 in roots
  rule: MPI-4.1, section 6.2: the argument root must be the same in all processes
  to do: pass the same root in all processes
  MUST: MUST_ERROR_COLLECTIVE_ROOT_MISMATCH"""


def blocks(found: runs.Run) -> list[str]:
    """The report's, without addresses."""
    return [re.sub("0x[0-9a-f]+", "0x...", block) for block in found.blocks]


@on_mpi("mpich4", "openmpi4")
def test_error_handlers_are_called_in_all_processes(mpi: MPI) -> None:
    program = runs.program("strict.c", mpi)
    found = runs.run(mpi, [program], "--strict", "--on-error", "handler", n=3)
    assert found.output == "roots: MPI_ERR_ROOT, MPI_ERR_ROOT, MPI_ERR_ROOT\n"
    assert blocks(found) == [mpi.cited(ROOTS)]
    assert (found.status, found.last) == (0, ["mpipp: 1 error in 3 processes, 21 calls"])


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("how", ["abort", "handler"])  # that of the communicator is fatal
def test_the_job_is_ended(mpi: MPI, how: str) -> None:
    program = runs.program("strict.c", mpi)
    found = runs.run(mpi, [program, "fatal"], "--strict", "--on-error", how, n=3)
    assert found.status
    assert blocks(found) == [mpi.cited(ROOTS)]
    assert found.last == ["mpipp: 1 error in 3 processes, 9 calls"]
