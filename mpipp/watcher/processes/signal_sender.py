# SPDX-License-Identifier: MIT
"""The sender of a signal that ended processes from outside, as far as it is known."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping

from mpipp.watcher.processes.exit_status import Ending

_CGROUPS = "/sys/fs/cgroup"
_OWN_CGROUP = "/proc/self/cgroup"
_EARLY = 5.0  # seconds before the end of a batch job at which its time limit may already count
_DIGITS = 20  # digits of a number that a batch system sets

_KILLED = (
    "find out who sent SIGKILL: the launcher, the batch system, or the kernel if memory was "
    "exhausted (dmesg); SIGKILL leaves no core file"
)
_ENDED = (
    "find out who ended the job: the user, a timeout, the batch system, or the launcher because "
    "another process had ended"
)
_EXHAUSTED = (
    "use less memory, or request more: the kernel has killed a process of this job's control "
    "group because its memory was exhausted"
)
_UNKNOWN = (
    "read the output of the process: the launcher's message names the signal or the exit status"
)


def advice(by: Ending | None, environment: Mapping[str, str] = os.environ) -> str:
    """A sentence that names the sender, or shows how to find it.

    Args:
        by: the way in which the processes ended; None if unknown.
        environment: the environment of a process of the job.
    """
    if by is None:
        return _UNKNOWN
    if by.signal == signal.SIGKILL and _has_killed_for_memory():
        return _EXHAUSTED
    job = environment.get("SLURM_JOB_ID", "")
    if job.isdecimal() and len(job) <= _DIGITS:
        if _is_over(environment.get("SLURM_JOB_END_TIME", "")):
            return f"request more time: Slurm job {job} has reached its time limit"
        return (
            f"see the state of Slurm job {job}: sacct -j {job} shows CANCELLED after scancel, "
            "TIMEOUT at the time limit, and OUT_OF_MEMORY"
        )
    return _KILLED if by.signal == signal.SIGKILL else _ENDED


def _is_over(end: str) -> bool:
    is_number = end.isdecimal() and len(end) <= _DIGITS
    return is_number and time.time() > int(end) - _EARLY


def _has_killed_for_memory() -> bool:
    # Return whether the kernel has killed a process in the control group of this process, which is
    # that of the job's processes on this node. Without version 2 of control groups, return False.
    try:
        with open(_OWN_CGROUP) as own:
            path = own.read().partition("::")[2].strip().lstrip("/")
        with open(os.path.join(_CGROUPS, path, "memory.events")) as events:
            counts = dict(line.split() for line in events)
        return bool(path) and int(counts.get("oom_kill", "0")) > 0
    except (OSError, ValueError):
        return False
