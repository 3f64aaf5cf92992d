# SPDX-License-Identifier: MIT
"""The processes in this gdb, by their ranks in MPI_COMM_WORLD."""

from __future__ import annotations

import gdb

from mpipp.gdb import job_ranks
from mpipp.gdb.program import sessions
from mpipp.gdb.program.inferior_memory import selected


def inferiors() -> list[gdb.Inferior]:
    """The inferiors with a process or a core file, by rank, then by number."""
    having = [inferior for inferior in gdb.inferiors() if inferior.pid]
    return sorted(having, key=lambda inferior: (_order(inferior), inferior.num))


def first_thread(inferior: gdb.Inferior) -> gdb.InferiorThread:
    """The thread that gdb found first, usually the main thread.

    In non-stop mode, the result is the first stopped thread, if there is one.
    """
    every = inferior.threads()  # gdb lists the newest thread first
    return min(every, key=lambda thread: (not thread.is_stopped(), thread.num))


def rank(inferior: gdb.Inferior) -> int | None:
    """The rank of an inferior; None if it is unknown, or if there is no wrapper."""
    number = job_ranks.rank(inferior.num)
    if number is not None:
        return number
    with selected(inferior):
        session = sessions.current()
        return None if session is None else session.registry.info.world_rank


def label(inferior: gdb.Inferior) -> str:
    """An inferior in words: "rank 3 (inferior 4)"."""
    number = rank(inferior)
    name = f"inferior {inferior.num}"
    return name if number is None else f"rank {number} ({name})"


def _order(inferior: gdb.Inferior) -> int:
    number = rank(inferior)
    return 1 << 31 if number is None else number
