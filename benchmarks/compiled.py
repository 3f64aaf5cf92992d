# SPDX-License-Identifier: MIT
"""The cost of programs that `mpipp cc` compiled, compared with the compiler alone."""

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
_WINDOWS = _SOURCE.with_name("onesided.c")
_ON_WINDOWS = {"stencil": 600, "transpose": 300, "counters": 8000}
_AIM_ON_WINDOWS = 1.45
_KERNELS = ("triad", "stencil", "gather", "matmul", "matmul by rows, in caches")
_ROUNDS = 5
_PIN = "SyncChecker, with Pin: 1.3 to 9.5, mean 5.2, as published"
# Limits of the ratio without a pending operation, and with one on other memory.
_AIMS = {"clang": (1.25, 1.5), "gcc": (2.6, 2.6)}


def _compiled(
    mpi: MPI, compiler: str, output: Path, before: Sequence[str], source: Path = _SOURCE
) -> None:
    env = {**mpi.env, "PYTHONPATH": str(ROOT), "MPICH_CC": compiler}
    words = [*before, "-O3", "-g", "-w", str(source), "-o", str(output)]
    subprocess.run(words, env=env, check=True)


def _ran(mpi: MPI, words: Sequence[str], check: str = "", n: int = 1) -> list[float]:
    # The time of each kernel in seconds.
    start = [*mpi.mpiexec, "-n", str(n)]
    if check:
        launcher = ["--mpiexec", " ".join(mpi.mpiexec), "-n", str(n), "--mpicc", mpi.mpicc]
        start = [sys.executable, "-m", "mpipp.cli", "run", f"--check={check}", *launcher, "--"]
    env = {**mpi.env, "PYTHONPATH": str(ROOT), "MPIPP_WRAPPER": mpi.wrapper}
    done = subprocess.run([*start, *words], env=env, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0 and "error:" not in done.stderr, done.stderr
    return [float(word) for word in done.stdout.split()[: len(_KERNELS)]]


def _least(mpi: MPI, ways: dict[str, tuple[list[str], bool]]) -> dict[str, list[float]]:
    # The minimum for each way to run. The ways alternate, so that other load affects all of them.
    least: dict[str, list[float]] = {}
    for _ in range(_ROUNDS):
        for way, (words, watched) in ways.items():
            now = _ran(mpi, words, "buffers" if watched else "")
            least[way] = [min(pair) for pair in zip(least.get(way, now), now)]
    return least


def _one_sided(mpi: MPI, directory: str) -> Iterator[Figure]:
    # Kernels on windows, whose loads and stores are logged.
    programs = [Path(directory, name) for name in ("windows", "looking_at_windows")]
    own = [sys.executable, "-m", "mpipp.cli", "cc", "--mpicc", mpi.mpicc]
    for program, before in zip(programs, ([mpi.mpicc], own)):
        _compiled(mpi, "clang", program, before, _WINDOWS)
    ratios = []
    for kernel, turns in _ON_WINDOWS.items():
        words = [[str(program), kernel, str(turns)] for program in programs]
        least = [float("inf"), float("inf")]
        for _ in range(_ROUNDS):
            for i, check in enumerate(("", "rma")):
                least[i] = min(least[i], _ran(mpi, words[i], check, 2)[0])
        ratios.append(least[1] / least[0])
        yield Figure(f"mpipp cc, clang, --check=rma: {kernel}", ratios[-1], _AIM_ON_WINDOWS, "x")
    yield Figure("mpipp cc, clang, --check=rma: mean", mean(ratios), _AIM_ON_WINDOWS, "x")


def figures() -> Iterator[Figure]:
    """Ratios to the program without checks. Valgrind, which also sees every access, is for
    comparison."""
    mpi = find_mpi("mpich4", patient=False)
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
        if shutil.which("clang"):
            yield from _one_sided(mpi, directory)
        if shutil.which("valgrind") and alone.exists():
            slow = _ran(mpi, ["valgrind", "-q", "--undef-value-errors=no", str(alone)])
            for kernel, one, other in zip(_KERNELS, slow, least["alone"]):
                yield Figure(
                    f"valgrind, for comparison: {kernel}", one / other, float("inf"), "x", _PIN
                )
