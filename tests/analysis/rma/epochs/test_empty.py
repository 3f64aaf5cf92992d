# SPDX-License-Identifier: MIT
"""Collective calls without data order nothing. A wrong MPI_MODE_NOSTORE is reported."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support import MPI, compile_program, on_mpi, program_source
from tests.watcher import runs


@on_mpi("mpich4", "openmpi4")
def test_collective_calls_without_data_order_nothing(mpi: MPI) -> None:
    source = program_source("analysis/rma", "empty_collectives.c")
    program = compile_program(source, mpi)
    right = runs.run(mpi, [program], "--check=rma", n=3)
    assert (right.status, right.output, right.blocks) == (0, "done\n", [])
    assert [line.partition(" (")[0] for line in right.last] == ["mpipp: no errors in 3 processes"]
    wrong = runs.run(mpi, [program, "wrong"], "--check=rma", n=3)
    found = [re.findall(r"empty_collectives\.c:\d+ in (\w+)", block)[:2] for block in wrong.blocks]
    cases = re.findall(r"^BETWEEN\((\w+),", source.read_text(), re.M)
    assert sorted(found) == sorted([case, case] for case in cases)


@on_mpi("mpich4", "openmpi4")
def test_an_assertion_that_nothing_was_stored_is_compared_with_stores(
    mpi: MPI, tmp_path: Path
) -> None:
    program = runs.compiled(program_source("analysis/rma", "nostore.c"), mpi, tmp_path)
    wrong = runs.run(mpi, [program], "--check=rma")
    headline = "error: MPI_MODE_NOSTORE is passed, but the window was stored to"
    assert [block.split("\n")[0] for block in wrong.blocks] == [headline] * 2
    found = [re.findall(r"at nostore\.c:\d+ in (\w+)", block) for block in wrong.blocks]
    assert found == [["a_fence", "a_fence"], ["an_exposure", "an_exposure"]]
    right = runs.run(mpi, [program, "right"], "--check=rma")
    assert (right.status, right.output, right.blocks) == (0, "done\n", [])
    assert [line.partition(" (")[0] for line in right.last] == ["mpipp: no errors in 2 processes"]
