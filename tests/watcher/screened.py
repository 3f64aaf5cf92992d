# SPDX-License-Identifier: MIT
"""Random calls of a watched program, of which its screens must clear none that is wrong."""

from __future__ import annotations

from pathlib import Path

from tests import support
from tests.analysis import test_mistakes
from tests.watcher import runs

PROCESSES = 2


def run(mpi: support.MPI, seed: int, calls: int) -> runs.Run:
    """A run in which each of two processes makes so many calls.

    What the screens clear is asked about all the same, with all that is pending. Where the checks
    find something wrong with it, the report's last lines say so.
    """
    program = runs.program("random_calls.c", mpi, "-ldl")
    preload = f"LD_PRELOAD={mpi.wrapper}:{test_mistakes.hook(mpi)}"
    words: list[str | Path] = ["env", preload, "MPIPP_SCREENS=check", program, str(seed)]
    words += [str(calls), f"{program}.{seed}"]
    return runs.run(mpi, words, "--mpicc", mpi.mpicc, n=PROCESSES)
