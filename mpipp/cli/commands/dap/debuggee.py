# SPDX-License-Identifier: MIT
"""The command lines for the job and for gdb, built from the settings of `launch` and `attach`."""

from __future__ import annotations

import os
import shlex
from typing import NamedTuple

from mpipp.cli.commands import whole_job
from mpipp.cli.commands.debug.job import Start, held
from mpipp.common.errors import MpippError
from mpipp.dap.arguments import Attach, Launch
from mpipp.toolchain import run_launcher
from mpipp.toolchain.gdb_command import debugger_of_ranks, loading
from mpipp.toolchain.launched_programs import prefixed
from mpipp.toolchain.preload import built, mpi_for


class Sockets(NamedTuple):
    """The paths to which gdb, the ranks, and the sessions of ranks connect."""

    gdb: str
    ranks: str
    sessions: str


def job(wanted: Launch, sockets: Sockets) -> Start:
    """Return how to start the job. Raises MpippError."""
    if wanted.directory is not None and not os.path.isdir(wanted.directory):
        raise MpippError(f"cwd is {wanted.directory}: there is no such directory")
    program, *arguments = wanted.program
    if wanted.directory is not None and "/" in program:
        program = os.path.join(wanted.directory, program)
    mpi = mpi_for(program, wanted.compiler or None)
    launcher = run_launcher.command(mpi, wanted.launcher or None)
    if wanted.ranks:
        launcher += ["-n", str(wanted.ranks)]
    before, variables = held(built(mpi), sockets.ranks)
    command = [*launcher, *prefixed([program, *arguments], before)]
    return Start(command, {**variables, **wanted.environment}, wanted.directory)


def gdb_of_launch(wanted: Launch, sockets: Sockets) -> list[str]:
    """Return the gdb command line for a job that mpipp starts. Raises MpippError."""
    return _gdb(wanted.gdb_options, f"{sockets.gdb!r}, {wanted.stop_on_entry}, {wanted.by_rank}")


def gdb_of_attach(wanted: Attach, sockets: Sockets) -> list[str]:
    """Return the gdb command line for a job that runs already. Raises MpippError."""
    processes = whole_job.ranks(wanted.job or None)
    settings = f"{wanted.stop_on_entry}, {wanted.by_rank}, {processes!r}"
    return _gdb(wanted.gdb_options, f"{sockets.gdb!r}, {settings}")


def _gdb(options: str, arguments: str) -> list[str]:
    try:
        words = shlex.split(options)
    except ValueError as error:
        raise MpippError(f"gdbOptions is {options}: {error}") from None
    begin = f"python import mpipp.gdb.dap.begin as dap; dap.begin({arguments})"
    return [debugger_of_ranks(), "-q", "-nw", *loading(), *words, "-ex", begin]
