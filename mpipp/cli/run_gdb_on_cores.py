# SPDX-License-Identifier: MIT
"""The output of gdb commands on core files, one for each process."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain
from mpipp.registry.memory import core_files
from mpipp.toolchain import elf
from mpipp.toolchain.gdb_command import debugger, loading

_BEGIN, _END = "mpipp begins", "mpipp ends"
# gdb's warnings about core files. The second set appears for every process with shared memory.
_OF_CORES = re.compile(r"warning: |is not a core dump")
_USUAL = re.compile(r"file-backed mapping note|`\.reg-xstate/|auto-load")


class Answer(NamedTuple):
    """The output of a gdb command."""

    report: str
    error: str  # gdb's last line on stderr, used if the report is unusable


def run_command(paths: Sequence[str], chosen: str | None, words: str) -> Answer:
    """Open the cores in gdb, and return the output of a command. Warnings of gdb are passed on.

    Args:
        chosen: the program; None to use the one that each core names.

    Raises:
        MpippError: there is no gdb, a core cannot be read, or its program is unknown.
    """
    files = [os.path.realpath(core) for core in paths]
    twice = next((core for core in files if files.count(core) > 1), None)
    if twice is not None:
        raise MpippError(f"{twice} is passed twice: pass one core file for each process")
    command = [debugger(), *loading(), "-nx", "-batch"]
    for number, core in enumerate(paths, 1):
        program = _program(core, chosen)
        if number > 1:
            command += ["-ex", "add-inferior -no-connection", "-ex", f"inferior {number}"]
        command += ["-ex", f"file {_quoted(program)}", "-ex", f"core-file {core}"]
    for said in (f"echo {_BEGIN}\\n", words, f"echo {_END}\\n"):
        command += ["-ex", said]
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env={**os.environ, "DEBUGINFOD_URLS": ""},
        text=True,
        errors="backslashreplace",
        check=False,
    )
    for said in [*_wrong(paths), *_warnings(done.stderr)]:
        print(plain(f"mpipp: {said}"), file=sys.stderr)
    _, begins, rest = done.stdout.partition(_BEGIN + "\n")
    report, ends, _ = rest.partition(_END + "\n")
    if not begins or not ends:
        raise MpippError(f"gdb ended with status {done.returncode} before it had checked the cores")
    return Answer(report, done.stderr.strip().rpartition("\n")[2] or "gdb printed nothing")


def _wrong(paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        core = core_files.read(path)
        if core is not None and core.size < core.whole:
            yield f"{path} is truncated: it has {core.size} of {core.whole} bytes"
        elif core is not None and core.damaged:
            yield f"{path} is damaged: {core.damaged} of its program headers are invalid"


def _warnings(said: str) -> list[str]:
    # The warnings of gdb about core files, without repetitions.
    lines = [line.strip() for line in said.splitlines()]
    chosen = [
        f"gdb: {line}" for line in lines if _OF_CORES.search(line) and not _USUAL.search(line)
    ]
    return list(dict.fromkeys(chosen))


def _program(core: str, chosen: str | None) -> str:
    recorded = elf.program_of_core(core)  # raises an error for a file that is no core
    program = chosen or recorded
    if not program:
        raise MpippError(f"{core} does not name its program: pass it with --exec")
    if not os.path.isfile(program):
        advice = "check --exec" if chosen else "pass it with --exec"
        raise MpippError(f"the program of {core}, {program}, does not exist: {advice}")
    if chosen and not elf.is_elf(chosen):
        raise MpippError(f"{chosen} is not a program: check --exec")
    return program


def _quoted(path: str) -> str:
    # Quote a path for a gdb command.
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'
