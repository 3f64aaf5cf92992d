# SPDX-License-Identifier: MIT
"""What it costs to keep a log of one-sided communication, beside the program alone.

Also with loads and stores of windows, by their pages: as far as the time goes, and all that can be.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.table import Figure
from tests.support import MPI, ROOT, compile_program

ROUNDS = 9
_WAYS: dict[str, tuple[Sequence[str], float]] = {  # beside the program alone: options, at most
    "logged": ((), 1.10),
    "and loads, 10 percent": (("--rma-loads",), 1.15),
    "and loads, 100 percent": (("--rma-loads", "--budget", "100"), float("inf")),
}
_COVERAGE = re.compile(r"not checked: loads and stores of .* pages of windows.*")
_PROGRAM = Path(__file__).resolve().parent / "programs" / "onesided.c"
_KERNELS = {  # and how often
    "stencil": ("stencil by put and fence", 5000),
    "transpose": ("transpose by get and lock_all", 1500),
    "counters": ("counters by fetch_and_op", 200000),
}


def _ran(
    mpi: MPI, options: Sequence[str] | None, command: Sequence[str | Path]
) -> tuple[float, str, str]:
    # Seconds, a sum that is the same in all, and which pages were not looked at.
    words: list[str | Path] = [*mpi.mpiexec, "-n", "2"]
    if options is not None:
        launcher = ["--mpiexec", " ".join(mpi.mpiexec), "-n", "2", "--mpicc", mpi.mpicc]
        start = [sys.executable, "-m", "mpipp.cli", "run", "--check=rma"]
        words = [*start, *options, *launcher, "--"]
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
    coverage = _COVERAGE.search(done.stderr)
    assert bool(coverage) == ("--rma-loads" in (options or ())), done.stderr
    return float(seconds), checksum, coverage[0] if coverage else ""


def figures(mpi: MPI, rounds: int = ROUNDS) -> Iterator[Figure]:
    """Ratios to the program alone."""
    program = compile_program(_PROGRAM, mpi, ("-O2", "-g"))
    for name, (words, iterations) in _KERNELS.items():
        command: list[str | Path] = [program, name, str(iterations)]
        ways = [None, *(options for options, _ in _WAYS.values())]
        runs = [[_ran(mpi, options, command) for options in ways] for _ in range(rounds)]
        assert len({checksum for turn in runs for _, checksum, _ in turn}) == 1, runs
        alone, *others = (min(way) for way in zip(*runs))
        for (how, (_, most)), (seconds, _, pages) in zip(_WAYS.items(), others):
            yield Figure(f"{mpi.id}: {words}, {how}", seconds / alone[0], most, "x", pages)
