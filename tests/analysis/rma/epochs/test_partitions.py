# SPDX-License-Identifier: MIT
"""Each partition of a message orders accesses by itself."""

from __future__ import annotations

import re

from tests.support import MPI, compile_program, on_mpi, program_source
from tests.watcher import runs

SOURCE = program_source("analysis/rma", "partitions.c")


@on_mpi("mpich4")
def test_partitions_order_what_was_before_they_were_ready(mpi: MPI) -> None:
    program = compile_program(SOURCE, mpi)
    right = runs.run(mpi, [program], "--check=rma", n=3)
    assert (right.status, right.output, right.blocks) == (0, "done\n", [])
    assert [line.partition(" (")[0] for line in right.last] == ["mpipp: no errors in 3 processes"]
    wrong = runs.run(mpi, [program, "wrong"], "--check=rma", n=3)
    assert [line.partition(" (")[0] for line in wrong.last] == ["mpipp: 5 errors in 3 processes"]
    sides = [re.findall(r"partitions\.c:\d+ in (\w+)", block)[:2] for block in wrong.blocks]
    cases = re.findall(r"^static void (\w+)\(void\)", SOURCE.read_text(), re.M)
    assert sides == [[case, case] for case in cases]
