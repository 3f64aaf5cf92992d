# SPDX-License-Identifier: MIT
"""Accumulates whose elements overlap at other displacements."""

from __future__ import annotations

import re

from tests.support import MPI, compile_program, on_mpi, program_source
from tests.watcher import runs

SOURCE = program_source("analysis/rma", "displaced.c")
RULE = (
    "MPI-4.1, section 12.7: concurrent accumulates that overlap must use the same window, basic "
    "datatype and displacements, and the same operation or MPI_NO_OP"
)
PENDING = "the first is not complete when the second starts"


@on_mpi("mpich4", "openmpi4")
def test_elements_that_begin_within_others_are_told(mpi: MPI) -> None:
    program = compile_program(SOURCE, mpi)
    wrong = runs.run(mpi, [program], "--check=rma", n=3)
    assert (wrong.status, wrong.output) == (0, "done\n")
    assert all(f"  rule: {mpi.cited(RULE)}\n" in f"{block}\n" for block in wrong.blocks)
    told = [
        (
            re.findall(r" the same memory: (.*)", block)[0],
            re.findall(
                r"    (?:updates|reads) (.*?)(?: of rank 1)?, at 0x\w+, (byte \d+) of", block
            ),
        )
        for block in wrong.blocks
    ]
    first, rest = "the bytes [0, 2) of target_disp(INT)", "the bytes [2, 4) of target_disp(INT)"
    unordered = "data race"
    assert sorted(told) == sorted(
        [
            (unordered, [(rest, "byte 2"), (first, "byte 2")]),
            (PENDING, [(rest, "byte 2"), (first, "byte 2")]),
            (unordered, [(rest, "byte 2"), (first, "byte 2")]),
            (
                unordered,
                [
                    ("the bytes [0, 2) of target_disp(HVECTOR)[1][0](INT)", "byte 6"),
                    (rest, "byte 6"),
                ],
            ),
            (PENDING, [("target_disp(INT)", "byte 2"), (rest, "byte 2")]),
            (unordered, [(rest, "byte 4"), (first, "byte 4")]),
        ]
    )
    right = runs.run(mpi, [program, "right"], "--check=rma", n=3)
    assert (right.status, right.output, right.blocks) == (0, "done\n", [])
    assert [line.partition(" (")[0] for line in right.last] == ["mpipp: no errors in 3 processes"]
