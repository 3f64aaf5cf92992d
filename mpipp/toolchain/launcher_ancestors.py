# SPDX-License-Identifier: MIT
"""The launchers among the ancestors of a process."""

from __future__ import annotations

import re

from mpipp.common.text.sanitize import plain

PROC = "/proc"
_MOST = 100  # ancestors
# Programs that start ranks, between the shell or the system and the ranks.
_LAUNCHER = re.compile(
    r"hydra_|(mpiexec|mpirun|orterun|orted|prte|prterun|prted|prun|srun|slurmstepd|pmi_proxy|aprun"
    # Matches mpiexec.hydra and flux-broker, but not fluxsolver.
    r"|jsrun|flux|palsd?)(?![A-Za-z0-9])"
)


def status(pid: int) -> dict[str, str]:
    """The fields of /proc/PID/status; {} if the process does not exist."""
    try:
        with open(f"{PROC}/{pid}/status", encoding="utf-8", errors="replace") as file:
            pairs = [line.partition(":") for line in file]
    except OSError:
        return {}
    return {name: value.strip() for name, _, value in pairs}


def program(pid: int) -> str:
    """The program name of a process; "" if the process does not exist."""
    return plain(status(pid).get("Name", ""), "")


def is_launcher_name(name: str) -> bool:
    """Return whether a program name belongs to a launcher."""
    return bool(_LAUNCHER.match(name))


def above(pid: int) -> list[list[int]]:
    """The launchers among a process's ancestors, innermost first, in groups.

    A group consists of direct children of each other: hydra_pmi_proxy and mpiexec. The group does
    not include slurmstepd, which has started the batch script that has started mpiexec.
    """
    found: list[list[int]] = []
    follows = False
    for _ in range(_MOST):
        pid = int(status(pid).get("PPid", "0"))
        if pid < 1:
            break
        is_launcher = is_launcher_name(program(pid))
        if is_launcher and follows:
            found[-1].append(pid)
        elif is_launcher:
            found.append([pid])
        follows = is_launcher
    return found
