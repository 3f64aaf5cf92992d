# SPDX-License-Identifier: MIT
"""Random calls of a watched program. The call filter must clear no wrong call."""

from __future__ import annotations

from pathlib import Path

from tests import support
from tests.analysis import test_mistakes
from tests.watcher import runs

PROCESSES = 2


def run(mpi: support.MPI, seed: int, calls: int) -> runs.Run:
    """A run in which each of two processes makes `calls` calls.

    Calls that the filter clears are still queried, with all pending operations. If the checks find
    an error in such a call, the last lines of the report say so.
    """
    program = runs.program("random_calls.c", mpi, "-ldl")
    preload = f"LD_PRELOAD={mpi.wrapper}:{test_mistakes.hook(mpi)}"
    words: list[str | Path] = ["env", preload, "MPIPP_CALL_FILTER=check", program, str(seed)]
    words += [str(calls), f"{program}.{seed}"]
    return runs.run(mpi, words, "--mpicc", mpi.mpicc, n=PROCESSES)
