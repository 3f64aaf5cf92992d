# SPDX-License-Identifier: MIT
"""The cost of a log of one-sided communication, compared with the program alone.

The figures include the added time of the whole run with its analysis. They also include the cost
with loads and stores of windows, traced by pages, within the budget and without one.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.table import Figure
from tests.support import MPI, ROOT, compile_program

ROUNDS = 9
# Options, and limit of the ratio to the program alone.
_WAYS: dict[str, tuple[Sequence[str], float]] = {
    "logged": ((), 1.10),
    "and loads, 10 percent": (("--rma-loads",), 1.15),
    "and loads, 100 percent": (("--rma-loads", "--budget", "100"), float("inf")),
}
_COVERAGE = re.compile(r"not checked: loads and stores of .* pages of windows.*")
_CALLS = re.compile(r"[\d,]+ calls")
_MOST_WAITED = 30  # seconds for the analysis
_PROGRAM = Path(__file__).resolve().parent / "programs" / "onesided.c"
_KERNELS = {  # text, and iterations
    "stencil": ("stencil by put and fence", 5000),
    "transpose": ("transpose by get and lock_all", 1500),
    "counters": ("counters by fetch_and_op", 200000),
}


class _Run(NamedTuple):
    seconds: float  # seconds of the kernel alone
    checksum: str  # must be equal in all runs
    pages: str  # pages that were not traced
    calls: str
    whole: float  # seconds of the whole run


def _ran(mpi: MPI, options: Sequence[str] | None, command: Sequence[str | Path]) -> _Run:
    words: list[str | Path] = [*mpi.mpiexec, "-n", "2"]
    if options is not None:
        launcher = ["--mpiexec", " ".join(mpi.mpiexec), "-n", "2", "--mpicc", mpi.mpicc]
        start = [sys.executable, "-m", "mpipp.cli", "run", "--check=rma"]
        words = [*start, *options, *launcher, "--"]
    env = {**mpi.env, "PYTHONPATH": str(ROOT), "MPIPP_WRAPPER": mpi.wrapper}
    begun = time.perf_counter()
    done = subprocess.run(
        [*map(str, words), *map(str, command)],
        env=env,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    whole = time.perf_counter() - begun
    assert done.returncode == 0 and "error:" not in done.stderr, done.stderr
    seconds, checksum = done.stdout.split()
    coverage, calls = _COVERAGE.search(done.stderr), _CALLS.search(done.stderr)
    assert bool(coverage) == ("--rma-loads" in (options or ())), done.stderr
    pages = coverage[0] if coverage else ""
    return _Run(float(seconds), checksum, pages, calls[0] if calls else "", whole)


def figures(mpi: MPI, rounds: int = ROUNDS) -> Iterator[Figure]:
    """Ratios of the kernels to the program alone, and the added seconds of the whole run."""
    program = compile_program(_PROGRAM, mpi, ("-O2", "-g"))
    for name, (words, iterations) in _KERNELS.items():
        command: list[str | Path] = [program, name, str(iterations)]
        ways = [None, *(options for options, _ in _WAYS.values())]
        runs = [[_ran(mpi, options, command) for options in ways] for _ in range(rounds)]
        assert len({run.checksum for turn in runs for run in turn}) == 1, runs
        alone, *others = (min(way) for way in zip(*runs))
        for (how, (_, most)), run in zip(_WAYS.items(), others):
            ratio = run.seconds / alone.seconds
            yield Figure(f"{mpi.id}: {words}, {how}", ratio, most, "x", run.pages)
        more = min(turn[1].whole for turn in runs) - min(turn[0].whole for turn in runs)
        yield Figure(
            "... logged, with the analysis, longer by", more, _MOST_WAITED, "s", others[0].calls
        )
