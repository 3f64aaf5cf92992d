# SPDX-License-Identifier: MIT
"""`mpipp run`: starts a program under mpiexec with the wrapper preloaded."""

from __future__ import annotations

import argparse
import os
import sys

from mpipp.cli import run_options
from mpipp.cli.commands.exec import for_program, refuse
from mpipp.cli.commands.run import perturb, valgrind, watched_run
from mpipp.common.errors import MpippError
from mpipp.toolchain import run_launcher
from mpipp.toolchain.launched_programs import prefixed
from mpipp.toolchain.preload import built, mpi_for_command, prefix
from mpipp.watcher.ipc.launch import reset_signals


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `mpipp run`."""
    run_options.add_options(parser, of_run=True)
    parser.epilog = run_options.EXAMPLES


def run(arguments: argparse.Namespace) -> int:
    """Replace this process by the launcher, so the command has the launcher's exit status.

    In a watched run the launcher is a child, and the command prints a report at its end.

    Raises:
        MpippError: no wrapper fits the program, or there is no launcher.
    """
    if arguments.n is not None and arguments.n < 1:
        raise MpippError(f"-n {arguments.n}: the number of MPI processes must be at least 1")
    if arguments.frames is not None and arguments.frames < 0:
        raise MpippError(f"--frames {arguments.frames}: the number of frames must be at least 0")
    if arguments.v and arguments.provoke_sweep is not None:
        raise MpippError("-v prints one command, and --provoke-sweep starts several: leave out -v")
    if arguments.report and not arguments.check and perturb.is_of_one_run(arguments):
        arguments.check = "ends"  # the report shows the perturbations, and how processes ended
    refuse(arguments)
    program = arguments.program[1:] if arguments.program[:1] == ["--"] else arguments.program
    if not program:
        raise MpippError("no program to run: give it after --, with its arguments")
    mpi = mpi_for_command(
        program, arguments.mpicc, lambda: run_launcher.mpi_of_command(arguments.mpiexec)
    )
    program = [*valgrind.prefix(arguments), *program]
    launcher = run_launcher.command(mpi, arguments.mpiexec)
    if arguments.n is not None:
        launcher += ["-n", str(arguments.n)]
    variables = {} if arguments.frames is None else {"MPIPP_FRAMES": str(arguments.frames)}
    given = perturb.schedules(arguments)
    if arguments.provoke_sweep is not None:
        from mpipp.cli.commands.run import sweep  # slow to import

        return sweep.run(launcher, built(mpi), variables, program, arguments, given)
    provoked = perturb.with_random_seed(given)
    variables.update(provoked.variables() if provoked else {})
    wrapper = built(mpi)
    perturb.announce_seed(provoked)
    sys.stdout.flush()
    if arguments.check:
        variables.update(for_program(arguments))
        again = provoked.word() if provoked else ""
        return watched_run.run(launcher, variables, wrapper, program, arguments, mpi.name, again)
    before = prefix(wrapper, variables)
    # MPI_Init must be perturbed in the processes of all programs (a : b).
    rest = [*before, *program] if provoked is None else prefixed(program, before)
    watched_run.show_command([*launcher, *rest], arguments)
    reset_signals()
    try:
        os.execvp(launcher[0], [*launcher, *rest])
    except OSError as error:
        raise MpippError(f"cannot start {launcher[0]}: {error.strerror}") from None
