# SPDX-License-Identifier: MIT
"""A running job on all its nodes: its processes on this node, and its other nodes."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from typing import NamedTuple

from mpipp.cli.commands import attach
from mpipp.cli.nodes import agent, job_nodes, node_queries
from mpipp.cli.nodes.job_nodes import Node
from mpipp.cli.stacks import job_stacks
from mpipp.common.errors import MpippError
from mpipp.toolchain import remote_shell, running_jobs, slurm_jobs
from mpipp.toolchain.running_jobs import Job, Process


class WholeJob(NamedTuple):
    """The processes of a job on this node, and its other nodes.

    Attributes:
        slurm: the number of the job in Slurm, if Slurm reports the other nodes; else "".
    """

    processes: Sequence[Process]
    nodes: list[Node]
    slurm: str = ""

    def shell(self, chosen: str | None) -> list[str]:
        """Return the words of the remote shell (remote_shell.words)."""
        return remote_shell.words(chosen, self.slurm)


def find(wanted: str | None, waits: bool = False) -> WholeJob:
    """Return the job that the user names, or the only running job.

    Args:
        wanted: the PID of the job's launcher, its batch job number, or the directory of its
            reports; None if the user names no job.
        waits: whether to wait until the processes of a launcher have loaded MPI.

    Raises MpippError if no job fits, or several.
    """
    jobs = running_jobs.jobs()
    if wanted is not None and os.path.isdir(wanted):
        return _whole(job_stacks.of_directory(jobs, wanted))
    # The launcher's node may have no ranks.
    of_job = [pid for job in jobs for pid in job.above]
    others = [pid for pid in job_nodes.launchers() if pid not in of_job]
    if wanted is None and not jobs and len(others) == 1:
        return WholeJob((), job_nodes.nodes(others))
    if wanted is not None and wanted.isdigit() and running_jobs.is_launcher(int(wanted)):
        nodes = job_nodes.nodes([int(wanted)])
        if int(wanted) in others:
            return WholeJob((), nodes)
        if waits:
            return WholeJob(attach.named([wanted]), nodes)
    name = os.environ.get("SLURM_JOB_ID", "") if wanted is None and not jobs else wanted or ""
    if not any(name in attach.names(job) for job in jobs):
        slurm = slurm_jobs.find(name)
        if slurm is not None:
            return WholeJob((), job_nodes.of_slurm(slurm), slurm.number)
    return _whole(attach.chosen(jobs, wanted, option=""))


def _whole(job: Job) -> WholeJob:
    nodes = job_nodes.nodes(job.above)
    slurm = None if nodes or not job.name else slurm_jobs.find(job.name)
    if slurm is None:
        return WholeJob(job.processes, nodes)
    return WholeJob(job.processes, job_nodes.of_slurm(slurm, job.node), slurm.number)


def ranks(wanted: str | None, chosen_shell: str | None = None) -> dict[int, tuple[int, str]]:
    """Return the processes of a job by rank, each with the command that starts the gdbserver of its
    node.

    The command is "" for processes on this node. Processes that gdb cannot attach to are left out
    and reported. Raises MpippError if gdb can attach to none, or cannot reach a node.
    """
    job = find(wanted, waits=True)
    shell = job.shell(chosen_shell)
    found = [(process, "") for process in job.processes]
    for answer in node_queries.ask(agent.PROCESSES, job.nodes, shell):
        if answer.failure:
            raise MpippError(answer.failure)
        path = answer.content["gdbserver"]
        if not path:
            raise MpippError(remote_shell.without_gdbserver(answer.node))
        command = shlex.join(
            remote_shell.on_node(shell, answer.node, [path, *remote_shell.GDBSERVER])
        )
        found += [(Process(**one), command) for one in answer.content["processes"]]
    free = set(attach.free(process for process, _ in found))
    having = [(process, command) for process, command in found if process in free]
    numbers = [process.rank for process, _ in having]
    if -1 in numbers or len(set(numbers)) < len(numbers):  # processes of several jobs
        numbers = [*range(len(having))]
    return {number: (process.pid, command) for number, (process, command) in zip(numbers, having)}
