# SPDX-License-Identifier: MIT
"""What the last lines say of logs of one-sided communication, and of compiled programs' loads."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from mpipp.watch.coverage import unlogged


def process(rank: int, **info: int) -> Any:
    known = SimpleNamespace(**{"world_rank": rank, "unlogged": 0, "untraced": 0, **info})
    win = SimpleNamespace(header=SimpleNamespace(null=False))
    registry = SimpleNamespace(info=known, objects=lambda kind, ended: [win])
    return SimpleNamespace(registry=registry, label=lambda: f"rank {rank}")


def test_ranks_are_in_order() -> None:
    room = "for which the log had no room: see MPIPP_RMA_LOG"
    buffers = (
        "of one-sided operations and windows: they are too many, too large, or of too many blocks"
    )
    processes = [process(2, unlogged=1, untraced=1), process(1), process(0, unlogged=39206)]
    assert list(unlogged(processes)) == [
        f"rank 0: 39,206 calls {room}",
        f"rank 2: 1 call {room}",
        f"rank 2: loads and stores of 1 buffer {buffers}",
    ]
