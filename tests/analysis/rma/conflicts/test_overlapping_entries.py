# SPDX-License-Identifier: MIT
"""Operations that write the same bytes twice."""

from __future__ import annotations

import re

from tests.support import MPI, compile_program, on_mpi, program_source
from tests.watcher import runs

SOURCE = program_source("analysis/rma", "overlapping_entries.c")
FIRST = [
    "error: an operation writes the same memory twice",
    "  rank 0: MPI_Put(target_rank = 1, origin_addr = 0x... (4 MPI_INT), target_disp = 0 "
    "(1 VECTOR[2, 2, 1]))",
    "    called at overlapping_entries.c:13 in put",
    "  rule: MPI-4.1, section 12.3: the target datatype of a one-sided operation that writes must "
    "not have overlapping entries",
    "  to do: give every element its own bytes: compare the stride, displacements and extent of "
    "the datatype with the size of the repeated elements",
]


@on_mpi("mpich4", "openmpi4")
def test_datatypes_of_what_is_written_overlap_nowhere(mpi: MPI) -> None:
    program = compile_program(SOURCE, mpi)
    wrong = runs.run(mpi, [program], "--check=rma-conflict,rma-epoch")
    assert (wrong.status, wrong.output) == (0, "done\n")
    blocks = [re.sub(r"0x[0-9a-f]+", "0x...", block) for block in wrong.blocks]
    assert blocks[0].splitlines() == [mpi.cited(line) for line in FIRST]
    assert [
        re.findall(r"called at overlapping_entries\.c:\d+ in (\w+)", block) for block in blocks
    ] == [
        ["put"],
        ["accumulate"],
    ]
    # For local buffers, the check "overlap" reports the error. Each error is reported once.
    every = runs.run(mpi, [program], "--check=overlap,rma")
    assert sorted(
        re.findall(r"called at overlapping_entries\.c:\d+ in (\w+)", "".join(every.blocks))
    ) == [
        "accumulate",
        "get",
        "get_accumulate",
        "put",
    ]
    right = runs.run(mpi, [program, "right"], "--check=overlap,rma")
    assert (right.status, right.output, right.blocks) == (0, "done\n", [])
    assert [line.partition(" (")[0] for line in right.last] == ["mpipp: no errors in 2 processes"]
