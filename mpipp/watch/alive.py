# SPDX-License-Identifier: MIT
"""What the system says of processes that may have ended, or stand still."""

from __future__ import annotations

_EXITING = 4  # PF_EXITING: of a process that has closed its files and is not yet a zombie


def goes_on(pid: int) -> bool:
    """Whether there is such a process, and it is not about to end."""
    state, flags = _state(pid)
    return state not in "ZX" and not flags & _EXITING


def is_stopped(pid: int) -> bool:
    """Whether somebody has stopped it, by a signal or with a debugger."""
    return _state(pid)[0] in "Tt"


def _state(pid: int) -> tuple[str, int]:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
            words = stat.read().rpartition(")")[2].split()
        return words[0], int(words[6])
    except (OSError, IndexError, ValueError):
        return "X", 0
