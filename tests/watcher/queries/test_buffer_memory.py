# SPDX-License-Identifier: MIT
"""Large buffers that extend into unmapped memory."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import support
from tests.support import MPI
from tests.watcher import runs

WRITES = {
    "plain": "(1048576 MPI_INT)|buf[524288](INT)",
    "again": "(1048576 MPI_INT)|buf[524288](INT)",
    "combined": "(2 CONTIGUOUS[524288])|buf[1](CONTIGUOUS)[0](INT)",
}
STANDARDS = {"mpich4": "MPI-4.0, section 5.1.12", "openmpi4": "MPI-3.1, section 4.1.12"}


@support.on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("how", WRITES)
def test_it_is_told_what_there_is_no_memory_for(mpi: MPI, how: str) -> None:
    """Nothing is written there, because less data arrives than the call allows."""
    command: list[str | Path] = [runs.program("oversized_receives.c", mpi), how]
    found, queries = runs.run_with_queries(mpi, command, "--check=memory")
    assert (found.status, found.output.count("received")) == (0, 2)
    buffer, element = WRITES[how].split("|")
    call = f'MPI_Recv(source = 0, tag = 0, comm = "MPI_COMM_SELF", buf = ADDRESS {buffer})'
    assert re.sub("0x[0-9a-f]+", "ADDRESS", runs.only(found.blocks)).splitlines() == [
        "error: buf of MPI_Recv extends into unmapped memory at ADDRESS",
        f"  ranks 0 and 1: {call}",
        "    called at oversized_receives.c:21 in receive",
        f"    writes {element}",
        "  shown as in rank 0",
        f"  rule: {STANDARDS[mpi.id]}: a buffer must lie in mapped memory of the process",
        "  to do: compare the address, the count and the datatype's extent with the allocated "
        "memory",
    ]
    assert runs.only(found.last).startswith("mpipp: 1 error in 2 processes (")
    assert queries == 2


@support.on_mpi("mpich4", "openmpi4", "mpich5", "openmpi5")
def test_what_is_right_is_not_told(mpi: MPI) -> None:
    """Correct are also holes of a datatype, a new part of the stack, and memory that is protected
    now."""
    found = runs.run(mpi, [runs.program("oversized_receives.c", mpi), "all", "right"])
    assert (found.status, found.blocks) == (0, [])
    assert found.output.count("received") == 2
    assert re.fullmatch(r"mpipp: no errors in 2 processes \(.*", runs.only(found.last))
