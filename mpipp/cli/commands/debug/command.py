# SPDX-License-Identifier: MIT
"""`mpipp debug`: all ranks of a job in one gdb, from before `main`."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from typing import NoReturn

from mpipp.cli.commands import attach, whole_job
from mpipp.cli.commands.debug.job import Start, held, run_directory
from mpipp.cli.commands.debug.supervisor import DEBUGGER, RANKS, Supervisor
from mpipp.common.errors import MpippError
from mpipp.toolchain import remote_shell, run_launcher
from mpipp.toolchain.gdb_command import debugger_of_ranks, loading
from mpipp.toolchain.launched_programs import prefixed
from mpipp.toolchain.preload import built, mpi_for

USAGE = """\
mpipp debug [OPTION...] -- PROGRAM [ARGUMENT...]
       mpipp debug [--gdb-options=WORDS] [--remote-shell=WORDS] --attach [JOB]"""
_EXAMPLES = """\
examples:
  mpipp debug -n 4 -- ./app 100  start four ranks, and stop them in main
  mpipp debug --attach           debug all ranks of the running job
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `mpipp debug`."""
    parser.usage = USAGE
    parser.add_argument("-n", "-np", metavar="N", type=int, help="start N MPI processes")
    parser.add_argument(
        "--mpiexec", metavar="M", help='use this launcher: "mpiexec --oversubscribe"'
    )
    parser.add_argument("--mpicc", metavar="CC", help="use the MPI library of this compiler")
    parser.add_argument(
        "--stdin", metavar="RANK", type=int, default=0, help="pass input to this rank (default: 0)"
    )
    parser.add_argument(
        "--remote-shell",
        metavar="WORDS",
        help="reach other nodes by this command, in which {} is the node; default: ssh, or srun "
        "in a job of Slurm",
    )
    parser.add_argument(
        "--attach",
        metavar="JOB",
        nargs="?",
        const="",
        help="attach to the ranks of a running job: the PID of its launcher, or its batch job "
        "number; default: the only job",
    )
    parser.add_argument(
        "--gdb-options",
        metavar="WORDS",
        default="",
        help='pass options to gdb: --gdb-options="-x FILE"',
    )
    parser.add_argument("program", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EXAMPLES


def run(arguments: argparse.Namespace) -> int:
    """Start gdb and the job; returns gdb's exit status.

    Raises:
        MpippError: there is no gdb or launcher, or no wrapper fits the program.
    """
    if arguments.n is not None and arguments.n < 1:
        raise MpippError(f"-n {arguments.n}: the number of MPI processes must be at least 1")
    program = arguments.program[1:] if arguments.program[:1] == ["--"] else arguments.program
    try:
        gdb = [debugger_of_ranks(), "-q", *loading(), *shlex.split(arguments.gdb_options)]
    except ValueError as error:
        raise MpippError(f"--gdb-options {arguments.gdb_options}: {error}") from None
    if arguments.attach is not None:
        _attach(gdb, arguments.attach, arguments.remote_shell, program)
    if not program:
        raise MpippError("no program to debug: give it after --, with its arguments")
    mpi = mpi_for(program[0], arguments.mpicc)
    launcher = run_launcher.command(mpi, arguments.mpiexec)
    if arguments.n is not None:
        launcher += ["-n", str(arguments.n)]
    wrapper = built(mpi)
    directory = run_directory()
    try:
        before, variables = held(wrapper, os.path.join(directory, RANKS))
        command = [*launcher, *prefixed(program, before)]
        start = Start(command, variables, shell=remote_shell.words(arguments.remote_shell))
        supervisor = Supervisor(directory, start, arguments.stdin)
        sys.stdout.flush()
        return supervisor.run([*gdb, *_beginning(f"begin({os.path.join(directory, DEBUGGER)!r})")])
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _attach(gdb: Sequence[str], job: str, shell: str | None, program: Sequence[str]) -> NoReturn:
    if program:
        raise MpippError("--attach debugs a running job: leave out the program")
    found = whole_job.ranks(job or None, shell)
    attach.become_gdb([*gdb, *_beginning(f"attach({found!r})")])


def _beginning(call: str) -> Sequence[str]:
    # The last gdb command before gdb reads commands from the user.
    return ["-ex", f"python import mpipp.gdb.commands.debug_session.begin as ranks; ranks.{call}"]
