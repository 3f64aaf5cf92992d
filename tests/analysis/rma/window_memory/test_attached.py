# SPDX-License-Identifier: MIT
"""Operations on memory that is certainly not attached to a dynamic window."""

from __future__ import annotations

import re

from tests.support import MPI, compile_program, on_mpi, program_source
from tests.watcher import runs

SOURCE = program_source("analysis/rma", "attached.c")
HEADLINE = "error: an operation on memory that is not attached to its window"
FOUND = {
    "": [],
    "never_attached": [["Put", "put"]],
    "detached_before": [["Put", "put", "Win_detach", "detach"]],
    "attached_after": [["Put", "put"]],
    "attached_in_part": [["Put", "put"]],
    "not_ordered": [],
}


@on_mpi("mpich4")
def test_memory_that_is_not_attached_is_told(mpi: MPI) -> None:
    """MPICH 4 performs an operation on memory that is not attached; other libraries reject it."""
    program = compile_program(SOURCE, mpi)
    for case, expected in FOUND.items():
        run = runs.run(mpi, [program, *[case][: len(case)]], "--check=rma")
        assert (run.status, run.output) == (0, "done\n"), case
        assert all(block.startswith(HEADLINE) for block in run.blocks)
        shown = "".join(run.blocks).count("MPI_Win_detach(base = 0x")
        assert shown == (case == "detached_before")
        sides = [
            re.findall(r"MPI_(\w+)\(.*\n    called at attached\.c:\d+ in (\w+)", block)
            for block in run.blocks
        ]
        assert [[word for side in found for word in side] for found in sides] == expected, case
