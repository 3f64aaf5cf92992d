# SPDX-License-Identifier: MIT
"""What of the buffers of pending operations nobody has looked at, in runs that guard them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mpipp.model import ProcessInfo


def unguarded(processes: Sequence[ProcessInfo]) -> Iterator[str]:
    """Sentences, for the last lines of a run."""
    if any(one.guard == "failed" for one in processes):
        yield "buffers of pending operations: they cannot be guarded here (docs/guard.md)"
        return
    left_out = sum(one.unguarded for one in processes)
    if left_out:
        every = left_out + sum(one.guarded for one in processes)
        yield (
            f"the buffers of {left_out:,} of {every:,} nonblocking operations: they have no page "
            "for themselves, or are not of a kind that is guarded"
        )
