# SPDX-License-Identifier: MIT
"""Random correct programs are perturbed; they check their results themselves.

Programs with threads are also watched, and must get no report.
"""

from __future__ import annotations

import shlex
import subprocess
import sys

from tests.support import MPI, ROOT, clean_environment, compile_program, program_source

PROGRAMS = 100  # programs in a run
_WATCHED = 10  # programs in a watched run
_SOURCES = ROOT / "tests" / "perturb" / "programs"
_THREADS = program_source("analysis/rma", "threads.c")
_LONGEST = 300  # seconds of a run


def run(mpi: MPI, seed: int) -> str:
    """The errors in a hundred one-sided programs, one with threads, and ten watched ones with
    threads.

    Returns "" without an error.
    """
    assert mpi.wrapper  # build the wrapper now: later, the run would print the build
    random = compile_program(_SOURCES / "correct_onesided.c", mpi)
    threads = compile_program(_SOURCES / "threads_onesided.c", mpi, ("-g", "-O0", "-pthread"))
    for words in ([str(random), str(seed + 1), str(PROGRAMS)], [str(threads), "30"]):
        told = _run(mpi, 2, [f"--provoke=rma,{seed}"], words)
        if told:
            return told
    watched = compile_program(_THREADS, mpi, ("-g", "-O1", "-pthread"))
    words = [str(watched), str(seed * _WATCHED), str(_WATCHED)]
    return _run(mpi, 2 + seed % 3, ["--check=rma", "--error-exit", "9"], words)


def _run(mpi: MPI, n: int, how: list[str], program: list[str]) -> str:
    options = ["--mpiexec", shlex.join(mpi.mpiexec), "-n", str(n), *how]
    words = [sys.executable, "-m", "mpipp.cli", "run", *options, "--", *program]
    try:
        done = subprocess.run(
            words,
            env={**clean_environment(PYTHONPATH=str(ROOT)), **mpi.env},
            capture_output=True,
            text=True,
            timeout=_LONGEST,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"{shlex.join(words)} hangs"
    if done.returncode == 0:
        return ""
    return f"{shlex.join(words)} ends with {done.returncode}: {done.stderr[-300:]}"
