# SPDX-License-Identifier: MIT
"""`mpipp doctor`: what is on this machine, what is missing, and what to do about it."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mpipp.common.cache import cache_directory, trusted
from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain
from mpipp.toolchain import mpi_libraries as mpis
from mpipp.toolchain import run_launcher
from mpipp.toolchain.build_wrapper import library_path
from mpipp.toolchain.mpi_libraries import Mpi
from mpipp.toolchain.program_mpi import inspect

_OLDEST_PYTHON = (3, 9)
# In the pattern of core files: the number of the process or thread.
_NUMBERED = re.compile(r"(?<!%)(%%)*%[pPiI]")


@dataclass
class _Report:
    # rows: (what, what was found). advice: one sentence each, about what is missing.
    rows: list[tuple[str, str]] = field(default_factory=list)
    advice: list[str] = field(default_factory=list)
    works: bool = True

    def row(self, what: str, found: str) -> None:
        self.rows.append((what, found))

    def hint(self, sentence: str) -> None:
        self.advice.append(sentence)

    def fail(self, sentence: str) -> None:
        # Without this a first `mpipp gdb` would not work.
        self.hint(sentence)
        self.works = False


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`mpipp doctor` has no options."""


def run(arguments: argparse.Namespace) -> int:
    """Print what was found; returns 0 if a first `mpipp gdb` would work, else 2."""
    report = _Report()
    _gdb(report)
    _every_mpi(report)
    _cache(report)
    _mpi4py(report)
    _core_files(report)
    _attach(report)
    width = max(len(what) for what, _ in report.rows)
    for what, found in report.rows:
        print(plain(f"{what:{width}}  {found}"))
    if report.advice:
        print()
    for sentence in report.advice:
        print(plain(f"- {sentence}"))
    return 0 if report.works else 2


def _gdb(report: _Report) -> None:
    gdb = shutil.which("gdb")
    if gdb is None:
        report.row("gdb", "not found")
        report.fail("gdb: install it (Debian: gdb)")
        return
    ask = "python import sys; print('Python', sys.version.split()[0])"
    words = [gdb, "-nx", "-q", "-batch", "-ex", "show version", "-ex", ask]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    version = re.search(r"^GNU gdb .*?([\d.]+)$", done.stdout, re.MULTILINE)
    python = re.search(r"^Python (\d+)\.(\d+)\S*$", done.stdout, re.MULTILINE)
    found = version[1] if version else "of unknown version"
    report.row("gdb", f"{found}, {python[0] if python else 'without Python'}, {gdb}")
    if python is None or (int(python[1]), int(python[2])) < _OLDEST_PYTHON:
        report.fail("gdb: mpipp needs a gdb with Python 3.9 or newer, build or install one")


def _every_mpi(report: _Report) -> None:
    found: dict[tuple[str, tuple[str, ...]], Mpi] = {}
    chosen = os.environ.get("MPICC")
    if chosen and shutil.which(chosen) is None:
        report.hint(f"MPI: MPICC names {chosen}, which is not there: set it to an MPI compiler")
    unusable: dict[str, MpippError] = {}
    for path in mpis.installed():
        try:
            mpi = mpis.probe(path)
        except MpippError as error:
            unusable.setdefault(mpis.own_name(path), error)
            continue
        # One installation has several names on PATH.
        found.setdefault((mpi.name, mpi.flags), mpi)
    for mpi in found.values():
        _one_mpi(report, mpi)
    _unusable(report, unusable)
    if unusable and not found:
        report.works = False  # and it is said why
    elif not found:
        report.row("MPI", "not found")
        report.fail(
            "MPI: put an mpicc on PATH or name it in MPICC (Debian: libmpich-dev or libopenmpi-dev)"
        )


def _unusable(report: _Report, errors: Mapping[str, MpippError]) -> None:
    # By path. What several lack is said once.
    lacking: dict[str, list[str]] = {}
    for path, error in errors.items():
        report.row("MPI", f"unusable, {path}")
        if isinstance(error, mpis.NoCompiler):
            lacking.setdefault(error.compiler, []).append(path)
        else:
            report.hint(f"MPI: {error}")
    for compiler, paths in lacking.items():
        call = "calls" if len(paths) == 1 else "call"
        report.hint(
            f"MPI: {' and '.join(paths)} {call} the C compiler {compiler}, which is not there: "
            "install it (Debian: gcc)"
        )


def _one_mpi(report: _Report, mpi: Mpi) -> None:
    report.row("MPI", f"{mpi.name}, {mpi.mpicc}")
    try:
        report.row("  mpiexec", run_launcher.of(mpi))
    except MpippError as error:
        report.row("  mpiexec", "not found")
        report.hint(f"{mpi.name}: {error}")
    report.row("  C compiler", mpi.compiler)
    try:
        library = library_path(mpi)
    except MpippError as error:
        report.row("  wrapper", "cannot be built")
        report.fail(f"{mpi.name}: {error}")
        return
    if library.exists():
        report.row("  wrapper", str(library))
        return
    report.row("  wrapper", "not built yet, the first mpipp gdb or mpipp run does it")
    cache = library.parent.parent
    if not _can_be_written(cache):
        report.fail(
            f"{mpi.name}: the cache directory {cache} cannot be written, "
            "set MPIPP_CACHE to one that can"
        )


def _cache(report: _Report) -> None:
    # That there is none is said with each MPI.
    with contextlib.suppress(MpippError):
        path, problem = trusted()
        if problem:
            report.hint(
                f"cache directory: {path}, which other nodes may not see, and not "
                f"{cache_directory()}: {problem}"
            )


def _can_be_written(directory: Path) -> bool:
    while not directory.exists() and directory != directory.parent:
        directory = directory.parent
    return directory.is_dir() and os.access(directory, os.W_OK | os.X_OK)


def _mpi4py(report: _Report) -> None:
    python = shutil.which("python3") or sys.executable
    try:
        report.row("mpi4py", f"uses {inspect(python).library}, {python}")
    except MpippError:
        report.row("mpi4py", f"none in {python}")


def _core_files(report: _Report) -> None:
    try:
        pattern = Path("/proc/sys/kernel/core_pattern").read_text().strip()
    except OSError:
        pattern = "unknown"
    limit = resource.getrlimit(resource.RLIMIT_CORE)[0]
    size = "unlimited" if limit == resource.RLIM_INFINITY else f"{limit} bytes"
    report.row("core files", f'size limit {size}, pattern "{pattern}"')
    if pattern.startswith("|"):
        report.hint("core files: a program collects them, find yours with coredumpctl or like it")
        return
    if limit == 0:
        report.hint("core files: the limit is 0, run `ulimit -c unlimited` first to get any")
    if not _NUMBERED.search(pattern) and not _uses_pid():
        report.hint(
            "core files: all processes of a job write the same one, run "
            "`sysctl kernel.core_uses_pid=1` as root, or take cores with gcore (docs/hung.md)"
        )


def _uses_pid() -> bool:
    # Whether the system appends the process's number.
    try:
        return Path("/proc/sys/kernel/core_uses_pid").read_text().strip() != "0"
    except OSError:
        return True


def _attach(report: _Report) -> None:
    try:
        scope = Path("/proc/sys/kernel/yama/ptrace_scope").read_text().strip()
    except OSError:
        scope = "0"
    report.row("attaching", f"ptrace_scope {scope}")
    if scope != "0" and os.geteuid() != 0:
        report.hint(
            "attaching: only a parent may trace a program here, allow it with "
            "`sysctl kernel.yama.ptrace_scope=0` as root, or start under mpipp gdb"
        )
