# SPDX-License-Identifier: MIT
"""Watched runs, as a user starts them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import NamedTuple

import support

# Percent of the time that guarding buffers may take: on a machine that does much else it would seem
# to take too much.
ALL = "1000"

PROGRAMS = Path(__file__).resolve().parent / "programs"
# What starts a line of the report; launchers write on the same stream.
_OURS = re.compile(r"(error|warning): ")
# Of windows at odd addresses MPICH 4.0 says so: onesided/test_bases.py has that.
BESIDE = "mpipp: not checked: what lies beside "
_LAST = re.compile(r"mpipp: (?!building ).*")


class Run(NamedTuple):
    """What is left of a run."""

    status: int
    output: str
    blocks: list[str]  # of the report, in their order
    last: list[str]  # lines that begin with "mpipp: "


def program(name: str, mpi: support.MPI, *flags: str) -> Path:
    """The program, compiled."""
    return support.compile_program(PROGRAMS / name, mpi, ("-g", "-O0", *flags))


def words(mpi: support.MPI, *options: str, n: int = 2) -> list[str]:
    """The words of a command that watches a program: to be followed by that."""
    budget = ["--budget", ALL] if any("buffers" in one for one in options) else []
    start = ["run", "--check", "--mpiexec", " ".join(mpi.mpiexec), "-n", str(n)]
    return [*start, *budget, *options, "--"]


def run(mpi: support.MPI, command: list[str | Path], *options: str, n: int = 2, **env: str) -> Run:
    """Watch a program."""
    return read(said(mpi, command, *options, n=n, **env))


def said(
    mpi: support.MPI, command: list[str | Path], *options: str, n: int = 2, **env: str
) -> subprocess.CompletedProcess[str]:
    """The same, as it was said."""
    known = {
        name: mpi.env[name] for name in ("LD_LIBRARY_PATH", "MPI4PY_LIBMPI") if name in mpi.env
    }
    return support.shell(*words(mpi, *options, n=n), *command, env={**known, **env})


def read(done: subprocess.CompletedProcess[str]) -> Run:
    """What a run that has ended has said."""
    blocks: list[str] = []
    last: list[str] = []
    inside = False
    for line in done.stderr.splitlines():
        found = _LAST.search(line)  # where a launcher has not ended its line, behind that
        if found:
            last += [found[0]] if BESIDE not in found[0] else []
        elif _OURS.match(line):
            blocks.append(line)
            inside = True
        elif inside and line.startswith("  "):
            blocks[-1] += "\n" + line
        else:
            inside = False
    return Run(done.returncode, done.stdout, blocks, last)


def compiled(source: Path, mpi: support.MPI, directory: Path, *flags: str) -> Path:
    """A program that `mpipp cc` has compiled, or `c++` or `fortran` if it is of that language: with
    Clang, but with GCC for Open MPI 4 and Fortran.
    """
    gcc = mpi.id == "openmpi4"
    command, wrapper, variable, compiler = {
        ".c": ("cc", mpi.mpicc, "CC", "gcc" if gcc else "clang"),
        ".cc": ("c++", mpi.mpicxx, "CXX", "g++" if gcc else "clang++"),
        ".f90": ("fortran", mpi.mpifort, "FC", "gfortran"),
    }[source.suffix]
    known = {key: mpi.env[key] for key in ("LD_LIBRARY_PATH",) if key in mpi.env}
    known.update(dict.fromkeys((f"MPICH_{variable}", f"OMPI_{variable}"), support.need(compiler)))
    program = directory / source.stem
    words: list[str | Path] = [command, "--mpicc", str(wrapper), "-g", "-O2", "-pthread"]
    words += [source, *flags, "-o", program]
    done = support.shell(*words, env=known)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return program
