# SPDX-License-Identifier: MIT
"""`mpipp run --check` compares collective calls that MPI rejects like others."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import support
from tests.support import MPI, every_fortran, every_mpi, on_mpi, repeated
from tests.watcher import runs
from tests.watcher.nodes.test_nodes import watched

# The library's errors if rank 0 broadcasts more data than rank 1 receives.
BCAST = """\
error: 5 elements sent, but only 4 received
  rank 0: {procedure}(root = 0, comm = "MPI_COMM_WORLD", buffer = 5 MPI_INT)
    called at failing.c:{line}
    sends MPI_INT: buffer[4](INT)
  rank 1: {procedure}(root = 0, comm = "MPI_COMM_WORLD", buffer = 4 MPI_INT)
    called at failing.c:{line}
    {returned}
    collective call number 1"""
NOT_COMPARED = (
    "mpipp: not checked: collective calls on MPI_COMM_WORLD after a call that failed in rank 0"
)
TRUNCATED = "MPI returned MPI_ERR_TRUNCATE"


def found_in(block: str) -> str:
    """A finding without its rule."""
    return block.split("\n  rule: ")[0]


def of_completion(mpi: MPI) -> str:
    """The error of a nonblocking operation. MPICH has only the general class MPI_ERR_OTHER."""
    of = "MPI_ERR_TRUNCATE" if mpi.id.startswith("openmpi") else "MPI_ERR_OTHER"
    return f"its completion returned {of}"


@every_mpi
def test_a_call_is_refused(mpi: MPI) -> None:
    found = runs.run(mpi, [runs.program("failing.c", mpi), "bcast"])
    expected = BCAST.format(procedure="MPI_Bcast", line="29 in broadcast", returned=TRUNCATED)
    assert [found_in(block) for block in found.blocks] == [expected]
    assert (found.status, found.last) == (
        0,
        ["mpipp: 1 error in 2 processes (12 MPI calls checked)"],
    )


@every_mpi
def test_types_that_differ(mpi: MPI) -> None:
    (block,) = runs.run(mpi, [runs.program("failing.c", mpi), "reduce"]).blocks
    assert block.startswith("error: the processes reduce different types, at the first element: ")
    first, second = block.split("  rank ")[1:]
    assert TRUNCATED in first and TRUNCATED not in second


@every_mpi
@pytest.mark.parametrize("how", ["wait", "waitall", *repeated("waitany", "waitsome")])
def test_a_nonblocking_call_fails(mpi: MPI, how: str) -> None:
    found = runs.run(mpi, [runs.program("failing.c", mpi), how])
    expected = BCAST.format(
        procedure="MPI_Ibcast", line="34 in start_broadcast", returned=of_completion(mpi)
    )
    assert [found_in(block) for block in found.blocks] == [expected]


@every_mpi
def test_a_persistent_call_fails(mpi: MPI) -> None:
    if not mpi.has_sessions:
        pytest.skip(f"{mpi.id} has no persistent collective calls")
    (block,) = runs.run(mpi, [runs.program("failing.c", mpi), "persistent"]).blocks
    expected = BCAST.format(
        procedure="MPI_Bcast_init", line="41 in repeat_broadcast", returned=of_completion(mpi)
    )
    assert found_in(block) == expected


@every_mpi
@pytest.mark.parametrize("how", ["twice", "file"])
def test_calls_after_one_that_failed_are_compared(mpi: MPI, how: str) -> None:
    """Calls after a failed one keep their numbers, because all processes took part in the failed
    call."""
    *_, last = runs.run(mpi, [runs.program("failing.c", mpi), how]).blocks
    assert last.startswith("error: the processes reduce different numbers of elements: 2 and 1\n")
    assert "    collective call number 2\n" in last


@every_mpi
def test_a_call_that_one_process_tries_in_vain(mpi: MPI) -> None:
    """MPI rejects the arguments of one process. Other processes wait until this process makes its
    next call, which matches theirs."""
    found = runs.run(mpi, [runs.program("failing.c", mpi), "arguments"])
    (block,) = found.blocks
    assert block.startswith("error: the count -1 of buffer is negative\n")
    assert found.last[:-1] == [NOT_COMPARED]


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
def test_a_call_is_refused_between_nodes(mpi: MPI, tmp_path: Path) -> None:
    found = watched(mpi, tmp_path, "bcast", source="failing.c")
    # The watcher of ranks 2 and 3 has compared them, too.
    (block,) = (one for one in found.blocks if "  rank 0: " in one)
    assert block.startswith("error: 5 elements sent, but only 4 received\n")
    assert TRUNCATED in block.split("  rank 3: ")[1]


FORTRAN = """\
program refused
  use mpi
  implicit none
  integer :: rank, code, values(5)
  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, code)
  call MPI_Bcast(values, 5 - rank, MPI_INTEGER, 0, MPI_COMM_WORLD, code)
  call MPI_Finalize(code)
end program
"""


@every_fortran
def test_a_call_in_fortran_is_refused(mpi: MPI, tmp_path: Path) -> None:
    source = tmp_path / "refused.f90"
    source.write_text(FORTRAN)
    (block,) = runs.run(mpi, [support.compile_program(source, mpi, ("-g",))]).blocks
    assert block.startswith("error: 5 elements sent, but only 4 received\n")
    assert "    called at refused.f90:8" in block and f"    {TRUNCATED}\n" in block


PYTHON = """\
from array import array

from mpi4py import MPI

comm = MPI.COMM_WORLD
mine = array("d" if comm.rank else "f", [1] * 5)
total = None if comm.rank else array("f", [0] * 5)
try:
    comm.Reduce(mine, total, op=MPI.SUM, root=0)
except MPI.Exception:
    pass
"""


@on_mpi("mpich4", "openmpi4", "mpich5", "openmpi5")
def test_a_call_of_mpi4py_is_refused(mpi: MPI, tmp_path: Path) -> None:
    source = tmp_path / "refused.py"
    source.write_text(PYTHON)
    (block,) = runs.run(mpi, [mpi.python, source]).blocks
    assert block.startswith("error: the processes reduce different types, at the first element: ")
    assert "called at refused.py:9" in block and TRUNCATED in block
