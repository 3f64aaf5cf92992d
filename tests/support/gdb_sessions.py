# SPDX-License-Identifier: MIT
"""Sessions of real gdb, with mpipp loaded."""

from __future__ import annotations

import os
import re
import subprocess
import sysconfig
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tests.support.commands import LONGEST, finished
from tests.support.environment import BUILD, CACHE, MEASURED, ROOT, clean_environment, need
from tests.support.mpi_builds import MPI
from tests.support.report_text import with_short_points, without_points, without_variables

PRINTERS = ROOT / "mpipp" / "gdb_printers.py"
_MARKER = "---8<---"
# New versions of gdb write this about their own cores, old ones about the kernel's.
_OF_CORES = re.compile(
    r"(?m)^\n?warning: (Section `\.reg-xstate/\d+' in core file too small"
    r"|Unexpected size of section `\.reg-xstate/\d+' in core file)\.\n"
)


def gdb_version() -> tuple[int, ...]:
    """The version of gdb, as (13, 1)."""
    done = subprocess.run([need("gdb"), "--version"], capture_output=True, text=True, check=True)
    return tuple(map(int, done.stdout.splitlines()[0].split()[-1].split(".")[:2]))


def symbols() -> list[str]:
    """gdb settings that select the symbols to read, and cache them.

    They leave out the C library's symbols from debug packages. mpipp does not show them, only some
    machines have them, and they take a fifth of a session's processor time.
    """
    settings = [f"set debug-file-directory {BUILD}/none"]
    if gdb_version() >= (12,):
        settings += [f"set index-cache directory {BUILD}/symbols", "set index-cache enabled on"]
    return settings


def _measuring() -> list[str]:
    # gdb's own Python lacks the module that measures coverage, but can load it from this Python.
    if MEASURED not in os.environ:
        return []
    places = sysconfig.get_path("purelib")
    start = f"sys.path.append({places!r}); import coverage; coverage.process_startup()"
    return [f"python import sys; {start}; sys.path.remove({places!r})"]


def gdb_words(mpi: MPI | None, *, wrapper: bool = True, printers: bool = True) -> list[str]:
    """A gdb command line without any user's settings, with mpipp loaded.

    Args:
        mpi: its wrapper is preloaded into the program that gdb starts.
        wrapper, printers: False to leave one of them out.
    """
    settings = [
        "set width 0",
        "set height 0",
        "set confirm off",
        "set debuginfod enabled off",
        "set print thread-events off",
        f"set auto-load safe-path /usr/lib:/usr/share/gdb:{CACHE}",
    ]
    settings += symbols()
    if mpi and wrapper:
        settings.append(f"set exec-wrapper env LD_PRELOAD={mpi.preload()}")
    settings += _measuring()
    if printers:
        settings.append(f"source {PRINTERS}")
    words = [need("gdb"), "-nx", "-q"]
    for setting in settings:
        words += ["-iex", setting]
    return words


def gdb_batch(
    commands: Sequence[str],
    *,
    program: Path | str | None = None,
    args: Sequence[str] = (),
    mpi: MPI | None = None,
    stop: Sequence[str] = (),
    core: Path | None = None,
    pid: int | None = None,
    cwd: Path | str = "/",
    env: Mapping[str, str] | None = None,
    wrapper: bool = True,
    printers: bool = True,
    timeout: float = LONGEST,
    points: bool = False,
    variables: bool = False,
) -> str:
    """The output of gdb for `commands`, including errors.

    Args:
        stop: commands that lead to the wanted place, whose output is left out. Without a core or a
            process, typically ("break mark", "run").
        core, pid: a core file or a process instead.
        cwd: gdb's directory; by default one without files of mpipp nearby.
        points: whether to keep the source lines before findings, without directories.
        variables: whether to keep the variables of addresses.

    Each command is a word of its own on gdb's command line, so an error does not end the others.
    """
    mpi = mpi and replace(mpi, env={**mpi.env, **(env or {})})
    words = [*gdb_words(mpi, wrapper=wrapper, printers=printers), "-batch"]
    for command in [*stop, f"echo {_MARKER}\\n", *commands]:
        words += ["-ex", command]
    words += _looked_at(program, args, core, pid)
    done = finished(
        words,
        timeout,
        cwd=cwd,
        env=mpi.env if mpi else {**clean_environment(), **(env or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        errors="backslashreplace",
    )
    before, found, after = done.stdout.partition(_MARKER + "\n")
    assert found, f"gdb ended with status {done.returncode} before the commands:\n{before}"
    after = _OF_CORES.sub("", after)
    after = with_short_points(after) if points else without_points(after)
    return after if variables else without_variables(after)


def gdb_batches(
    of: Sequence[tuple[Path, Sequence[str], Sequence[str]]],
    mpi: MPI,
    timeout: float = LONGEST,
    points: bool = False,
    variables: bool = False,
) -> list[str]:
    """Like `gdb_batch`, for several programs in one gdb, which reads the libraries' symbols once.

    Args:
        of: for each program, the commands `stop`, and the commands whose output is returned.
        variables: whether to keep the variables of addresses.
    """
    words: list[str] = []
    for program, stop, commands in of:
        words += [f"file {program}", *stop, f"echo {_MARKER}\\n", *commands]
        words += [f"echo {_MARKER}\\n", "kill", "delete"]
    output = gdb_batch(words, mpi=mpi, timeout=timeout, points=points, variables=variables)
    found = output.split(f"{_MARKER}\n")[1::2]
    assert len(found) == len(of), output
    return found


def _looked_at(
    program: Path | str | None, args: Sequence[str], core: Path | None, pid: int | None
) -> list[str]:
    # The end of gdb's command line.
    words = [] if pid is None else ["-p", str(pid)]
    if core:
        words += [str(program), str(core)]
    elif program:
        words += ["--args", str(program), *args]
    return words


def make_core(program: Path, mpi: MPI, stop: Sequence[str], path: Path) -> Path:
    """Write a core file of the program after the commands `stop`, with gdb's gcore."""
    output = gdb_batch([f"gcore {path}"], program=program, mpi=mpi, stop=stop, printers=False)
    assert path.exists(), output
    return path
