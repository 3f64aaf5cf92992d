# SPDX-License-Identifier: MIT
"""The system's memory that guards of buffers need, and its release."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support import MPI, on_mpi
from tests.watcher import runs


@on_mpi("mpich4", "openmpi4")
def test_pages_that_are_given_back_are_kept_nowhere(mpi: MPI) -> None:
    program = runs.program("guard_file_size.c", mpi)
    run = runs.run(mpi, [program, "large"], "--check=buffers", n=1)
    assert (run.status, run.output, run.blocks) == (0, "32, then 0\n" * 3, [])


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
def test_buffers_that_are_no_more_take_no_room_from_others(mpi: MPI) -> None:
    program = runs.program("guard_file_size.c", mpi)
    run = runs.run(mpi, [program, "many"], "--check=buffers", n=1)
    assert (run.status, run.output, run.blocks) == (0, "done\n", [])
    (last,) = run.last
    assert last.startswith("mpipp: no errors in 1 process (")


STORE = "error: a store to the buffer of a pending MPI_Issend\n"
CHANGE = "error: the buffer of a pending MPI_Issend was changed\n"
HINDERED = [
    ("row", STORE, []),  # consecutive locked pages form one range
    (
        "held",
        CHANGE,
        ["the pages of buffers, after the program locked or protected more than 256 ranges"],
    ),
    (
        "fork",
        STORE,
        [
            "after fork the child may see later stores of its parent: there was no memory for "
            "copies of guarded pages"
        ],
    ),
    ("file", CHANGE, ["the pages of buffers, after the program closed the file that they map"]),
]


def _is_hindered(mpi: MPI, how: str, found: str, said: list[str]) -> None:
    run = runs.run(mpi, [runs.program("guard_obstacles.c", mpi), how], "--check=buffers", n=1)
    assert (run.status, run.output) == (0, "done\n")
    assert [block.startswith(found) for block in run.blocks] == [True]
    assert run.last[:-1] == [f"mpipp: not checked: {one}" for one in said]


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize(("how", "found", "said"), HINDERED, ids=[one[0] for one in HINDERED])
def test_what_hinders_is_said(mpi: MPI, how: str, found: str, said: list[str]) -> None:
    _is_hindered(mpi, how, found, said)


@on_mpi("mpich4")  # Open MPI 4 supports only some hundred windows
def test_windows_hinder_while_they_are_there(mpi: MPI) -> None:
    said = "the pages of buffers, while more than 256 windows or attached ranges existed"
    _is_hindered(mpi, "windows", STORE, [said])


@on_mpi("mpich4", "openmpi4")
def test_a_loop_over_many_buffers_hides_nothing_else(mpi: MPI) -> None:
    run = runs.run(mpi, [runs.program("guard_obstacles.c", mpi), "touches"], "--check=buffers", n=1)
    assert (run.status, run.output) == (0, "done\n")
    assert [block.startswith(STORE) for block in run.blocks] == [True, True]
    assert len(run.last) == 1


@on_mpi("mpich4", "openmpi4")
def test_the_name_of_a_programs_directory_does_not_matter(mpi: MPI, tmp_path: Path) -> None:
    program = tmp_path / "fullstack" / "hugepages"
    program.parent.mkdir()
    shutil.copy(runs.program("guard_obstacles.c", mpi), program)
    (block,) = runs.run(mpi, [program, "initial"], "--check=buffers", n=1).blocks
    assert block.startswith(STORE)


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("where", ["above", "further"])
def test_a_block_above_other_memory_has_pages(mpi: MPI, where: str) -> None:
    run = runs.run(mpi, [runs.program("above_static.c", mpi), where], "--check=buffers", n=1)
    assert (run.status, run.output) == (0, "done\n")
    assert runs.only(run.blocks).startswith(STORE)


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("how", ["allocates", "forks"])
def test_an_allocator_waits_for_nobody_that_waits_for_it(mpi: MPI, how: str) -> None:
    """System calls and forks take the allocator's and the loader's lock before the guard's."""
    program = runs.program("own_allocator.c", mpi, "-pthread", "-fno-builtin")
    run = runs.run(mpi, [program, *["forks"][: how == "forks"]], "--check=buffers", n=1)
    assert (run.status, run.output, run.blocks) == (0, "done, 0\n", [])
