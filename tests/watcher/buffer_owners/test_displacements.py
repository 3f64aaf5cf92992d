# SPDX-License-Identifier: MIT
"""Displacements that lead before the object at the buffer's address."""

from __future__ import annotations

import pytest

from tests.support import MPI, on_mpi
from tests.watcher import runs

ARGUMENTS = {"c": "sendbuf of MPI_Scatterv", "f90": "recvbuf of MPI_Gatherv"}
OBJECTS = {
    "c": ["guarded (int [8], 32 bytes)", "a block of the heap with 4008 bytes"],
    "f90": ["all (integer(kind=4) (4), 16 bytes)"],
}


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("language", ["c", "f90"])
def test_before(mpi: MPI, language: str) -> None:
    program = runs.program(f"negative_displacements.{language}", mpi)
    blocks = runs.run(mpi, [program], "--check", n=1).blocks
    heads = [block.splitlines()[0] for block in blocks]
    assert heads == [
        f"error: {ARGUMENTS[language]} begins before {name}" for name in OBJECTS[language]
    ]
    assert all(", 4 bytes before the buffer\n" in block for block in blocks)
    assert runs.run(mpi, [program, "fixed"], "--check", n=1).blocks == []
