# SPDX-License-Identifier: MIT
"""A watched run with a finding between two processes, and one in a library."""

from __future__ import annotations

import functools
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

from tests import support

PROGRAMS = Path(__file__).resolve().parent / "programs"


class Reported(NamedTuple):
    """The results of a run."""

    done: subprocess.CompletedProcess[str]
    directory: Path  # working directory of the run
    report: Path


def watched(mpi: support.MPI, directory: Path, *options: str) -> Reported:
    """Run programs/wrong.c watched, with two processes, in a new directory."""
    flags = ("-g", "-O0")
    library = support.compile_program(PROGRAMS / "grid.c", mpi, (*flags, "-shared", "-fPIC"))
    shutil.copy(library, directory / "libgrid.so")
    program = support.compile_program(PROGRAMS / "wrong.c", mpi, (*flags, "-ldl"))
    shutil.copy(program, directory / "wrong")
    words = ["run", "--check=fast", "--report", "report", *options]
    words += ["--mpiexec", " ".join(mpi.mpiexec), "-n", "2", "--", "./wrong", "./libgrid.so"]
    known = {
        name: mpi.env[name] for name in ("LD_LIBRARY_PATH", "MPI4PY_LIBMPI") if name in mpi.env
    }
    done = support.shell(*words, env=known, cwd=directory)
    return Reported(done, directory, directory / "report")


@functools.cache
def once(mpi_id: str) -> Reported:
    """The run, made once for all tests of a worker, and kept until the worker ends."""
    kept = tempfile.TemporaryDirectory(prefix="mpipp-report-")
    _KEPT.append(kept)
    return watched(support.find_mpi(mpi_id), Path(kept.name))


_KEPT: list[tempfile.TemporaryDirectory[str]] = []


def asked(run: Reported, *words: str) -> str:
    """The output of `mpipp report`."""
    done = support.shell("report", run.report, *words)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout
