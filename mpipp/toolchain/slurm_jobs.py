# SPDX-License-Identifier: MIT
"""The running jobs of Slurm, and their nodes, from the command squeue."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from typing import NamedTuple

from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain

# 4711; 4711_3 is a task of an array, 4711+1 a component of a heterogeneous job, 4711.0 a step.
_NAME = re.compile(r"([0-9]{1,10}(?:[_+][0-9]{1,9})?)(?:\.([0-9]{1,10}))?")
_PATIENCE = 60.0  # seconds for the controller to answer; squeue itself tries again for a while
_MOST = 10  # jobs to list in a message


class SlurmJob(NamedTuple):
    """A running job of Slurm, or a step of it.

    Attributes:
        number: the number that the job's processes have in SLURM_JOB_ID.
        step: the number of the step; "" for all steps.
        nodes: the names of its nodes.
    """

    number: str
    step: str
    nodes: tuple[str, ...]


def find(name: str) -> SlurmJob | None:
    """Return the running job of this name: 4711, 4711_3 for a task of an array, 4711.0 for a step.

    Returns None if Slurm is not installed here, or has no such job. Raises MpippError if the name
    belongs to several running jobs.
    """
    fits = _NAME.fullmatch(name)
    if fits is None:
        return None
    found = [line.split() for line in _lines("squeue", "--jobs", fits[1], "--format=%A %i %N")]
    running = [words for words in found if len(words) == 3]  # a pending job has no nodes
    if not running:
        return None
    if len(running) > 1:
        choice = ", ".join(plain(words[1], "") for words in running[:_MOST])
        raise MpippError(f"{name} stands for {len(running)} running jobs: choose one of {choice}")
    (number, _, nodes), step = running[0], fits[2] or ""
    if step:
        lines = _lines("squeue", "--steps", f"{number}.{step}", "--format=%N")
        if not lines:
            return None
        nodes = lines[0].strip()
    return SlurmJob(number, step, tuple(_lines("scontrol", "show", "hostnames", nodes)))


def _lines(command: str, *arguments: str) -> Sequence[str]:
    # The output of a command of Slurm; [] if it fails.
    words = [command, *(["--noheader"] if command == "squeue" else []), *arguments]
    try:
        done = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    return done.stdout.decode("utf-8", "replace").splitlines() if not done.returncode else []
