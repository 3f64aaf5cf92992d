# SPDX-License-Identifier: MIT
"""Provoked runs: persistent receives, collective ones with counts, and partitions."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

from support import MPI, compile_program, on_mpi, shell

PROGRAMS = Path(__file__).resolve().parent / "programs"


def run(mpi: MPI, program: Path, *options: str) -> subprocess.CompletedProcess[str]:
    assert mpi.wrapper  # built before a command says that it does
    env = {name: mpi.env[name] for name in ("LD_LIBRARY_PATH", "MPI4PY_LIBMPI") if name in mpi.env}
    words = ["run", "--mpiexec", shlex.join(mpi.mpiexec), "-n", "2", *options, "--", program]
    return shell(*words, env=env)


def said(before: str, *more: str) -> str:
    cases = ("persistent", "counts", "types", *more)
    told = "".join(f"{case}: {before} before, right then\n" for case in cases)
    return told + ("partitions: fine before, right then\n" if more else "")


@on_mpi("mpich4", "openmpi4", "mpich5", "openmpi5")
def test_what_is_pending_holds_junk_and_partitions_are_late(mpi: MPI) -> None:
    program = compile_program(PROGRAMS / "more_latent.c", mpi)
    more = ("reduction", "changed partitions") if mpi.has_sessions else ()
    usual = run(mpi, program)
    assert (usual.returncode, usual.stdout.startswith(said("fine"))) == (0, True)
    for seed in (1, 6):
        done = run(mpi, program, f"--provoke={seed}")
        assert (done.returncode, done.stdout) == (0, said("junk", *more))


@on_mpi("mpich4", "openmpi4")
def test_threads_that_use_one_window(mpi: MPI) -> None:
    program = compile_program(PROGRAMS / "threads_onesided.c", mpi, ("-g", "-O0", "-pthread"))
    for seed in (1, 2):
        done = run(mpi, program, f"--provoke=rma,{seed}")
        assert (done.returncode, done.stdout) == (0, "fine\n"), done.stderr
