# SPDX-License-Identifier: MIT
"""Windows from creation to free: their memory in each process, and their info keys."""

from __future__ import annotations

from typing import NamedTuple

from mpipp.analysis.rma_engine.access_rules import STORE, WRITTEN
from mpipp.analysis.rma_engine.accesses import Accesses, Entry
from mpipp.analysis.rma_engine.dynamic_windows import Attachments
from mpipp.analysis.rma_engine.epoch_errors import Mistakes
from mpipp.analysis.rma_engine.epochs import Epochs, Window
from mpipp.analysis.rma_engine.message_order import Messages
from mpipp.analysis.rma_engine.process_clock import DAMAGED, ReplayedProcess, Steps
from mpipp.model.rma_events import (
    Attached,
    Completed,
    Event,
    Finalized,
    MemoryFreed,
    Operation,
    Synchronization,
    WindowFreed,
    WindowInfo,
    WindowMade,
)

_WITH_FRAMES = (Operation, Synchronization, Completed, Attached, WindowMade, WindowFreed, Finalized)


class Range(NamedTuple):
    """Memory of a process that belongs to a window since an event."""

    low: int
    high: int
    window: int
    since: WindowMade | Attached
    told: bool = False  # its end was reported, so the memory may be in use for something else

    @property
    def is_on_stack(self) -> bool:
        """True if it may belong to a function that was active at that event."""
        return 0 < self.since.frame <= self.low

    def outlived_by(self, event: Event) -> bool:
        """Return whether the memory is on the stack of a function that has returned before a
        call."""
        if not isinstance(event, _WITH_FRAMES) or self.since.moment.thread != event.moment.thread:
            return False
        return self.is_on_stack and self.low < event.frame

    def is_lent(self, low: int, high: int) -> bool:
        """Return whether any of these bytes is the program's own memory, not allocated by MPI."""
        of_program = not isinstance(self.since, WindowMade) or self.since.flavor == "create"
        of_program = of_program and self.low > 0  # a window at MPI_BOTTOM has all memory
        return of_program and not self.told and max(self.low, low) < min(self.high, high)


class Lives:
    """The lifetimes of all windows.

    `ranges` has the window memory of each process, by its index. `stacked` has those that may be on
    the stack.
    """

    def __init__(
        self,
        messages: Messages,
        mistakes: Mistakes,
        indices: dict[int, int],
        attachments: Attachments,
    ) -> None:
        self.attachments = attachments
        self.messages = messages
        self.mistakes = mistakes
        self.indices = indices
        self.windows: dict[int, Window] = {}
        self.ranges = [Accesses[Range]() for _ in indices]
        self.stacked: list[list[Range]] = [[] for _ in indices]

    def epochs(self, process: ReplayedProcess, window: int) -> Epochs | None:
        """Return the epochs of a process on a window; None if its creation is unknown."""
        known = self.windows.get(window)
        return known.epochs.get(process.index) if known else None

    def place(self, process: ReplayedProcess, entry: Entry, owner: int) -> None:
        """Find the window that contains an access of a process, if any.

        `owner` is the rank of the process with the memory.
        """
        entry.private = True
        ranges = self.ranges[entry.owner]
        if not ranges.cells(entry.low, entry.high):
            return  # the usual case
        boxes = ranges.meeting(entry.low, entry.high)
        for box in sorted(boxes, key=lambda box: box.since.moment.number):
            entry.private = False
            mine = self.epochs(process, box.window)
            if mine is None or owner not in mine.made.ranks or (entry.window and entry.lock):
                continue
            entry.window = box.window
            entry.lock = mine.lock(mine.made.ranks.index(owner))
            # The separate model does not define direct use by others (MPI-4.1, section 12.2.3).
            entry.separate = mine.made.separate and entry.owner == process.index
            if entry.kind in (STORE, WRITTEN) and entry.owner == process.index:
                mine.stored = entry

    def step(self, process: ReplayedProcess, event: Event) -> Steps:
        """Process an event of a window."""
        if isinstance(event, WindowMade):
            yield from self._add_window(process, event)
        elif isinstance(event, WindowFreed):
            yield from self._freed(process, event)
        elif isinstance(event, WindowInfo):
            known = self.epochs(process, event.window)
            if known is not None:
                known.hint(event)
        elif isinstance(event, Attached):
            ranges = self.ranges[process.index]
            self.attachments.change(process, event)
            if not event.attached:
                for box in list(ranges.meeting(event.base, event.base + 1)):
                    if (box.low, box.window) == (event.base, event.window):
                        self._remove(process, box)
            elif event.length > 0:
                self._add(
                    process, Range(event.base, event.base + event.length, event.window, event)
                )

    def report_freed(self, process: ReplayedProcess, event: MemoryFreed) -> None:
        """Report memory that is freed while it belongs to a window, each range once."""
        for box in list(self.ranges[process.index].meeting(event.start, event.end)):
            if not process.ended and box.is_lent(event.start, event.end):
                self._gone(process, box, event._replace(met=max(box.low, event.start)))

    def leave_functions(self, process: ReplayedProcess, event: Event) -> None:
        """Report window memory on the stack whose function has returned before an event."""
        for box in [box for box in self.stacked[process.index] if box.outlived_by(event)]:
            self._gone(process, box, event)

    def _gone(self, process: ReplayedProcess, box: Range, event: Event) -> None:
        self.mistakes.add("rma-window-gone", box.since, event, self.epochs(process, box.window))
        # From now on the memory may be in use for something else.
        self._remove(process, box)
        self.ranges[process.index].add(box._replace(told=True))

    def _add(self, process: ReplayedProcess, box: Range) -> None:
        self.ranges[process.index].add(box)
        if box.is_on_stack:
            self.stacked[process.index].append(box)

    def _remove(self, process: ReplayedProcess, box: Range) -> None:
        self.ranges[process.index].remove(box)
        if box in self.stacked[process.index]:
            self.stacked[process.index].remove(box)

    def _add_window(self, process: ReplayedProcess, event: WindowMade) -> Steps:
        if process.rank not in event.ranks or not self.indices.keys() >= set(event.ranks):
            yield DAMAGED
        mine = Epochs(event, event.ranks.index(process.rank))
        window = self.windows.setdefault(event.window, Window())
        window.epochs[process.index] = mine
        mine.merge_clock(process.clock, event.moment.number)
        if event.flavor != "dynamic" and event.length > 0:
            self._add(process, Range(event.base, event.base + event.length, event.window, event))
        key = "made", event.window
        meeting = self.messages.meet(process, key, mine.size)
        yield from self.messages.wait_for_all(process, meeting, event)
        if (event.flavor == "shared" or event.queried) and mine.size > 1:
            process.shares.append(event.window)

    def _freed(self, process: ReplayedProcess, event: WindowFreed) -> Steps:
        mine = self.epochs(process, event.window)
        if mine is None:
            return
        if mine.attempts.pop(event.moment.thread, "") != "free":
            self.mistakes.add_open_epochs(mine, event)
        for target in mine.targets():
            mine.end_local(target, process.index, process.time, event.moment.number)
            mine.end_remote(target, process.index, process.time, event.moment.number)
        mine.publish(process.time)
        key = "freed", event.window
        meeting = self.messages.meet(process, key, mine.size)
        if mine.no_locks is None:  # else the call need not wait (MPI-4.1, section 12.2.5)
            yield from self.messages.wait_for_all(process, meeting, event)
        # The window's memory has no second copy any more.
        mine.merge_clock(process.clock, event.moment.number)
        ranges, made = self.ranges[process.index], mine.made
        if made.flavor == "dynamic":
            ranges.keep(lambda box: box.window != event.window)
            stacked = self.stacked[process.index]
            stacked[:] = [box for box in stacked if box.window != event.window]
        for box in list(ranges.meeting(made.base, made.base + made.length)):
            if box.window == event.window:
                self._remove(process, box)
        if event.window in process.shares:
            process.shares.remove(event.window)
        mine.close()
