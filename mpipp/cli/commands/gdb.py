# SPDX-License-Identifier: MIT
"""`mpipp gdb`: starts gdb with mpipp loaded, and preloads the wrapper only into the program."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Sequence

from mpipp.common.errors import MpippError
from mpipp.toolchain import elf
from mpipp.toolchain.gdb_command import debugger, loading
from mpipp.toolchain.preload import built, mpi_for, prefix
from mpipp.toolchain.program_mpi import executable, script_interpreter

# Options of gdb whose value is the next word, without dashes.
_WITH_VALUE = frozenset(
    "annotate b baud c cd command core d data-directory directory D e eix eiex "
    "early-init-command early-init-eval-command eval-command ex exec i iex init-command "
    "init-eval-command interpreter ix l p pid s se symbols tty x".split()
)
# Options by which gdb debugs an existing process or core file, so that it starts no program.
_WITH_PROCESS = frozenset(("p", "pid", "c", "core"))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `mpipp gdb`; all others are passed to gdb."""
    parser.add_argument("--mpicc", metavar="CC", help="use the MPI library of this compiler")


def run(arguments: argparse.Namespace, words: Sequence[str]) -> int:
    """Replace this process by gdb.

    Args:
        arguments: the options of mpipp, which come before those of gdb.
        words: the options of gdb. Then `--` (or --args) and a program with its arguments, or a form
            that
            gdb knows: PROGRAM, PROGRAM CORE, PROGRAM PID, -p PID.

    Raises:
        MpippError: there is no gdb, or no wrapper fits the program.
    """
    gdb = debugger()
    options, program = _split(words)
    command = [gdb, *loading(), *_preloading(program, arguments.mpicc), *options]
    if program:
        command += ["--args", *program]
    sys.stdout.flush()
    try:
        os.execv(gdb, command)
    except OSError as error:
        raise MpippError(f"cannot start {gdb}: {error.strerror}") from None


def _split(words: Sequence[str]) -> tuple[list[str], list[str]]:
    # Split into the words for gdb, and the program with its arguments.
    for position, word in enumerate(words):
        if word in ("--", "--args", "-args"):
            options, program = list(words[:position]), list(words[position + 1 :])
            if not program:
                raise MpippError(f"no program after {word}: give it with its arguments")
            return options, program
    # Without "--", one name is a program to run, and two names are a program and its core or
    # process. A number is a process.
    names = []
    skip = False
    for position, word in enumerate(words):
        option = word.lstrip("-")
        if skip:
            skip = False
        elif not word.startswith("-"):
            names.append(position)
        elif option.split("=")[0] in _WITH_PROCESS:
            return list(words), []
        else:
            skip = option in _WITH_VALUE
    if len(names) != 1 or words[names[0]].isdigit():
        return list(words), []
    return [*words[: names[0]], *words[names[0] + 1 :]], [words[names[0]]]


def _preloading(program: list[str], mpicc: str | None) -> list[str]:
    # Set LD_PRELOAD by gdb's exec-wrapper, so that only the program sees it. Neither gdb nor the
    # shell that it starts should load the wrapper.
    if not program:
        return []
    if os.path.isfile(program[0]):
        _expect_no_core(program[0])
    path = executable(program[0])
    if not elf.is_elf(path):
        interpreter = script_interpreter(path)
        run_by = f": debug its interpreter, {interpreter} {path}" if interpreter else ""
        raise MpippError(f"{path} is not a program that gdb can start{run_by}")
    before = prefix(built(mpi_for(path, mpicc)), {})
    return ["-iex", f"set exec-wrapper {shlex.join(before)}"]


def _expect_no_core(name: str) -> None:
    try:
        program = elf.program_of_core(name)
    except MpippError:  # the file is a program, not a core file
        return
    command = shlex.join(["mpipp", "gdb", program or "PROGRAM", name])
    raise MpippError(f"{name} is a core file: write {command}")
