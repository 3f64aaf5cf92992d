# SPDX-License-Identifier: MIT
"""The last lines of a run about RMA logs, and about loads of compiled programs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from mpipp.watcher.output.not_checked import by_pages, unlogged


def process(rank: int, **info: Any) -> Any:
    known = SimpleNamespace(**{"world_rank": rank, "unlogged": 0, "untraced": 0, **info})
    win = SimpleNamespace(header=SimpleNamespace(null=False))
    registry = SimpleNamespace(info=known, objects=lambda kind, ended: [win])
    return SimpleNamespace(registry=registry, label=lambda: f"rank {rank}")


def test_ranks_are_in_order() -> None:
    room = "beyond the capacity of the log (see MPIPP_RMA_LOG)"
    buffers = "of one-sided operations and windows: too many buffers, too large, or too many blocks"
    processes = [process(2, unlogged=1, untraced=1), process(1), process(0, unlogged=39206)]
    assert list(unlogged(processes)) == [
        f"rank 0: 39,206 calls {room}",
        f"rank 2: 1 call {room}",
        f"rank 2: loads and stores of 1 buffer {buffers}",
    ]


def test_pages_that_were_not_looked_at_are_counted() -> None:
    def said(*pages: tuple[int, int]) -> list[str]:
        processes = [process(rank, pages=each) for rank, each in enumerate(pages)]
        return list(by_pages(processes))

    assert said((412, 1630), (1000, 1000)) == [
        "loads and stores of 1,218 of 2,630 pages of windows, and accesses to the other "
        "pages after the first load and store between two calls"
    ]
    assert said((0, 270), (0, 0)) == ["loads and stores of 270 pages of windows"]
    assert said((0, 1)) == ["loads and stores of 1 page of windows"]
    later = "of windows after the first load and store between two calls"
    assert said((3000, 3000), (1, 1)) == [f"accesses to 3,001 pages {later}"]
    assert said((1, 1)) == [f"accesses to 1 page {later}"]
    assert said((0, 0)) == []
