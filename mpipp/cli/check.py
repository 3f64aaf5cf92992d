# SPDX-License-Identifier: MIT
"""`mpipp check`: the checks of gdb's command of the same name, on core files."""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from mpipp.cli import elf
from mpipp.cli.debugger import debugger, loading
from mpipp.errors import MpippError
from mpipp.registry import cores

_BEGIN, _END = "mpipp check begins", "mpipp check ends"
_LAST = re.compile(r"^(no|\d+) findings? in (\d+) process", re.MULTILINE)
# What gdb says of a core, and what it says of every one of a process with shared memory.
_OF_CORES = re.compile(r"warning: |is not a core dump")
_USUAL = re.compile(r"file-backed mapping note|`\.reg-xstate/|auto-load")

FOUND, NOT_CHECKED = 1, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `mpipp check`."""
    parser.add_argument("cores", nargs="+", metavar="CORE", help="core files, one of each process")
    parser.add_argument("--exec", metavar="PROGRAM", help="the program, if the cores do not say")
    parser.add_argument("--leaks", action="store_true", help="also what was never freed")
    parser.add_argument("--json", action="store_true", help="findings for machines")
    parser.epilog = "exit status: 0 nothing found, 1 something found, 2 something not checked"


def run(arguments: argparse.Namespace) -> int:
    """Let gdb look at the cores, and print what it finds; returns the exit status.

    Raises:
        MpippError: there is no gdb, a core cannot be read, or its program is not known.
    """
    files = [os.path.realpath(core) for core in arguments.cores]
    twice = next((core for core in files if files.count(core) > 1), None)
    if twice is not None:
        raise MpippError(f"{twice} is named twice: name a core of each process")
    command = [debugger(), *loading(), "-nx", "-batch"]
    for number, core in enumerate(arguments.cores, 1):
        program = _program(core, arguments.exec)
        if number > 1:
            command += ["-ex", "add-inferior -no-connection", "-ex", f"inferior {number}"]
        command += ["-ex", f"file {_quoted(program)}", "-ex", f"core-file {core}"]
    options = "".join(f" {name}" for name in ("--leaks", "--json") if _is_given(arguments, name))
    for words in (f"echo {_BEGIN}\\n", f"mpipp check{options}", f"echo {_END}\\n"):
        command += ["-ex", words]
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env={**os.environ, "DEBUGINFOD_URLS": ""},
        text=True,
        errors="backslashreplace",
        check=False,
    )
    for said in [*_cut_off(arguments.cores), *_warnings(done.stderr)]:
        print(f"mpipp: {said}", file=sys.stderr)
    _, begins, rest = done.stdout.partition(_BEGIN + "\n")
    report, ends, _ = rest.partition(_END + "\n")
    if not begins or not ends:
        raise MpippError(f"gdb ended with status {done.returncode} before it had checked the cores")
    result = _result_of_document(report) if arguments.json else _result(report)
    if result is None:
        said = done.stderr.strip().rpartition("\n")[2] or "gdb said nothing"
        raise MpippError(f"the cores could not be checked: {said}")
    sys.stdout.write(report)
    findings, checked, whole = result
    if checked < len(arguments.cores):
        print(f"mpipp: {checked} of {len(arguments.cores)} cores were checked", file=sys.stderr)
        whole = False
    return FOUND if findings else 0 if whole else NOT_CHECKED


def _cut_off(paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        core = cores.read(path)
        if core is not None and core.size < core.whole:
            yield f"{path} is cut off: {core.size} of {core.whole} bytes are there"


def _warnings(said: str) -> list[str]:
    # gdb's own of the cores, each once.
    lines = [line.strip() for line in said.splitlines()]
    chosen = [
        f"gdb: {line}" for line in lines if _OF_CORES.search(line) and not _USUAL.search(line)
    ]
    return list(dict.fromkeys(chosen))


def _is_given(arguments: argparse.Namespace, option: str) -> bool:
    return bool(getattr(arguments, option.lstrip("-")))


def _program(core: str, chosen: str | None) -> str:
    recorded = elf.program_of_core(core)  # says whether it is a core
    program = chosen or recorded
    if not program:
        raise MpippError(f"{core} does not say of which program it is: name that with --exec")
    if not os.path.isfile(program):
        advice = "check --exec" if chosen else "name it with --exec"
        raise MpippError(f"the program of {core}, {program}, is not there: {advice}")
    if chosen and not elf.is_elf(chosen):
        raise MpippError(f"{chosen} is no program: check --exec")
    return program


def _quoted(path: str) -> str:
    # As a word of a gdb command.
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'


class _Result(NamedTuple):
    findings: int
    processes: int  # looked at
    whole: bool  # none of their records was damaged


def _result(report: str) -> _Result | None:
    # None if the report has no last line.
    last = _LAST.search(report)
    if last is None:
        return None
    findings, processes = last.groups()
    whole = "not all was checked: " not in report
    return _Result(0 if findings == "no" else int(findings), int(processes), whole)


def _result_of_document(report: str) -> _Result | None:
    try:
        document = json.loads(report)
        whole = not document["not_checked"]
        return _Result(len(document["findings"]), len(document["processes"]), whole)
    except (ValueError, KeyError):
        return None
