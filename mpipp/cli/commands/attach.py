# SPDX-License-Identifier: MIT
"""`mpipp attach`: one gdb for the processes of one job, with mpipp loaded."""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
from collections.abc import Iterable, Sequence
from typing import NoReturn

from mpipp.common.errors import MpippError
from mpipp.common.text import wording
from mpipp.common.text.sanitize import plain
from mpipp.toolchain import launcher_ancestors, running_jobs
from mpipp.toolchain.gdb_command import debugger, loading
from mpipp.toolchain.running_jobs import Job, Process

# Seconds to wait until the first process of a launcher has loaded MPI, and then for the others.
_LATEST, _LATE = 30.0, 5.0
_OFTEN = 0.1
_EXAMPLES = """\
examples:
  mpipp run -n 4 -- ./app &  start a job
  mpipp attach               attach gdb to its processes on this machine
"""
USAGE = "mpipp attach [PID... | --job JOB] [-- GDB OPTION...]"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `mpipp attach`."""
    parser.usage = USAGE
    parser.add_argument(
        "pids",
        nargs="*",
        metavar="PID",
        help="attach to these processes; a launcher (mpiexec, srun) stands for all its processes "
        "on this node; default: the only job on this machine",
    )
    parser.add_argument(
        "--job",
        metavar="JOB",
        help="attach to a job: the PID of its launcher, or its batch job number",
    )
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EXAMPLES


def run(arguments: argparse.Namespace, options: Sequence[str] = ()) -> int:
    """Replace this process by gdb, which stops the processes; `options` are passed to gdb.

    Raises:
        MpippError: there is no gdb, no such process or job, or no process that gdb may attach to.
    """
    if arguments.job is not None and arguments.pids:
        raise MpippError("--job attaches to a whole job: leave out the PIDs, or leave out --job")
    if arguments.pids:
        processes = named(arguments.pids)
    else:
        processes = list(chosen(running_jobs.jobs(), arguments.job).processes)
    become_gdb([*attaching(process.pid for process in free(processes)), *options])


def free(processes: Iterable[Process]) -> list[Process]:
    """Return the processes that gdb can attach to; print why it cannot attach to the others.

    Raises MpippError if gdb can attach to none of them.
    """
    found = []
    for process in processes:
        if process.obstacle:
            print(plain(f"mpipp: {_label(process)} {process.obstacle}"), file=sys.stderr)
        else:
            found.append(process)
    if not found:
        raise MpippError("there is no process to attach to: see the lines above")
    return found


def become_gdb(command: Sequence[str]) -> NoReturn:
    """Replace this process by gdb. Raises MpippError."""
    sys.stdout.flush()
    try:
        os.execv(command[0], [*command])
    except OSError as error:
        raise MpippError(f"cannot start {command[0]}: {error.strerror}") from None


def attaching(pids: Iterable[object]) -> list[str]:
    """The command of a gdb that attaches to processes. Raises MpippError if there is no gdb."""
    words = " ".join(map(str, pids))
    return [debugger(), "-q", *loading(), "-ex", f"mpipp attach {words}"]


def _label(process: Process) -> str:
    rank = "" if process.rank < 0 else f"rank {process.rank}, "
    return f"{rank}process {process.pid}{f' ({process.program})' if process.program else ''}"


def named(given: Sequence[str]) -> list[Process]:
    """The processes with these numbers; a launcher stands for all of its job on this node.

    Waits until these have loaded MPI. Raises MpippError.
    """
    processes: list[Process] = []
    for word in given:
        if not re.fullmatch("[0-9]{1,9}", word):
            raise MpippError(f"{word} is not a PID: pass the numbers of processes")
        pid = int(word)
        if given.count(word) > 1:
            raise MpippError(f"process {pid} is passed twice: pass each PID once")
        started = _started(pid) if running_jobs.is_launcher(pid) else []
        if len(started) > 1:
            jobs_of = f"{len(started)} jobs of process {pid} on this machine"
            raise MpippError(f"there are {jobs_of}: {_choice(started)}")
        processes += started[0].processes if started else [running_jobs.process(pid)]
    return list(dict.fromkeys(processes))


def _started(launcher: int) -> list[Job]:
    # Return the jobs of a launcher when all their processes have loaded MPI. gdb would stop the
    # processes earlier, before there is anything to see.
    begun, is_told = time.monotonic(), False
    name = f"{launcher_ancestors.program(launcher)} (process {launcher})"
    while running_jobs.is_launcher(launcher):
        found = [job for job in running_jobs.jobs() if launcher in job.above]
        late = running_jobs.loading(launcher)
        if found and not late:
            return found
        waited = time.monotonic() - begun
        if found and waited > _LATE:
            left = wording.numbered("process", late, "processes")
            said = f"mpipp: not attached, because MPI is not loaded there: {left}"
            print(plain(said), file=sys.stderr)
            return found
        if waited > _LATEST:
            raise MpippError(
                f"no process that {name} has started here has loaded MPI: attach again after "
                "MPI_Init"
            )
        if not is_told:
            said = f"mpipp: waiting for the processes of {name} to load MPI"
            print(plain(said), file=sys.stderr)
            is_told = True
        time.sleep(_OFTEN)
    return []


def chosen(found: Sequence[Job], wanted: str | None, option: str = "--job ") -> Job:
    """The job that the user names, or the only job.

    Args:
        option: the option that the error message writes before each job.

    Raises MpippError if no job fits, or several.
    """
    if not found and wanted is not None:
        raise MpippError(
            f"there is no job {wanted} on this machine: none of your processes has loaded MPI here"
        )
    if not found:
        raise MpippError(
            "none of your processes on this machine has loaded MPI: attach on the machine where "
            "they run, or pass their PIDs"
        )
    fitting = [job for job in found if wanted is None or wanted in names(job)]
    if not fitting:
        raise MpippError(f"there is no job {wanted} on this machine: {_choice(found, option)}")
    if len(fitting) > 1:
        count = len(fitting)
        raise MpippError(f"there are {count} jobs on this machine: {_choice(fitting, option)}")
    return fitting[0]


def names(job: Job) -> tuple[str, ...]:
    """The names of a job: the PIDs of its launchers, and its batch job number.

    The number may end with a step, which users may leave out.
    """
    numbers = (job.launcher, *job.above)
    return (*map(str, numbers), job.name, job.name.partition(".")[0])


def _choice(found: Sequence[Job], option: str = "--job ") -> str:
    lines = (f"  {option}{job.launcher:<8} {_described(job)}" for job in found)
    return "\n".join(["choose one of", *lines])


def _described(job: Job) -> str:
    processes = wording.counted(len(job.processes), "process", "processes")
    text = f"{processes} of {job.processes[0].program}"
    ranks = [each.rank for each in job.processes if each.rank >= 0]
    text += f", {wording.ranks(ranks)}" if ranks else ""
    text += f", started by {job.started_by}" if job.started_by else ""
    return text + (f", job {job.name}" if job.name else "")
