# SPDX-License-Identifier: MIT
"""The cost of guarding the buffers of pending operations, compared with the program alone."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.table import Figure
from benchmarks.watched import ALONE, KERNELS, PROGRAMS, kernel
from mpipp.common import run_directory
from tests.support import MPI, ROOT, compile_program

GUARDED = "guarded"
ROUNDS = 9
# Iterations, for about 0.3 s with two processes, and the limit of the ratio.
_HALOS = {
    "halorows": ("halo of rows, 8 MB", 150, 1.08),
    "halocolumns": ("halo of columns, 8 MB", 150, 1.3),
    "halosmall": ("halo of 2 kB", 8000, 1.3),
}
_WAYS = {
    "pages": "by pages",
    "compared": "by comparison",
    "skipped": "over budget",
    "nothing": "not at all",
}
_SIZES = {64: 20000, 65536: 5000, 1 << 20: 500}  # bytes of a message, and number of messages


def _ran(mpi: MPI, how: str, command: Sequence[str | Path], n: int, *options: str) -> list[str]:
    # The words that the program prints. It must succeed, without findings.
    words = [*mpi.mpiexec, "-n", str(n)]
    if how == GUARDED:
        launcher = ["--mpiexec", " ".join(mpi.mpiexec), "-n", str(n), "--mpicc", mpi.mpicc]
        run = [sys.executable, "-m", "mpipp.cli", "run", "--check=buffers"]
        words = [*run, *options, *launcher, "--"]
    env = {**mpi.env, "PYTHONPATH": str(ROOT), "MPIPP_WRAPPER": mpi.wrapper}
    done = subprocess.run(
        [*words, *map(str, command)], env=env, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0 and "error:" not in done.stderr, done.stderr
    return done.stdout.split()


def _least(mpi: MPI, command: Sequence[str | Path], n: int, rounds: int) -> dict[str, float]:
    # Minimum seconds. The ways to run alternate, and must have the same results.
    least: dict[str, float] = {}
    sums = set()
    for _ in range(rounds):
        for how in (ALONE, GUARDED):
            seconds, checksum = _ran(mpi, how, command, n)
            least[how] = min(least.get(how, 1e9), float(seconds))
            sums.add(checksum)
    assert len(sums) == 1, f"{command[0]}: {sums}"
    return least


def _looked(mpi: MPI, command: Sequence[str | Path], n: int) -> str:
    # The guard coverage of a run, as shares of all operations.
    with tempfile.TemporaryDirectory() as report:
        _ran(mpi, GUARDED, command, n, "--report", report)
        rows = json.loads((Path(report) / run_directory.DATA).read_text())["guarded"]
    counts = {name: sum(row[key] for row in rows) for key, name in _WAYS.items()}
    every = sum(counts.values())
    return ", ".join(
        f"{name} {100 * count / every:.0f} %" for name, count in counts.items() if count
    )


def figures(mpi: MPI, rounds: int = ROUNDS) -> Iterator[Figure]:
    """Ratios to the program alone; for messages to itself the added microseconds."""
    for name, (words, iterations, most) in _HALOS.items():
        command: list[str | Path] = [kernel(mpi, name), str(iterations)]
        least = _least(mpi, command, 2, rounds)
        ratio, note = least[GUARDED] / least[ALONE], _looked(mpi, command, 2)
        yield Figure(f"{mpi.id}: {words}, guarded", ratio, most, "x", note)
    ratios = []
    for name, iterations in KERNELS.items():
        least = _least(mpi, [kernel(mpi, name), str(iterations)], 2, rounds)
        ratios.append(least[GUARDED] / least[ALONE])
        yield Figure(f"{mpi.id}: {name}, guarded", ratios[-1], 1.5, "x")
    mean = sum(ratios) / len(ratios)
    yield Figure(f"{mpi.id}: mean of the kernels, guarded", mean, 1.1, "x")
    pings = compile_program(PROGRAMS / "pings.c", mpi, ("-O2", "-w"))
    for size, count in _SIZES.items():
        least = _least(mpi, [pings, str(size), str(count)], 1, rounds)
        added = (least[GUARDED] - least[ALONE]) / count * 1e6
        note = f"{least[ALONE] / count * 1e6:.3g} us alone"
        yield Figure(f"{mpi.id}: self, {size} bytes, added", added, float("inf"), "us", note)
