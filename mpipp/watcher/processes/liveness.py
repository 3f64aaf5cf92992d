# SPDX-License-Identifier: MIT
"""Facts from the system about processes: whether they have ended, stopped, or use a processor."""

from __future__ import annotations

_EXITING = 4  # PF_EXITING: the process has closed its files and is not yet a zombie


def goes_on(pid: int) -> bool:
    """Return whether the process exists, and is not about to end."""
    state, flags = _state(pid)
    return state not in "ZX" and not flags & _EXITING


def is_stopped(pid: int) -> bool:
    """Return whether a signal or a debugger has stopped the process."""
    return _state(pid)[0] in "Tt"


def wants_processor(pid: int) -> bool:
    """Return whether the process is running, or waits for a processor or a disk."""
    return _state(pid)[0] in "RD"


def processor_time(pid: int) -> int:
    """The processor time of a process, in ticks of the system's clock; 0 if it does not exist."""
    words = fields(pid)
    return int(words[11]) + int(words[12]) if len(words) > 12 else 0


def _state(pid: int) -> tuple[str, int]:
    words = fields(pid)
    return (words[0], int(words[6])) if len(words) > 6 else ("X", 0)


def fields(pid: int) -> list[str]:
    # The fields of /proc/PID/stat after the process's name.
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
            return stat.read().rpartition(")")[2].split()
    except OSError:
        return []
