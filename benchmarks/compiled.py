# SPDX-License-Identifier: MIT
"""What programs cost that mpipp has compiled, beside the same that the compiler alone has."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean

from benchmarks.table import Figure
from tests.support import MPI, ROOT, find_mpi

_SOURCE = Path(__file__).parent / "programs" / "accesses.c"
_KERNELS = ("triad", "stencil", "gather", "matmul", "matmul by rows, in caches")
_ROUNDS = 5
# Nothing pending, and something pending elsewhere.
_AIMS = {"clang": (1.25, 1.5), "gcc": (2.6, 2.6)}


def _compiled(mpi: MPI, compiler: str, output: Path, before: Sequence[str]) -> None:
    env = {**mpi.env, "PYTHONPATH": str(ROOT), "MPICH_CC": compiler}
    words = [*before, "-O3", "-g", "-w", str(_SOURCE), "-o", str(output)]
    subprocess.run(words, env=env, check=True)


def _ran(mpi: MPI, words: Sequence[str], watched: bool = False) -> list[float]:
    # Milliseconds of each kernel.
    start = [*mpi.mpiexec, "-n", "1"]
    if watched:
        launcher = ["--mpiexec", " ".join(mpi.mpiexec), "-n", "1", "--mpicc", mpi.mpicc]
        start = [sys.executable, "-m", "mpipp.cli", "run", "--check=buffers", *launcher, "--"]
    env = {**mpi.env, "PYTHONPATH": str(ROOT), "MPIPP_WRAPPER": mpi.wrapper}
    done = subprocess.run([*start, *words], env=env, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0 and "error:" not in done.stderr, done.stderr
    return [float(word) for word in done.stdout.split()[: len(_KERNELS)]]


def _least(mpi: MPI, ways: dict[str, tuple[list[str], bool]]) -> dict[str, list[float]]:
    # Of runs in turn.
    least: dict[str, list[float]] = {}
    for _ in range(_ROUNDS):
        for way, (words, watched) in ways.items():
            now = _ran(mpi, words, watched)
            least[way] = [min(pair) for pair in zip(least.get(way, now), now)]
    return least


def figures() -> Iterator[Figure]:
    """Ratios to the program without; Valgrind's beside them, which sees every access, too."""
    mpi = find_mpi("mpich4")
    with tempfile.TemporaryDirectory() as directory:
        for compiler, aims in _AIMS.items():
            if not shutil.which(compiler):
                continue
            alone, looking = Path(directory, "alone"), Path(directory, "looking")
            _compiled(mpi, compiler, alone, [mpi.mpicc])
            own = [sys.executable, "-m", "mpipp.cli", "cc", "--mpicc", mpi.mpicc]
            _compiled(mpi, compiler, looking, own)
            least = _least(
                mpi,
                {
                    "alone": ([str(alone)], False),
                    "nothing pending": ([str(looking)], True),
                    "pending elsewhere": ([str(looking), "pending"], True),
                },
            )
            for way, aim in zip(("nothing pending", "pending elsewhere"), aims):
                ratios = [a / b for a, b in zip(least[way], least["alone"])]
                for kernel, ratio in zip(_KERNELS, ratios):
                    yield Figure(f"mpipp cc, {compiler}, {way}: {kernel}", ratio, aim, "x")
                yield Figure(f"mpipp cc, {compiler}, {way}: mean", mean(ratios), aim, "x")
        if shutil.which("valgrind") and alone.exists():
            slow = _ran(mpi, ["valgrind", "-q", "--undef-value-errors=no", str(alone)])
            for kernel, one, other in zip(_KERNELS, slow, least["alone"]):
                yield Figure(f"valgrind, for comparison: {kernel}", one / other, float("inf"), "x")
