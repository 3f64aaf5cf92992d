# SPDX-License-Identifier: MIT
"""One-sided operations with large counts are watched and perturbed like others."""

from __future__ import annotations

import pytest

from tests.support import MPI, compile_program, on_mpi, program_source
from tests.watcher import runs

SOURCE = program_source("analysis/rma", "large_counts.c")
FORMS = (
    *("Put", "Get", "Accumulate", "Get_accumulate"),
    *("Rput", "Rget", "Raccumulate", "Rget_accumulate"),
)
PENDING = "the same memory: the first is not complete when the second starts"
VERBS = ("write", "read and write", "update and write", "update and write")
# Before the put of 100, the window contains 1, or the result of another operation.
RIGHT = ["rank 0: 44", "rank 1: 872"]


@on_mpi("mpich4")
def test_large_counts_are_watched(mpi: MPI) -> None:
    program = compile_program(SOURCE, mpi)
    wrong = runs.run(mpi, [program, "wrong"], "--check=rma")
    assert wrong.status == 0
    assert [block.split("\n")[0] for block in wrong.blocks] == [
        f"error: MPI_{form}_c and MPI_Put {verb} {PENDING}" for form, verb in zip(FORMS, 2 * VERBS)
    ]
    right = runs.run(mpi, [program], "--check=rma")
    assert (right.status, sorted(right.output.splitlines()), right.blocks) == (0, RIGHT, [])
    assert [line.partition(" (")[0] for line in right.last] == ["mpipp: no errors in 2 processes"]


@pytest.mark.thorough
@on_mpi("mpich4")
def test_large_counts_are_provoked(mpi: MPI) -> None:
    program = compile_program(SOURCE, mpi)
    for rules in ("1", "2,defer=yes,order=reverse", "3,defer=no,split=yes"):
        run = runs.run(mpi, [program], f"--provoke=rma,{rules}")
        assert (run.status, sorted(run.output.splitlines())) == (0, RIGHT)


@pytest.mark.thorough
@on_mpi("mpich4")
def test_operations_of_too_many_pieces_are_counted(mpi: MPI) -> None:
    program = compile_program(program_source("analysis/rma", "pieces.c"), mpi)
    few = runs.run(mpi, [program], "--check=rma")
    assert (few.status, few.output, few.blocks, len(few.last)) == (0, "done\n", [], 1)
    many = runs.run(mpi, [program, "many"], "--check=rma")
    assert (many.status, many.output, many.blocks) == (0, "done\n", [])
    assert many.last[0] == (
        "mpipp: not checked: 2 one-sided operations with datatypes that are unknown or have "
        "more than 16,384 pieces"
    )
