# SPDX-License-Identifier: MIT
"""Programs of a few processes that say who they are and then wait, for a gdb that attaches."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support import MPI


@contextmanager
def ranks(program: Path, mpi: MPI, *args: str, n: int = 2) -> Iterator[dict[int, int]]:
    """Processes that have begun what they do: their process ids by rank.

    Each prints both on a line.
    """
    words = [*mpi.mpiexec, "-n", str(n), "env", f"LD_PRELOAD={mpi.wrapper}", str(program), *args]
    with subprocess.Popen(words, env=dict(mpi.env), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            lines = [process.stdout.readline().split() for _ in range(n)]
            yield {int(rank): int(pid) for rank, pid in lines}
        finally:
            process.terminate()
