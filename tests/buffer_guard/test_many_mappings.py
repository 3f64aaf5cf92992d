# SPDX-License-Identifier: MIT
"""Processes with as many mappings as the system allows, in runs that guard buffers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support import MPI, on_mpi
from tests.watcher import runs

_MOST = Path("/proc/sys/vm/max_map_count")
_USUAL = 65530
pytestmark = pytest.mark.skipif(
    not _MOST.exists() or int(_MOST.read_text()) > _USUAL,
    reason="the system allows a process more mappings than the program makes",
)
CROWDED = re.compile(
    r"mpipp: not checked: the pages of the buffers of (\d+) of (\d+) operations: the limit of "
    r"mappings is reached \(vm\.max_map_count\)"
)


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
def test_sparse_buffers_leave_the_program_its_mappings(mpi: MPI) -> None:
    program = runs.program("many_mappings.c", mpi, "-pthread", "-Wno-stringop-overflow")
    run = runs.run(mpi, [program, "sparse"], "--check=buffers", n=1)
    assert (run.status, run.output, run.blocks) == (0, "done\n", [])
    said = CROWDED.fullmatch(run.last[0])
    assert said and 0 < int(said[1]) < 20 and said[2] == "100", run.last


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
def test_a_process_without_room_for_more_mappings_goes_on(mpi: MPI) -> None:
    program = runs.program("many_mappings.c", mpi, "-pthread", "-Wno-stringop-overflow")
    right = runs.run(mpi, [program, "full"], "--check=buffers", n=1)
    assert (right.status, right.output, right.blocks) == (0, "done\n", [])
    said = CROWDED.fullmatch(right.last[0])
    assert said and 7 <= int(said[1]) <= 14 and said[2] == "28", right.last
    wrong = runs.run(mpi, [program, "wrong"], "--check=buffers", n=1)
    assert (wrong.status, wrong.output) == (0, "done\n")
    (block,) = wrong.blocks
    assert block.startswith(
        "error: a store to the buffer of a pending MPI_Isend\n"
        "  rank 0: stores to buf[1031](DOUBLE), at 0x"
    )
