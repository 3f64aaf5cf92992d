# SPDX-License-Identifier: MIT
"""`mpipp run --check`: a watched run, from its directory to the summary.

The modules that compare processes are slow to import, and most runs need none of them.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shlex
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from mpipp.cli.commands.exec import hang_status, settings
from mpipp.cli.commands.run.launcher_session import LauncherSession
from mpipp.cli.progress_line import COMPARING, Progress
from mpipp.common.run_directory import RunDirectory
from mpipp.common.text.sanitize import plain
from mpipp.registry.rma_log.reading_progress import PROGRESS
from mpipp.registry.rma_log.screen import SCREEN
from mpipp.toolchain import run_launcher
from mpipp.toolchain.launched_programs import prefixed
from mpipp.toolchain.preload import prefix
from mpipp.watcher.ipc import launch
from mpipp.watcher.settings import Settings

if TYPE_CHECKING:
    from mpipp.cli.commands.run.job_output import JobOutput
    from mpipp.cli.commands.run.open_gdb import GdbOpener
    from mpipp.watcher.nodes.merge_results import GatheredResults


def run(
    launcher: list[str],
    variables: Mapping[str, str],
    wrapper: str,
    program: Sequence[str],
    arguments: argparse.Namespace,
    mpi: str,
    provoked: str,
) -> int:
    """Start the program with a watcher beside it, and report; returns the exit status.

    Args:
        launcher: the launcher's command, up to the program.
        variables: variables to add to the program's environment.
        mpi: the name of the MPI library, for messages.
        provoked: the value of --provoke that repeats this run, "" if it is not perturbed.

    Raises:
        MpippError: the launcher cannot be started.
    """
    shared = _begun(arguments.report)
    job_output = _job_output(launcher, shared, arguments)
    token = job_output.token if job_output else ""
    told = settings(arguments, report=shared, token=token, launched=True)
    directory = new_directory()
    begun = time.monotonic()
    how = {**_how(mpi), "provoke": provoked}
    try:
        before = prefix(wrapper, variables, (directory, told))
        opening = _opening() if arguments.stop.startswith("gdb") else None
        progress = Progress(sys.stderr, arguments.q)
        session = LauncherSession(directory, shared, progress, opening, job_output)
        is_inherited = mpi.startswith("Open MPI")
        inherited = _inherited(directory, wrapper, variables) if is_inherited else {}
        command = [*launcher, *prefixed(program, before)]
        show_command(command, arguments)
        status = session.run(command, inherited)
        if os.path.isdir(shared):
            SCREEN.path, PROGRESS.show = launch.screen_path(wrapper), progress.advance
            with progress.during(COMPARING):
                found = _gathered(shared, session, told)
            session.add(found)
        session.join()
    finally:
        _remove(directory)
        if not arguments.report:
            with contextlib.suppress(OSError):  # no other node has created it
                RunDirectory(shared).discard()
    if session.is_hung:
        status = hang_status(arguments) or status
    session.end(status)
    if arguments.report:
        seconds_taken = round(time.monotonic() - begun, 3)
        session.write(shared, {**how, "seconds": seconds_taken, "exit": status})
    session.summary(arguments.q)
    if session.total.has_failed and arguments.error_exit is not None and not session.is_hung:
        return int(arguments.error_exit)
    return status


def show_command(command: Sequence[str], arguments: argparse.Namespace) -> None:
    """Print a launcher's command with -v, as a shell would read it."""
    if arguments.v:
        print(plain(f"mpipp: starting {shlex.join(command)}"), file=sys.stderr, flush=True)


def _begun(report: str | None) -> str:
    # The run's directory: --report, else one in the (often shared) working directory, made on
    # demand.
    if report is None:
        name = f".mpipp-{launch.node()}-{os.getpid()}-{os.urandom(4).hex()}"
        return os.path.join(os.getcwd(), name)
    RunDirectory(report).begin()
    return os.path.abspath(report)


def _job_output(
    launcher: Sequence[str], shared: str, arguments: argparse.Namespace
) -> JobOutput | None:
    # The pipe for nodes without the run's directory; None if the job has only this node.
    if arguments.stop or not run_launcher.may_use_several_nodes(launcher, os.environ):
        return None
    from mpipp.cli.commands.run.job_output import JobOutput

    try:
        return JobOutput(shared)
    except OSError:  # the watchers report that they cannot write
        return None


def _remove(directory: str) -> None:
    # Remove all files except a watcher's traceback, whose path the watcher has printed.
    for name in os.listdir(directory):
        if not name.endswith(".log"):
            with contextlib.suppress(OSError):
                os.unlink(os.path.join(directory, name))
    with contextlib.suppress(OSError):
        os.rmdir(directory)


def _gathered(directory: str, session: LauncherSession, told: str) -> GatheredResults:
    from mpipp.watcher.nodes import merge_results

    is_cut_short = merge_results.are_cut_short(session.blocks)
    how = Settings(**json.loads(told))
    return merge_results.gather(
        directory,
        session.total.found,
        how,
        is_cut_short=is_cut_short,
        reported=session.remote_nodes,
    )


def _opening() -> GdbOpener:
    from mpipp.cli.commands.run.open_gdb import GdbOpener

    return GdbOpener()


def _inherited(directory: str, wrapper: str, variables: Mapping[str, str]) -> dict[str, str]:
    # Processes from MPI_Comm_spawn inherit the launcher's environment.
    socket_path = os.path.join(launch.on_node(directory), launch.SOCKET)
    loaded = ":".join(filter(None, (wrapper, os.environ.get("LD_PRELOAD"))))
    return {"LD_PRELOAD": loaded, "MPIPP_WATCH": socket_path, **variables}


def _how(mpi: str) -> dict[str, Any]:
    # The data about a run that are known at its start.
    return {
        "command": ["mpipp", *sys.argv[1:]],
        "directory": os.getcwd(),
        "mpi": mpi,
        "started": datetime.now().astimezone().isoformat(timespec="seconds"),
    }


def new_directory() -> str:
    """A directory for a run's sockets, with a short path, which only the user may enter."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    for base in (runtime, "/tmp"):
        if base and len(base) < 60 and os.access(base, os.W_OK):
            try:
                return tempfile.mkdtemp(prefix="mpipp-", dir=base)
            except OSError:
                continue
    return tempfile.mkdtemp(prefix="mpipp-")
