# SPDX-License-Identifier: MIT
"""`mpipp doctor`: the tools on this machine, those that are missing, and how to install them."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import NamedTuple, TextIO

from mpipp.cli import settings_files
from mpipp.common import file_trust
from mpipp.common.cache import cache_directory, trusted
from mpipp.common.errors import MpippError
from mpipp.common.lazy_dataclass import dataclass
from mpipp.common.text.sanitize import Styled, plain
from mpipp.render.finding_head import has_colours
from mpipp.toolchain import mpi_libraries as mpis
from mpipp.toolchain import prebuilt_wrapper, run_launcher
from mpipp.toolchain.build_wrapper import library_path
from mpipp.toolchain.mpi_libraries import Mpi
from mpipp.toolchain.program_mpi import inspect

_OLDEST_PYTHON = (3, 9)
_OTHER_CACHE = "export MPIPP_CACHE=$HOME/.mpipp-cache"
# The process or thread id in the pattern for names of core files.
_NUMBERED = re.compile(r"(?<!%)(%%)*%[pPiI]")


_OK, _OPTIONAL, _TO_DO, _MISSING = "ok", "no", "to do", "missing"
_SIGNS = {_OK: "\N{CHECK MARK}", _OPTIONAL: "-", _TO_DO: "!", _MISSING: "\N{BALLOT X}"}
_COLOURS = {_OK: "\033[32m", _OPTIONAL: "", _TO_DO: "\033[1;33m", _MISSING: "\033[1;31m"}
# For each package manager: the command that installs packages, and the names of the packages.
_INSTALL = {
    "apt-get": ("sudo apt-get install", {"gdb": "gdb", "mpi": "libmpich-dev", "cc": "gcc"}),
    "dnf": ("sudo dnf install", {"gdb": "gdb", "mpi": "mpich-devel", "cc": "gcc"}),
    "zypper": ("sudo zypper install", {"gdb": "gdb", "mpi": "mpich-devel", "cc": "gcc"}),
    "pacman": ("sudo pacman -S", {"gdb": "gdb", "mpi": "openmpi", "cc": "gcc"}),
}


class _Row(NamedTuple):
    mark: str  # one of _SIGNS
    what: str
    found: str


class _Remedy(NamedTuple):
    mark: str
    sentence: str
    command: str  # the command of the remedy; "" if there is none


@dataclass
class _Report:
    rows: list[_Row] = field(default_factory=list)
    remedies: list[_Remedy] = field(default_factory=list)

    def row(self, what: str, found: str, mark: str = _OK) -> None:
        self.rows.append(_Row(mark, what, found))

    def hint(self, sentence: str, command: str = "") -> None:
        self.remedies.append(_Remedy(_TO_DO, sentence, command))

    def fail(self, sentence: str, command: str = "") -> None:
        # A tool is missing that a first `mpipp gdb` needs.
        self.remedies.append(_Remedy(_MISSING, sentence, command))

    @property
    def works(self) -> bool:
        return all(one.mark != _MISSING for one in self.remedies)

    def lines(self) -> Iterator[tuple[str, str]]:
        # Yield the rows, each as a mark (or "") and the text after it.
        width = max(len(one.what) for one in self.rows)
        yield from ((one.mark, f" {one.what:{width}}  {one.found}") for one in self.rows)
        if self.remedies:
            yield "", ""
        for remedy in self.remedies:
            yield remedy.mark, f" {remedy.sentence}{':' if remedy.command else ''}"
            if remedy.command:
                yield "", f"    {remedy.command}"


def _marks(stream: TextIO) -> dict[str, str]:
    # Marks become words if the encoding of the stream lacks their characters.
    try:
        "".join(_SIGNS.values()).encode(stream.encoding or "ascii")
        signs = _SIGNS
    except (UnicodeEncodeError, LookupError):
        width = max(map(len, _SIGNS))
        signs = {name: f"{name:{width}}" for name in _SIGNS}
    if not has_colours(stream):
        return dict(signs)
    return {name: f"{_COLOURS[name]}{sign}\033[0m" for name, sign in signs.items()}


def _install(package: str) -> str:
    # The command that installs a package here; "" if the package manager is unknown.
    for manager, (words, names) in _INSTALL.items():
        if shutil.which(manager):
            return f"{words} {names[package]}"
    return ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare no options: `mpipp doctor` has none."""


def run(arguments: argparse.Namespace) -> int:
    """Print the results; returns 0 if a first `mpipp gdb` would work, else 2."""
    report = _Report()
    _gdb(report)
    _every_mpi(report)
    _cache(report)
    _mpi4py(report)
    _core_files(report)
    _attach(report)
    _settings(report)
    _variables(report)
    marks = _marks(sys.stdout)
    for mark, text in report.lines():
        print(plain(Styled(f"{marks.get(mark, '')}{plain(text)}")))
    return 0 if report.works else 2


def _gdb(report: _Report) -> None:
    gdb = shutil.which("gdb")
    if gdb is None:
        report.row("gdb", "not found", _MISSING)
        report.fail("gdb: install it", _install("gdb"))
        return
    ask = "python import sys; print('Python', sys.version.split()[0])"
    words = [gdb, "-nx", "-q", "-batch", "-ex", "show version", "-ex", ask]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    version = re.search(r"^GNU gdb .*?([\d.]+)$", done.stdout, re.MULTILINE)
    python = re.search(r"^Python (\d+)\.(\d+)\S*$", done.stdout, re.MULTILINE)
    found = version[1] if version else "(unknown version)"
    fits = python is not None and (int(python[1]), int(python[2])) >= _OLDEST_PYTHON
    said = f"{found}, {python[0] if python else 'without Python'}, {gdb}"
    report.row("gdb", said, _OK if fits else _MISSING)
    if not fits:
        report.fail("gdb: install a gdb with Python 3.9 or newer")


def _every_mpi(report: _Report) -> None:
    found: dict[tuple[str, tuple[str, ...]], Mpi] = {}
    chosen = os.environ.get("MPICC")
    if chosen and shutil.which(chosen) is None:
        report.hint(
            f"MPI: MPICC names {chosen}, which does not exist; use the mpicc on PATH",
            "unset MPICC",
        )
    unusable: dict[str, MpippError] = {}
    for path in mpis.installed():
        try:
            mpi = mpis.probe(path)
        except MpippError as error:
            directory, name = os.path.split(mpis.own_name(path))
            unusable.setdefault(os.path.join(os.path.realpath(directory), name), error)
            continue
        # One installation may have several names in PATH.
        found.setdefault((mpi.name, mpi.flags), mpi)
    for mpi in found.values():
        _mpi_rows(report, mpi)
    has_wrappers = _wrapper_rows(report)
    _unusable(report, unusable, _OPTIONAL if has_wrappers else _TO_DO if found else _MISSING)
    if not found and not unusable and has_wrappers:
        report.row("MPI compiler", "not found (only mpipp cc needs it)", _OPTIONAL)
    elif not found and not unusable:
        report.row("MPI", "not found", _MISSING)
        report.fail("MPI: put an mpicc on PATH, name one in MPICC, or install one", _install("mpi"))


def _wrapper_rows(report: _Report) -> bool:
    # Report the wrappers of this installation, and return whether there are any.
    known = [one.title for one in mpis.FLAVORS.values() if prebuilt_wrapper.recorder(one)]
    if known:
        report.row("wrappers", f"installed for {', '.join(known)}")
    return bool(known)


def _unusable(report: _Report, errors: Mapping[str, MpippError], mark: str) -> None:
    # Results by path, so that one message can report several missing parts.
    lacking: dict[str, list[str]] = {}
    for path, error in errors.items():
        if mark == _OPTIONAL:
            found = f"unusable (only mpipp cc needs it), {path}"
            report.row("MPI compiler", found, mark)
            continue
        report.row("MPI", f"unusable, {path}", mark)
        if isinstance(error, mpis.NoCompiler):
            lacking.setdefault(error.compiler, []).append(path)
        else:
            report.remedies.append(_Remedy(mark, f"MPI: {error}", ""))
    for compiler, paths in lacking.items():
        call = "calls" if len(paths) == 1 else "call"
        sentence = (
            f"MPI: {' and '.join(paths)} {call} the C compiler {compiler}, which does not exist"
        )
        install = _install("cc") if compiler in ("gcc", "cc") else ""
        report.remedies.append(_Remedy(mark, sentence, install))


def _mpi_rows(report: _Report, mpi: Mpi) -> None:
    report.row("MPI", f"{mpi.name}, {mpi.mpicc}")
    try:
        report.row("  mpiexec", run_launcher.of(mpi))
    except MpippError as error:
        report.row("  mpiexec", "not found", _TO_DO)
        report.hint(f"{mpi.name}: {error}")
    report.row("  C compiler", mpi.compiler)
    if prebuilt_wrapper.recorder(mpi.flavor):
        return
    try:
        library = library_path(mpi)
    except MpippError as error:
        report.row("  wrapper", "cannot be built", _MISSING)
        report.fail(f"{mpi.name}: {error}")
        return
    if library.exists():
        report.row("  wrapper", str(library))
        return
    cache = library.parent.parent
    if _can_be_written(cache):
        report.row("  wrapper", "not built yet", _TO_DO)
        build = shlex.join(["mpipp", "wrapper", "--mpicc", mpi.mpicc])
        report.hint(
            f"{mpi.name}: the first mpipp gdb or run builds the wrapper; to build it now", build
        )
        return
    report.row("  wrapper", "cannot be built", _MISSING)
    report.fail(
        f"{mpi.name}: the cache directory {cache} is not writable; use a directory of your own",
        _OTHER_CACHE,
    )


def _cache(report: _Report) -> None:
    # The report for each MPI already says that there is no compiler.
    with contextlib.suppress(MpippError):
        path, problem = trusted()
        if problem:
            report.hint(
                f"cache directory: {path}, which other nodes may not see, instead of "
                f"{cache_directory()}: {problem}; use a directory of your own",
                _OTHER_CACHE,
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
        found = f"not installed in {python} (only programs in Python need it)"
        report.row("mpi4py", found, _OPTIONAL)


def _core_files(report: _Report) -> None:
    try:
        pattern = Path("/proc/sys/kernel/core_pattern").read_text().strip()
    except OSError:
        pattern = "unknown"
    limit = resource.getrlimit(resource.RLIMIT_CORE)[0]
    size = "unlimited" if limit == resource.RLIM_INFINITY else f"{limit} bytes"
    is_collected = pattern.startswith("|")
    is_shared = not is_collected and not _NUMBERED.search(pattern) and not _uses_pid()
    is_off = not is_collected and limit == 0
    mark = _TO_DO if is_collected or is_shared or is_off else _OK
    report.row("core files", f'size limit {size}, pattern "{pattern}"', mark)
    if is_collected:
        report.hint(
            "core files: a program of the system collects them; to list yours", "coredumpctl list"
        )
    if is_off:
        report.hint(
            "core files: the size limit is 0; to allow core files in this shell",
            "ulimit -c unlimited",
        )
    if is_shared:
        report.hint(
            "core files: all processes of a job write the same file; to give each process its own "
            "(or take cores with gcore: docs/howto/cores.md)",
            "sudo sysctl kernel.core_uses_pid=1",
        )


def _uses_pid() -> bool:
    # Return whether the system appends the process id to the name of a core file.
    try:
        return Path("/proc/sys/kernel/core_uses_pid").read_text().strip() != "0"
    except OSError:
        return True


def _attach(report: _Report) -> None:
    try:
        scope = Path("/proc/sys/kernel/yama/ptrace_scope").read_text().strip()
    except OSError:
        scope = "0"
    is_refused = scope != "0" and os.geteuid() != 0
    report.row("attaching", f"ptrace_scope {scope}", _TO_DO if is_refused else _OK)
    if is_refused:
        report.hint(
            "attaching: this system lets only parents trace a process; start under mpipp gdb, or "
            "allow it",
            "sudo sysctl kernel.yama.ptrace_scope=0",
        )


def _settings(report: _Report) -> None:
    try:
        found = settings_files.files()
    except MpippError as error:
        report.row("settings", "cannot be used", _TO_DO)
        report.hint(f"settings: {error}")
        return
    for file in found:
        path = file_trust.shown(file.path)
        if file.problem:
            report.row("settings", f"{path} is not read: {file.problem}", _TO_DO)
            continue
        words = [word for of_option in file.options.values() for word in of_option]
        report.row("settings", f"{path}: {shlex.join(words) or 'no options'}")
    if not found:
        report.row("settings", "no file (docs/reference/settings.md)", _OPTIONAL)


def _variables(report: _Report) -> None:
    for name, value in sorted(os.environ.items()):
        if name.startswith("MPIPP_"):
            report.row("variable", f"{name}={value}")
