# SPDX-License-Identifier: MIT
"""What nobody has looked at: sentences for the last lines of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mpipp.checks.hangs import words
from mpipp.model import ProcessInfo
from mpipp.watch.watched import RUNNING, Watched


def unseen(one: Watched) -> Iterator[str]:
    """What a process could not record, or ask. Raises MpippError."""
    info = one.registry.info
    if one.memory.not_there:
        yield f"{one.label()}: the system had no more memory that the watcher can see"
    if info.forgotten and one.state != RUNNING:
        count = words.counted(info.forgotten, "call")
        yield f"{one.label()}: {count} that the ledger had no room for: see MPIPP_LEDGER"
    if info.unasked and one.state != RUNNING:
        count = words.counted(info.unasked, "call")
        yield f"{one.label()}: {count} of which too many had to be looked at at once"


def unwatched(processes: Sequence[Watched]) -> Iterator[str]:
    """Whether any have started others that are not among them."""
    spawned = max((one.registry.info.spawned for one in processes), default=0)
    if spawned > sum(one.spawned > 0 for one in processes):
        yield "processes that MPI_Comm_spawn has started are not watched"


def unguarded(processes: Sequence[ProcessInfo]) -> Iterator[str]:
    """What of the buffers of pending operations was not guarded, in runs that guard them."""
    if any(one.guard == "failed" for one in processes):
        yield "buffers of pending operations: they cannot be guarded here (docs/guard.md)"
        return
    left_out = sum(one.unguarded for one in processes)
    if left_out:
        every = left_out + sum(one.guarded for one in processes)
        yield (
            f"the buffers of {left_out:,} of {every:,} nonblocking operations: they lie in memory "
            "of a device or that others share, too far apart, or are another operation's"
        )
