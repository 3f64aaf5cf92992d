# SPDX-License-Identifier: MIT
"""Operations that one place repeats until one of them is wrong.

With `--on-error` a process waits until the watcher has sent it the size of another's window.
"""

from __future__ import annotations

import pytest

from tests.support import MPI, compile_program, on_mpi, program_source
from tests.watcher import runs

SOURCE = program_source("analysis/rma", "repeated_operations.c")
CHANGES = "MPI_Get_accumulate changes the bytes [{}, {}) of the window of rank {}, which has {}"
TOLD = {
    "beyond": CHANGES.format(256, 260, 1, 256),
    "before": CHANGES.format(-4, 0, 1, 256),
    "many": CHANGES.format(248, 264, 1, 256),
    "smaller": CHANGES.format(252, 256, 1, 128),
    "other": CHANGES.format(128, 132, 0, 128),
    "result": "origin_addr and result_addr of MPI_Get_accumulate are the same memory",
}


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("how", TOLD)
def test_one_that_is_wrong_is_told(mpi: MPI, how: str) -> None:
    program = compile_program(SOURCE, mpi)
    found = runs.run(mpi, [program, how], "--check=rma", "--on-error", "handler")
    assert (found.status, found.output) == (0, "done\n")
    lines = runs.only(found.blocks).splitlines()
    assert lines[0] == f"error: {TOLD[how]}"
    if how == "before":
        assert lines[1].endswith(", target_disp = -1 (1 MPI_INT))")


@on_mpi("mpich4", "openmpi4")
def test_those_that_are_right_are_not(mpi: MPI) -> None:
    found = runs.run(mpi, [compile_program(SOURCE, mpi)], "--check=rma", "--on-error", "handler")
    assert (found.status, found.output, found.blocks) == (0, "done\n", [])


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("how", ["apart", "same"])
def test_a_loop_reaches_what_it_reaches(mpi: MPI, how: str) -> None:
    program = compile_program(program_source("analysis/rma", "repeated_puts.c"), mpi, ["-g", "-O1"])
    found = runs.run(mpi, [program, how], "--check=rma")
    assert (found.status, found.output) == (0, "done\n")
    if how == "apart":
        assert found.blocks == []
        return
    lines = runs.only(found.blocks).splitlines()
    assert lines[0] == "error: MPI_Put and MPI_Put write the same memory: data race"
    calls = [line for line in lines if ": MPI_Put(target_rank = 1" in line]
    assert len(calls) == 2 and all("target_disp = 22 (" in line for line in calls)
