# SPDX-License-Identifier: MIT
"""One-sided operations of processes that have spawned others. Debian's MPICH cannot spawn."""

from __future__ import annotations

import re

from tests.support import MPI, compile_program, on_mpi, program_source
from tests.watcher import runs

SOURCE = program_source("analysis/rma", "worlds.c")
SIDE = re.compile(r"  rank (\d): (MPI_\w+)\(target_rank.*\n    called at worlds\.c:\d+ in (\w+)")


@on_mpi("openmpi4", "openmpi5")
def test_what_another_world_may_order_is_not_decided_and_all_else_is(mpi: MPI) -> None:
    program = compile_program(SOURCE, mpi)
    wrong = runs.run(mpi, [program], "--check=rma")
    assert (wrong.status, wrong.output) == (0, "done\n")
    assert [(block.split("\n")[0], SIDE.findall(block)) for block in wrong.blocks] == [
        (
            "error: MPI_Put and MPI_Put write the same memory: data race",
            [("0", "MPI_Put", "puts_of_two"), ("1", "MPI_Put", "puts_of_two")],
        ),
        (
            "error: MPI_Put and MPI_Get write and read the same memory: data race",
            [("0", "MPI_Put", "told_before"), ("1", "MPI_Get", "told_before")],
        ),
    ]
    assert [line.partition(" (")[0] for line in wrong.last[1:]] == [
        "mpipp: 2 errors in 3 processes"
    ]
    assert wrong.last[0] == (
        "mpipp: not checked: 1 possible conflict of one-sided operations: values that processes "
        "read from memory, or messages of another MPI_COMM_WORLD, may order it (the check "
        "rma-possible "
        "shows it)"
    )
    right = runs.run(mpi, [program, "right"], "--check=rma")
    assert (right.status, right.output, right.blocks) == (0, "done\n", [])
    assert [line.partition(" (")[0] for line in right.last] == ["mpipp: no errors in 3 processes"]
