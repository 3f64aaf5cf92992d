# SPDX-License-Identifier: MIT
"""MPI_THREAD_MULTIPLE: when gdb interrupts four busy threads at any place, all records are
correct."""

from __future__ import annotations

from pathlib import Path

from tests import support
from tests.faults import faults

TIMES = 100
SCRIPT = Path(__file__).with_name("gdb_interrupts.py")


@support.on_mpi("mpich4", "openmpi4")
def test_four_threads(mpi: support.MPI) -> None:
    program = faults.program("stress.c", mpi)
    commands = [f"source {SCRIPT}", f"python check({TIMES})"]
    output = support.gdb_batch(
        commands, program=program, mpi=mpi, stop=["break run", "run", "delete"]
    )
    assert "wrong:" not in output and "Error" not in output, output
    assert "\ndropped 0\nchecked {" in "\n" + output, output
    for what in ("stride", "component", "size", "request", "locals"):
        assert f"'{what}': " in output, output
