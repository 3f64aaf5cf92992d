# SPDX-License-Identifier: MIT
"""Runs with --check=rma with a new MPI library, and with processes that end early."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import MPI, ROOT, compile_program, on_mpi, program_source
from tests.watcher import runs

HERE = Path(__file__).resolve().parent


def told(blocks: list[str]) -> list[str]:
    """The first lines of findings without places, for a comparison with other libraries."""
    return [block.split("\n")[0] for block in blocks]


def expected(name: str) -> list[str]:
    return told((HERE / "expected" / name).read_text().strip("\n").split("\n\n"))


@pytest.mark.thorough
@on_mpi("mpich5", "openmpi5")
def test_conflicts_are_told_with_new_libraries(mpi: MPI) -> None:
    program = compile_program(program_source("analysis/rma", "conflicts.c"), mpi)
    wrong = runs.run(mpi, [program], "--check=rma", n=3)
    assert (wrong.status, wrong.output) == (0, "done\n")
    assert told(wrong.blocks) == expected("conflicts.txt")
    right = runs.run(mpi, [program, "right"], "--check=rma", n=3)
    assert (right.status, right.output, right.blocks) == (0, "done\n", [])


@pytest.mark.thorough
@on_mpi("mpich5", "openmpi5")
def test_the_cases_of_the_paper_with_new_libraries(mpi: MPI, tmp_path: Path) -> None:
    program = runs.compiled(ROOT / "examples" / "cases.c", mpi, tmp_path)
    wrong = runs.run(mpi, [program], "--check=rma", n=3)
    assert (wrong.status, wrong.output) == (0, "")
    assert sorted(told(wrong.blocks)) == sorted(expected("cases.txt"))
    right = runs.run(mpi, [program, "all", "right"], "--check=rma", n=3)
    assert (right.status, right.output, right.blocks) == (0, "", [])


@on_mpi("mpich4", "openmpi4")
def test_what_came_before_the_end_of_a_process_is_told(mpi: MPI) -> None:
    """A process is killed, aborts or exits within an epoch, but its log exists."""
    program = compile_program(program_source("analysis/rma", "end_in_epoch.c"), mpi)
    for how in ("kill", "abort", "exit"):
        run = runs.run(mpi, [program, how], "--check=rma-conflict,rma-epoch")
        assert run.status != 0
        [block] = run.others
        lines = block.split("\n")
        assert lines[0] == "error: MPI_Put and MPI_Put write the same memory: data race"
        places = [
            line.split("called at ")[1] for line in lines if "called at end_in_epoch.c" in line
        ]
        assert places[:2] == 2 * [places[0]]


@on_mpi("mpich4", "openmpi4")
def test_synchronization_that_is_wrong_by_itself(mpi: MPI) -> None:
    """If a library has rejected a call, nothing more is reported about its process."""
    program = compile_program(program_source("analysis/rma", "mistakes.c"), mpi)
    run = runs.run(mpi, [program], "--check=rma")
    assert (run.status, run.output) == (0, "done\n")
    assert sorted(told(run.blocks)) == [
        "error: MPI_MODE_NOPRECEDE is passed, but operations precede",
        "error: MPI_MODE_NOPUT is passed, but the window is updated",
        "error: an operation without an open epoch for its target",
    ]
