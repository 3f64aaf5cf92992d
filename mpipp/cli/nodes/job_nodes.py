# SPDX-License-Identifier: MIT
"""The other nodes of a running job.

These nodes are found from the remote shells that the job's launcher has started, or from Slurm.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from mpipp.common.errors import MpippError
from mpipp.toolchain import launcher_ancestors, remote_shell
from mpipp.toolchain.running_jobs import Job, Process
from mpipp.toolchain.slurm_jobs import SlurmJob

_MOST = 1 << 20  # bytes of a command line
_SHELLS = ("ssh", "rsh")
_WITH_VALUE = "BbcDEeFIiJLlmOoPpQRSWw"  # options of ssh that a value follows
_SLURM = "slurm-job="  # begins the word that identifies a job of Slurm
_WORD = re.compile(r"[^\s\"';]{4,}")


class Node(NamedTuple):
    """A node, and words that identify the job there.

    The words are from the command that the launcher runs there, or the numbers of a job of Slurm.
    """

    name: str
    words: tuple[str, ...]


def nodes(launchers: Iterable[int]) -> list[Node]:
    """Return the nodes on which these launchers have started helper processes, sorted by name."""
    wanted = set(launchers)
    found: dict[str, Node] = {}
    for pid in _processes():
        status = launcher_ancestors.status(pid)
        if int(status.get("PPid", "0")) in wanted and status.get("Name") in _SHELLS:
            node = _node(command_line(pid))
            if node is not None:
                before = found.get(node.name, node)
                found[node.name] = Node(node.name, before.words + node.words)
    return [Node(name, tuple(dict.fromkeys(found[name].words))) for name in sorted(found)]


def of_slurm(job: SlurmJob, here: str = "") -> list[Node]:
    """Return the nodes of a job of Slurm, except the node `here`."""
    words = tuple(f"{_SLURM}{name}" for name in _names(job.number, job.step))
    return [Node(name, words) for name in job.nodes if name != here]


def launchers() -> list[int]:
    """Return the user's launchers on this node that have started helper processes on
    other nodes."""
    user = str(os.getuid())
    return [
        pid
        for pid in _processes()
        if launcher_ancestors.is_launcher_name(launcher_ancestors.program(pid))
        and launcher_ancestors.status(pid).get("Uid", "").split()[:1] == [user]
        and nodes([pid])
    ]


def of_job(jobs: Sequence[Job], words: Iterable[str]) -> list[Process]:
    """Return the processes on this node of the job whose launchers' commands share most words with
    `words`.

    A launcher passes an address or a name of the job to its helper processes, and may start several
    on a node. A job of Slurm is identified by its number. Raises MpippError if no job fits, or if
    several do.
    """
    wanted = set(words)
    numbers = [len(wanted & _of_launchers(job)) for job in jobs]
    most = max(numbers, default=0)
    found = [job for job, number in zip(jobs, numbers) if number == most]
    of_slurm = sorted(word[len(_SLURM) :] for word in wanted if word.startswith(_SLURM))
    if not found or (of_slurm and not most):
        of = f" of job {of_slurm[-1]}" if of_slurm else ""
        raise MpippError(f"no process{of} there has loaded MPI")
    steps = sorted({job.name for job in found})
    if of_slurm and len(steps) > 1:
        raise MpippError(f"{len(steps)} steps use MPI there: choose one of {', '.join(steps)}")
    if len(found) > 1 and not most:
        raise MpippError(f"{len(found)} jobs run there, and mpipp cannot know which you mean")
    return [process for job in found for process in job.processes]


def command_line(pid: int) -> list[str]:
    """Return the words of a process's command line; [] if the process has ended."""
    try:
        with open(f"{launcher_ancestors.PROC}/{pid}/cmdline", "rb") as file:
            return [os.fsdecode(word) for word in file.read(_MOST).split(b"\0")[:-1]]
    except OSError:
        return []


def _of_launchers(job: Job) -> set[str]:
    words = {word for pid in job.above for word in _words(command_line(pid))}
    return words | {f"{_SLURM}{name}" for name in _names(*job.name.split(".")) if job.name}


def _names(number: str, step: str = "") -> list[str]:
    return [number, f"{number}.{step}"] if step else [number]


def _words(command: Iterable[str]) -> Iterator[str]:
    for word in command:
        yield from _WORD.findall(word)


def _node(command: Sequence[str]) -> Node | None:
    rest = list(command[1:])
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if len(option) == 2 and option[1] in _WITH_VALUE and rest:
            rest.pop(0)
    if not rest:
        return None
    name = rest[0].rpartition("@")[2]
    if not remote_shell.NAME.fullmatch(name):
        return None
    return Node(name, tuple(_words(rest[1:])))


def _processes() -> Iterator[int]:
    return (int(name) for name in os.listdir(launcher_ancestors.PROC) if name.isdigit())
