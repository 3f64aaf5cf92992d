# SPDX-License-Identifier: MIT
"""Watched runs, started as a user starts them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests import support

# Percent of the time for guarding buffers: no limit. On a busy machine, the time of other programs
# would count as time for guards.
ALL = "100000"

# Starts of report lines. Launchers write to the same stream.
_OURS = re.compile(r"(error|warning|remark): ")
# The watcher may print these remarks on a busy machine, for a hang that may still end.
_STANDS = re.compile(r"remark: (no MPI call has begun or returned|no progress|possible deadlock)")
# MPICH 4.0 causes this line for windows at odd addresses: analysis/rma/test_bases.py tests it.
BESIDE = "mpipp: not checked: memory beside "
_ENDS = re.compile(
    r"\w+: (a process has|\d+ processes have) "
    r"(died|been ended|ended without|ended in a call|called MPI_Abort)"
)
_LAST = re.compile(r"mpipp: (?!building |built ).*")


# True if the system reports how a process that is not a child has ended
# (mpipp/watcher/processes/exit_status.py).
TELLS_ENDINGS = tuple(map(int, os.uname().release.split("-")[0].split(".")[:2])) >= (6, 15)


def how(ending: str) -> str:
    """The cause of a process's death, as far as the system reports it: "by SIGKILL"."""
    return ending if TELLS_ENDINGS else "by a signal or _exit"


_REPEATED = "mpipp: also in "  # a block with further ranks


def repeated(done: subprocess.CompletedProcess[str]) -> list[str]:
    """The lines with the other ranks of a finding."""
    return [line for line in done.stderr.splitlines() if line.startswith(_REPEATED)]


class Run(NamedTuple):
    """The results of a run."""

    status: int
    output: str
    blocks: list[str]  # blocks of the report, in order
    last: list[str]  # lines that begin with "mpipp: "

    @property
    def others(self) -> list[str]:
        """The blocks except those about ends of processes, which every selection of
        checks reports."""
        return [block for block in self.blocks if not _ENDS.match(block)]


def program_source(name: str) -> Path:
    """The file or folder of that name, in one of the folders of the watcher's test programs."""
    return support.program_source("watcher", name)


def program(name: str, mpi: support.MPI, *flags: str) -> Path:
    """The compiled program."""
    return support.compile_program(program_source(name), mpi, ("-g", "-O0", *flags))


def words(mpi: support.MPI, *options: str, n: int = 2) -> list[str]:
    """A command that watches a program, without the program."""
    budget = ["--budget", ALL] if any("buffers" in one for one in options) else []
    # Most test programs pass any variable as a buffer of any type, so variables are not checked.
    start = ["run", "--check=fast", "--mpiexec", " ".join(mpi.mpiexec), "-n", str(n)]
    return [*start, *budget, *options, "--"]


def run(mpi: support.MPI, command: list[str | Path], *options: str, n: int = 2, **env: str) -> Run:
    """Watch a program."""
    return read(said(mpi, command, *options, n=n, **env))


def run_with_queries(
    mpi: support.MPI, command: list[str | Path], *options: str, n: int = 2, **env: str
) -> tuple[Run, int]:
    """Watch a program. Returns also the number of queries."""
    with tempfile.TemporaryDirectory() as directory:
        found = run(mpi, command, *options, "--report", directory, n=n, **env)
        return found, json.loads((Path(directory) / "findings.json").read_text())["queries"]


def said(
    mpi: support.MPI, command: list[str | Path], *options: str, n: int = 2, **env: str
) -> subprocess.CompletedProcess[str]:
    """Watch a program, and return its raw output."""
    known = {
        name: mpi.env[name] for name in ("LD_LIBRARY_PATH", "MPI4PY_LIBMPI") if name in mpi.env
    }
    return support.shell(*words(mpi, *options, n=n), *command, env={**known, **env})


def started(
    command: Sequence[str | Path], mpi: support.MPI, *, before: Sequence[str] = ()
) -> subprocess.Popen[str]:
    """Start `mpipp` with these words, in a session of its own."""
    return subprocess.Popen(
        [*before, sys.executable, "-m", "mpipp.cli", *map(str, command)],
        env={**mpi.env, "PYTHONPATH": str(support.ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def until(run: subprocess.Popen[str], what: str, times: int = 1) -> str:
    """The output of a run, up to the line in which `what` occurs for the `times`-th time."""
    assert run.stderr is not None
    said = ""
    try:
        while said.count(what) < times:
            line = run.stderr.readline()
            assert line, f"it has ended without {what!r}:\n{said}"
            said += line
    except BaseException:  # the run takes too long
        support.end(run)
        raise
    return said


def ended(run: subprocess.Popen[str], said: str = "") -> subprocess.CompletedProcess[str]:
    """Wait for the end of a run. The result includes its output so far."""
    assert run.stdout is not None and run.stderr is not None
    if run.stdin is not None:
        run.stdin.close()
    try:
        # communicate() would lose text that `said` has read ahead.
        said += run.stderr.read()
        output = run.stdout.read()
        run.wait()
    except BaseException:  # the run takes too long
        support.end(run)
        raise
    return subprocess.CompletedProcess([], run.returncode, output, said)


def went_on(run: subprocess.Popen[str], said: str) -> subprocess.CompletedProcess[str]:
    """Continue a run that waits for input, and wait for its end. The result includes its output so
    far."""
    assert run.stdin is not None
    run.stdin.write("\n")
    run.stdin.flush()
    return ended(run, said)


def read(done: subprocess.CompletedProcess[str]) -> Run:
    """Parse the output of a run that has ended."""
    blocks: list[str] = []
    last: list[str] = []
    inside = False
    for line in support.without_points(done.stderr.replace("\0", "")).splitlines():
        found = _LAST.search(line)  # the launcher may not have ended its line
        if found and found[0].startswith(_REPEATED):
            continue
        if found:
            last += [found[0]] if BESIDE not in found[0] else []
        elif _OURS.match(line) and not _STANDS.match(line):
            blocks.append(line)
            inside = True
        elif inside and line.startswith("  "):
            blocks[-1] += "\n" + line
        else:
            inside = False
    return Run(done.returncode, done.stdout, blocks, last)


def only(found: list[str]) -> str:
    """The only block, or last line. With others, the test fails and shows all of them."""
    assert len(found) == 1, found
    return found[0]


def compiled(
    source: Path, mpi: support.MPI, directory: Path, *flags: str, gcc: bool | None = None
) -> Path:
    """A program that `mpipp cc`, `c++` or `fortran` has compiled, by its language.

    It uses GCC for Open MPI 4 and Fortran, else Clang; `gcc` selects one of them for C and C++.
    """
    gcc = mpi.id == "openmpi4" if gcc is None else gcc
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
