# SPDX-License-Identifier: MIT
"""`mpipp attach`: one gdb for the processes of one job, with mpipp loaded."""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
from collections.abc import Iterable, Sequence

from mpipp.common.errors import MpippError
from mpipp.common.text import wording
from mpipp.common.text.sanitize import plain
from mpipp.toolchain import launcher_ancestors, running_jobs
from mpipp.toolchain.gdb_command import debugger, loading
from mpipp.toolchain.running_jobs import Job, Process

# Seconds in which the first of a launcher's processes loads MPI, and the others after it.
_LATEST, _LATE = 30.0, 5.0
_OFTEN = 0.1
USAGE = "mpipp attach [PID... | --job JOB] [-- GDB OPTION...]"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `mpipp attach`."""
    parser.usage = USAGE
    parser.add_argument(
        "pids",
        nargs="*",
        metavar="PID",
        help="processes, an inferior each; of a launcher (mpiexec, srun) all that it started here; "
        "without any the only job on this machine",
    )
    parser.add_argument(
        "--job", metavar="JOB", help="a job by its launcher's PID or the batch system's number"
    )


def run(arguments: argparse.Namespace, options: Sequence[str] = ()) -> int:
    """Replace this process by gdb, which stops the processes; `options` are gdb's own.

    Raises:
        MpippError: there is no gdb, no such process or job, or none that may be attached to.
    """
    if arguments.job is not None and arguments.pids:
        raise MpippError("--job attaches to all of a job: name no processes, or leave it out")
    if arguments.pids:
        processes = _named(arguments.pids)
    else:
        processes = list(_chosen(running_jobs.jobs(), arguments.job).processes)
    for process in processes:
        if process.obstacle:
            print(plain(f"mpipp: {_label(process)} {process.obstacle}"), file=sys.stderr)
    free = [str(process.pid) for process in processes if not process.obstacle]
    if not free:
        raise MpippError("there is no process to attach to")
    command = attaching(free)
    sys.stdout.flush()
    try:
        os.execv(command[0], [*command, *options])
    except OSError as error:
        raise MpippError(f"cannot start {command[0]}: {error.strerror}") from None


def attaching(pids: Iterable[object]) -> list[str]:
    """The command of a gdb that attaches to processes. Raises MpippError when there is no gdb."""
    words = " ".join(map(str, pids))
    return [debugger(), "-q", *loading(), "-ex", f"mpipp attach {words}"]


def _label(process: Process) -> str:
    rank = "" if process.rank < 0 else f"rank {process.rank}, "
    return f"{rank}process {process.pid}{f' ({process.program})' if process.program else ''}"


def _named(given: Sequence[str]) -> list[Process]:
    processes: list[Process] = []
    for word in given:
        if not re.fullmatch("[0-9]{1,9}", word):
            raise MpippError(f"{word} is not the number of a process")
        pid = int(word)
        if given.count(word) > 1:
            raise MpippError(f"process {pid} is named twice")
        started = _started(pid) if running_jobs.is_launcher(pid) else []
        if len(started) > 1:
            jobs_of = f"{len(started)} jobs of process {pid} on this machine"
            raise MpippError(f"there are {jobs_of}: {_choice(started)}")
        processes += started[0].processes if started else [running_jobs.process(pid)]
    return list(dict.fromkeys(processes))


def _started(launcher: int) -> list[Job]:
    # Its jobs, once all processes have loaded MPI: a debugger stops them wherever they are.
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
            said = f"mpipp: left out, since MPI is not loaded there: {left}"
            print(plain(said), file=sys.stderr)
            return found
        if waited > _LATEST:
            raise MpippError(
                f"no process that {name} has started here has loaded MPI: attach again when "
                "they have called MPI_Init"
            )
        if not is_told:
            said = f"mpipp: waiting for the processes of {name} to load MPI"
            print(plain(said), file=sys.stderr)
            is_told = True
        time.sleep(_OFTEN)
    return []


def _chosen(found: Sequence[Job], wanted: str | None) -> Job:
    if not found:
        raise MpippError(
            "none of your processes on this machine has loaded MPI: attach where they run, "
            "or name them by PID"
        )
    chosen = [job for job in found if wanted is None or wanted in _names(job)]
    if not chosen:
        raise MpippError(f"there is no job {wanted} on this machine: {_choice(found)}")
    if len(chosen) > 1:
        raise MpippError(f"there are {len(chosen)} jobs on this machine: {_choice(chosen)}")
    return chosen[0]


def _names(job: Job) -> tuple[str, ...]:
    # The batch system's number may be given without the step.
    numbers = (job.launcher, *job.above)
    return (*map(str, numbers), job.name, job.name.partition(".")[0])


def _choice(found: Sequence[Job]) -> str:
    lines = (f"  --job {job.launcher:<8} {_described(job)}" for job in found)
    return "\n".join(["name one of", *lines])


def _described(job: Job) -> str:
    processes = wording.counted(len(job.processes), "process", "processes")
    text = f"{processes} of {job.processes[0].program}"
    ranks = [each.rank for each in job.processes if each.rank >= 0]
    text += f", {wording.ranks(ranks)}" if ranks else ""
    text += f", started by {job.started_by}" if job.started_by else ""
    return text + (f", job {job.name}" if job.name else "")
