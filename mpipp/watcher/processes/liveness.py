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


def wants_processor(pid: int) -> bool:
    """Whether it has a processor, or waits for one, or for a disk."""
    return _state(pid)[0] in "RD"


def processor_time(pid: int) -> int:
    """What it has taken, in ticks of the system's clock; 0 if there is no such process."""
    words = fields(pid)
    return int(words[11]) + int(words[12]) if len(words) > 12 else 0


def _state(pid: int) -> tuple[str, int]:
    words = fields(pid)
    return (words[0], int(words[6])) if len(words) > 6 else ("X", 0)


def fields(pid: int) -> list[str]:
    # What the system tells of it, after its name.
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
            return stat.read().rpartition(")")[2].split()
    except OSError:
        return []
