# SPDX-License-Identifier: MIT
"""The cost of the order of threads: a mutex without contention, and OpenMP's barriers."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.table import Figure
from tests.support import MPI, ROOT
from tests.support.environment import BUILD

ROUNDS = 5
_PROGRAM = Path(__file__).resolve().parent / "programs" / "threads.c"
_MOST_ADDED = 30  # nanoseconds for a lock and an unlock
_MOST_RATIO = 1.10


def _compiled(mpi: MPI, compiler: str) -> Path:
    # The program with the OpenMP of a compiler.
    program = BUILD / f"benchmark-threads-{mpi.id}-{compiler}"
    env = {**mpi.env, "MPICH_CC": compiler, "OMPI_CC": compiler}
    words = [mpi.mpicc, "-O2", "-g", "-fopenmp", str(_PROGRAM), "-o", str(program)]
    subprocess.run(words, env=env, check=True)
    return program


def _times(mpi: MPI, words: list[str], program: Path) -> tuple[float, float]:
    # The nanoseconds of a lock and of a barrier.
    env = {**mpi.env, "PYTHONPATH": str(ROOT), "MPIPP_WRAPPER": mpi.wrapper}
    done = subprocess.run(
        [*words, str(program)], env=env, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0 and "error:" not in done.stderr, done.stderr
    lock, barrier = map(float, done.stdout.split())
    return lock, barrier


def figures(mpi: MPI, rounds: int = ROUNDS) -> Iterator[Figure]:
    """The added nanoseconds of a lock, and the ratios of barriers; runs alternate."""
    alone = [*map(str, mpi.mpiexec), "-n", "1"]
    launcher = ["--mpiexec", " ".join(map(str, mpi.mpiexec)), "-n", "1", "--mpicc", str(mpi.mpicc)]
    watched = [sys.executable, "-m", "mpipp.cli", "run", "--check=rma", *launcher, "--"]
    for compiler in filter(shutil.which, ("gcc", "clang")):
        program = _compiled(mpi, compiler)
        runs = [(_times(mpi, alone, program), _times(mpi, watched, program)) for _ in range(rounds)]
        locks, barriers = zip(*(zip(*pair) for pair in runs))
        lock, watched_lock = (min(times) for times in zip(*locks))
        barrier, watched_barrier = (min(times) for times in zip(*barriers))
        name = f"{mpi.id}, {compiler}"
        note = f"{lock:.0f} ns alone"
        yield Figure(f"{name}: a mutex, longer by", watched_lock - lock, _MOST_ADDED, "ns", note)
        note = f"{barrier:.0f} ns alone"
        ratio = watched_barrier / barrier
        yield Figure(f"{name}: a barrier of two OpenMP threads", ratio, _MOST_RATIO, "x", note)
