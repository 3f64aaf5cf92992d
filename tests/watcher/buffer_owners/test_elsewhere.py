# SPDX-License-Identifier: MIT
"""Small buffers in unmapped memory, and filetypes of other elements than the etype."""

from __future__ import annotations

import re

from tests.support import MPI, on_mpi
from tests.watcher import runs


@on_mpi("mpich4", "openmpi4")
def test_what_lies_elsewhere(mpi: MPI) -> None:
    program = runs.program("elsewhere.c", mpi)
    run = runs.run(mpi, [program], "--check", n=1)
    heads = {re.sub("0x[0-9a-f]+", "ADDRESS", block.partition("\n")[0]) for block in run.blocks}
    assert heads == {
        "error: buffer of MPI_Bcast is a variable, but its datatype has absolute addresses: MPI "
        "would access unmapped memory at ADDRESS",
        "error: (VECTOR)[0][0](INT) of the filetype has 4 bytes, but the etype has 8 bytes",
    }
    assert runs.run(mpi, [program, "fixed"], "--check", n=1).blocks == []
