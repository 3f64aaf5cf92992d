# SPDX-License-Identifier: MIT
"""Data that do not fit into a packed buffer."""

from __future__ import annotations

import pytest

from tests.support import MPI, on_mpi
from tests.watcher import runs


def heads(mpi: MPI, name: str, *arguments: str) -> list[str]:
    """The first lines of the blocks of a run."""
    run = runs.run(mpi, [runs.program(name, mpi), *arguments], "--check", n=1)
    return [block.splitlines()[0].partition("error: ")[2] for block in run.blocks]


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize(
    ("how", "text"),
    [
        ("pack", "MPI_Pack packs 800 bytes, but outbuf has only 100 bytes"),
        ("unpack", "MPI_Unpack unpacks 800 bytes, but inbuf has only 100 bytes"),
    ],
)
def test_packed_buffers(mpi: MPI, how: str, text: str) -> None:
    assert text in heads(mpi, "packed.c", how)
    assert heads(mpi, "packed.c") == []
