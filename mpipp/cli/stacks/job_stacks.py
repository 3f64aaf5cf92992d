# SPDX-License-Identifier: MIT
"""The stacks of a job on this node as one tree, which can be merged with those of other nodes."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import field
from typing import Any

from mpipp.cli.stacks import process_stacks
from mpipp.cli.stacks.process_sequence import read_each
from mpipp.cli.stacks.process_stacks import RunningProcess
from mpipp.common.errors import MpippError
from mpipp.common.lazy_dataclass import dataclass
from mpipp.ranks import stack_tree
from mpipp.ranks.stack_tree import StackTree
from mpipp.toolchain import launcher_ancestors
from mpipp.toolchain.running_jobs import Job, Process

_MOST = 1 << 28  # bytes to read from a file at most


@dataclass
class JobStacks:
    """The stacks of a job's processes.

    Attributes:
        by_rank: the stacks of processes with a rank in MPI_COMM_WORLD.
        others: the stacks of other processes, by process id.
        failures: a sentence for each process that is missing.
        stood: the longest time that a thread was stopped, in seconds.
    """

    by_rank: StackTree = field(default_factory=StackTree)
    others: StackTree = field(default_factory=StackTree)
    failures: list[str] = field(default_factory=list)
    stood: float = 0.0

    def merge(self, other: JobStacks) -> None:
        """Add the stacks of another node."""
        self.by_rank.merge(other.by_rank)
        self.others.merge(other.others)
        self.failures += other.failures
        self.stood = max(self.stood, other.stood)

    def record(self) -> dict[str, Any]:
        """The stacks for JSON."""
        return {
            "stacks": stack_tree.record(self.by_rank),
            "without_rank": stack_tree.record(self.others),
            "failures": self.failures,
            "stopped_seconds": self.stood,
        }


def read(processes: Sequence[Process]) -> JobStacks:
    """Read the stacks of the processes."""
    found, jobs = JobStacks(), set[int]()
    read_each(processes, lambda process: _add(found, process, jobs), found.failures)
    return found


def _add(found: JobStacks, process: Process, jobs: set[int]) -> None:
    # `jobs` has the job of the ranks in the tree. Spawned processes belong to another job with
    # ranks of its own.
    one = RunningProcess(process.pid)
    try:
        stacks = process_stacks.read(one)
        info = one.registry.info if one.is_recorded else None
    finally:
        one.close()
    rank = process.rank
    if info is not None and info.world_rank is not None:
        jobs.update(() if jobs else (info.job,))
        rank = info.world_rank if info.job in jobs else -1
    tree, number = (found.by_rank, rank) if rank >= 0 else (found.others, process.pid)
    for stack in stacks.stacks:
        tree.add(number, stack)
    found.stood = max(found.stood, stacks.stood)
    if one.failure:
        found.failures.append(f"process {process.pid}: {one.failure}")
    if stacks.refused:
        found.failures.append(
            f"process {process.pid}: the system does not let mpipp stop a thread, so its stack is "
            "not complete"
        )


def from_file(path: str) -> JobStacks:
    """Read the output of `mpipp stacks --json`. Raises MpippError."""
    try:
        with open(path, encoding="utf-8") as file:
            return from_record(json.loads(file.read(_MOST)))
    except OSError as error:
        raise MpippError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, MpippError, RecursionError):
        raise MpippError(f"{path} is not from mpipp stacks --json") from None


def from_record(content: Any) -> JobStacks:
    """The stacks of a record, as `JobStacks.record` writes it. Raises MpippError."""
    try:
        return JobStacks(
            stack_tree.from_record(content["stacks"]),
            stack_tree.from_record(content["without_rank"]),
            [str(one) for one in content["failures"]],
            float(content["stopped_seconds"]),
        )
    except (ValueError, KeyError, TypeError):
        raise MpippError("these are not the stacks of a job") from None


def of_directory(jobs: Sequence[Job], path: str) -> Job:
    """The job that `mpipp run --report PATH` started. Raises MpippError if the job does not run
    here."""
    for job in jobs:
        if any(_reports_to(pid, path) for pid in (job.launcher, *job.above)):
            return job
    raise MpippError(f"no running job on this machine has the run's directory {path}")


def _reports_to(pid: int, path: str) -> bool:
    # The launcher's command has the watcher's settings (mpipp.watcher.ipc.launch).
    try:
        with open(f"{launcher_ancestors.PROC}/{pid}/cmdline", "rb") as file:
            words = file.read(_MOST).split(b"\0")
    except OSError:
        return False
    return any(_report(word) == os.path.abspath(path) for word in words)


def _report(word: bytes) -> str | None:
    try:
        settings = json.loads(word) if word.startswith(b"{") else None
    except ValueError:
        return None
    found = settings.get("report") if isinstance(settings, dict) else None
    return found if isinstance(found, str) else None
