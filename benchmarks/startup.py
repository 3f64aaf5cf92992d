# SPDX-License-Identifier: MIT
"""The time that mpipp adds to a run of a tiny program, with wrappers in its installation."""

from __future__ import annotations

import compileall
import ctypes
import os
import resource
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.table import Figure, seconds
from tests.support import MPI, ROOT, compile_program

ROUNDS = 7
_PROGRAM = """\
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}
"""
_PR_SET_CHILD_SUBREAPER = 36


def figures(mpi: MPI) -> Iterator[Figure]:
    """Seconds of the first checked run, and processor seconds that later runs add."""
    program = compile_program(_PROGRAM, mpi)
    alone = [*mpi.mpiexec, "-n", "2", str(program)]
    # Debian's launcher is the default one. Others are in the wheels, and get an option.
    launcher = ["--mpiexec", " ".join(mpi.mpiexec)]
    with tempfile.TemporaryDirectory() as directory:
        site, cache = Path(directory) / "site", Path(directory) / "cache"
        _install(mpi, site)
        env = {**mpi.env, "PYTHONPATH": str(site), "MPIPP_CACHE": str(cache), "MPIPP_CONFIG": ""}

        def words(*options: str) -> list[str]:
            # With -m, Python would load mpipp from the working directory.
            start = [sys.executable, str(site / "mpipp" / "cli" / "__main__.py"), "run"]
            start += [*options, *launcher]
            return [*start, "-n", "2", "--", str(program)]

        first = seconds(lambda: _processor_seconds(words("--check"), env))
        yield Figure(f"{mpi.id}: first checked run of an installed wheel", first, 2, "s")
        plain, recorded, checked = (
            min(_processor_seconds(each, env) for _ in range(ROUNDS))
            for each in (alone, words(), words("--check"))
        )
    note = f"alone {plain:.2f} s"
    yield Figure(f"{mpi.id}: mpipp run of a tiny program adds", recorded - plain, 0.15, "s", note)
    what = f"{mpi.id}: --check of a tiny program adds"
    yield Figure(what, checked - recorded, 0.15, "s", f"all {checked:.2f} s")


def _install(mpi: MPI, site: Path) -> None:
    # A directory for PYTHONPATH with mpipp as a wheel installs it. pip compiles the modules, too.
    without = shutil.ignore_patterns("__pycache__", "_prebuilt")
    shutil.copytree(ROOT / "mpipp", site / "mpipp", ignore=without)
    made = Path(mpi.wrapper)
    to = site / "mpipp" / "_prebuilt" / made.stem.partition("_")[2]
    to.mkdir(parents=True)
    for library in made.parent.glob("*.so"):
        shutil.copy(library, to)
    compileall.compile_dir(site, quiet=2)


def _processor_seconds(words: Sequence[str], env: Mapping[str, str]) -> float:
    """The processor time of a command and of all processes that it leaves, such as the watcher."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    before = _of_children()
    nothing = os.open(os.devnull, os.O_RDWR)
    actions = [(os.POSIX_SPAWN_DUP2, nothing, number) for number in range(3)]
    os.posix_spawnp(words[0], list(words), env, file_actions=actions)
    os.close(nothing)
    try:
        while True:
            os.wait()
    except ChildProcessError:
        return _of_children() - before


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
