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
# gdb's messages about a core file, and about every core file of a process with shared memory.
_OF_CORES = re.compile(r"warning: |is not a core dump")
_USUAL = re.compile(r"file-backed mapping note|`\.reg-xstate/|auto-load")


class Answer(NamedTuple):
    """The printed text."""

    report: str
    error: str  # gdb's last line on its error stream, for a report that is none


def run_command(paths: Sequence[str], chosen: str | None, words: str) -> Answer:
    """Let gdb open the cores, and return its answer to a command; its warnings are passed on.

    Args:
        chosen: the program, None if the cores say it.

    Raises:
        MpippError: there is no gdb, a core cannot be read, or its program is not known.
    """
    files = [os.path.realpath(core) for core in paths]
    twice = next((core for core in files if files.count(core) > 1), None)
    if twice is not None:
        raise MpippError(f"{twice} is named twice: name a core of each process")
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
    return Answer(report, done.stderr.strip().rpartition("\n")[2] or "gdb said nothing")


def _wrong(paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        core = core_files.read(path)
        if core is not None and core.size < core.whole:
            yield f"{path} is cut off: {core.size} of {core.whole} bytes are there"
        elif core is not None and core.damaged:
            yield f"{path} is damaged: {core.damaged} of its program headers cannot be right"


def _warnings(said: str) -> list[str]:
    # gdb's own of the cores, each once.
    lines = [line.strip() for line in said.splitlines()]
    chosen = [
        f"gdb: {line}" for line in lines if _OF_CORES.search(line) and not _USUAL.search(line)
    ]
    return list(dict.fromkeys(chosen))


def _program(core: str, chosen: str | None) -> str:
    recorded = elf.program_of_core(core)  # says whether it is a core
    program = chosen or recorded
    if not program:
        raise MpippError(f"{core} does not name its program: add it with --exec")
    if not os.path.isfile(program):
        advice = "check --exec" if chosen else "name it with --exec"
        raise MpippError(f"the program of {core}, {program}, is not there: {advice}")
    if chosen and not elf.is_elf(chosen):
        raise MpippError(f"{chosen} is no program: check --exec")
    return program


def _quoted(path: str) -> str:
    # As a word of a gdb command.
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'
