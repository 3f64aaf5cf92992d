# SPDX-License-Identifier: MIT
"""The order that windows give to processes, for races of messages.

A call that may synchronize counts as synchronizing, so that mpipp reports fewer races.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from mpipp.analysis.rma_engine.message_order import Messages
from mpipp.analysis.rma_engine.process_clock import ReplayedProcess, Steps
from mpipp.model.rma_events import (
    Access,
    Event,
    Operation,
    Synchronization,
    WindowFreed,
    WindowMade,
)


class WindowOrder:
    """The synchronization of all windows.

    `reads`: whether a process read a window, so that a value may have ordered it.
    """

    def __init__(self, messages: Messages, indices: dict[int, int]) -> None:
        self.messages = messages
        self.indices = indices
        self.reads = False
        self._ranks: dict[int, tuple[int, ...]] = {}
        self._counts = Counter[object]()
        self._told: dict[object, tuple[int, ...]] = {}
        self._targets: dict[tuple[int, int], Sequence[int]] = {}  # by process and window
        self._origins: dict[tuple[int, int], Sequence[int]] = {}

    def step(self, process: ReplayedProcess, event: Event) -> Steps:
        """Process an event of a window; other events are ignored."""
        if isinstance(event, WindowMade):
            self._ranks[event.window] = event.ranks
            self.reads |= event.flavor == "shared" or event.queried
            yield from self._barrier(process, event, event.window)
        elif isinstance(event, WindowFreed):
            yield from self._barrier(process, event, event.window)
        elif isinstance(event, Synchronization):
            if not event.attempt and event.window in self._ranks:
                yield from self._synchronize(process, event)
        elif isinstance(event, Operation):
            self.reads |= event.kind not in ("put", "accumulate")
        elif isinstance(event, Access):
            self.reads = True

    def _barrier(self, process: ReplayedProcess, event: Event, window: int) -> Steps:
        ranks = self._ranks.get(window, ())
        turn = self._next("barrier", window, process.index)
        meeting = self.messages.meet(process, ("window", window, turn), len(ranks))
        yield from self.messages.wait_for_all(process, meeting, event)

    def _next(self, *what: object) -> int:
        self._counts[what] += 1
        return self._counts[what]

    def _synchronize(self, process: ReplayedProcess, event: Synchronization) -> Steps:
        own, window = process.index, event.window
        kind = event.kind
        if kind == "fence":
            yield from self._barrier(process, event, window)
        elif kind == "post":
            self._origins[own, window] = event.group
            self._release(process, "post", window, event.group)
        elif kind == "start":
            self._targets[own, window] = event.group
        elif kind == "complete":
            targets = self._targets.pop((own, window), ())
            yield from self._wait_for(process, event, "post", targets)
            self._release(process, "complete", window, targets)
        elif kind == "wait":
            origins = self._origins.pop((own, window), ())
            yield from self._wait_for(process, event, "complete", origins)
        elif kind == "sync":
            self.reads = True

    def _release(
        self, process: ReplayedProcess, what: str, window: int, ranks: Sequence[int]
    ) -> None:
        told = process.release()
        for rank in ranks:
            pair = what, window, process.rank, rank
            key = (*pair, self._next(*pair))
            self._told[key] = told
            self.messages.waits.done(key)

    def _wait_for(
        self, process: ReplayedProcess, event: Synchronization, what: str, ranks: Sequence[int]
    ) -> Steps:
        for rank in ranks:
            if rank not in self.indices:
                continue
            pair = what, event.window, rank, process.rank
            key = (*pair, self._next("heard", *pair))
            while key not in self._told:
                yield key
            process.merge_clock(self._told.pop(key), event)
