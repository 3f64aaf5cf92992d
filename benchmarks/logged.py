# SPDX-License-Identifier: MIT
"""What it costs to keep a log of one-sided communication, beside the program alone."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.table import Figure
from tests.support import MPI, ROOT, compile_program

ROUNDS = 9
MOST = 1.10
_PROGRAM = Path(__file__).resolve().parent / "programs" / "onesided.c"
_KERNELS = {  # and how often
    "stencil": ("stencil by put and fence", 1000),
    "transpose": ("transpose by get and lock_all", 500),
    "counters": ("counters by fetch_and_op", 50000),
}


def _ran(mpi: MPI, is_logged: bool, command: list[str | Path]) -> tuple[float, str]:
    # Seconds, and a sum that is the same in both.
    words: list[str | Path] = [*mpi.mpiexec, "-n", "2"]
    if is_logged:
        launcher = ["--mpiexec", " ".join(mpi.mpiexec), "-n", "2", "--mpicc", mpi.mpicc]
        words = [sys.executable, "-m", "mpipp.cli", "run", "--check=rma", *launcher, "--"]
    env = {**mpi.env, "PYTHONPATH": str(ROOT), "MPIPP_WRAPPER": mpi.wrapper}
    done = subprocess.run(
        [*map(str, words), *map(str, command)],
        env=env,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0 and "error:" not in done.stderr, done.stderr
    seconds, checksum = done.stdout.split()
    return float(seconds), checksum


def figures(mpi: MPI, rounds: int = ROUNDS) -> Iterator[Figure]:
    """Ratios to the program alone."""
    program = compile_program(_PROGRAM, mpi, ("-O2", "-g"))
    for name, (words, iterations) in _KERNELS.items():
        command: list[str | Path] = [program, name, str(iterations)]
        runs = [
            [_ran(mpi, is_logged, command) for is_logged in (False, True)] for _ in range(rounds)
        ]
        assert len({checksum for pair in runs for _, checksum in pair}) == 1, runs
        alone, logged = (min(pair[how][0] for pair in runs) for how in (0, 1))
        yield Figure(f"{mpi.id}: {words}, logged", logged / alone, MOST, "x")
