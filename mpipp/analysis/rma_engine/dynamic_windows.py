# SPDX-License-Identifier: MIT
"""Check that memory in dynamic windows is attached when an operation uses it (MPI-4.1, 12.2.4).

Memory is certainly not attached if each attachment was detached before the operation starts, or is
made only after its end. A concurrent attachment may have come in time.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import NamedTuple

from mpipp.analysis.rma_engine.accesses import PENDING, Accesses, Entry, bounds
from mpipp.analysis.rma_engine.process_clock import ReplayedProcess, common_segments
from mpipp.datatypes.memory import intersection, strided_sets
from mpipp.model.rma_events import Attached, Memory, Operation

SWEEP = 256  # detachments between two searches for attachments that need not be kept
MOST_DOUBTFUL = 4096  # operations that are kept until all attachments are known


class _Attachment(NamedTuple):
    # Memory attached to a window, with the process's clock at that time.
    low: int
    high: int
    window: int
    number: int
    clock: tuple[int, ...]


class Attachments:
    """The attachments of all processes, by their indices."""

    def __init__(self, processes: list[ReplayedProcess]) -> None:
        self.processes = processes
        self._made = [Accesses[_Attachment]() for _ in processes]
        # The segment and the event in which each was detached.
        self._ended: dict[_Attachment, tuple[int, Attached]] = {}
        self._kept = 0  # length of `_ended` after the last sweep
        # Keys: process, line, process with the memory, and memory. One operation is kept for each.
        self._doubtful: dict[tuple[int, int, int, Memory], Entry] = {}
        self.forgotten = 0

    def change(self, process: ReplayedProcess, event: Attached) -> None:
        """Add an attachment or detachment."""
        made, low, number = self._made[process.index], event.base, event.moment.number
        if event.attached:
            clock = tuple(process.clock)
            if event.length > 0:
                made.add(_Attachment(low, low + event.length, event.window, number, clock))
            return
        for one in made.meeting(low, low + 1):
            if (one.low, one.window) == (low, event.window) and one not in self._ended:
                self._ended[one] = process.time, event
        if len(self._ended) > 2 * self._kept + SWEEP:
            self._sweep()

    def shape(self) -> Hashable:
        """Return a value that changes whenever one more operation is kept."""
        return tuple((key, id(entry)) for key, entry in self._doubtful.items()), self.forgotten

    def _sweep(self) -> None:
        # Drops attachments whose end is ordered before all processes: only earlier operations need
        # them.
        known = common_segments(self.processes)
        needed = {one for entry in self._doubtful.values() for one in self._of(entry)}
        for owner, made in enumerate(self._made):
            past = {
                one
                for one in made
                if one in self._ended and self._ended[one][0] <= known[owner] and one not in needed
            }
            made.keep(lambda one: one not in past)  # noqa: B023 (it is called here alone)
            for one in past:
                del self._ended[one]
        self._kept = len(self._ended)

    def look(self, entry: Entry) -> None:
        """Keep an operation on a dynamic window if its memory may be unattached."""
        # For a process that is checked alone, the attachments of others are unknown.
        if self.processes[entry.owner].rank >= 0 and self._lacks(entry):
            key = entry.actor, entry.event.moment.place, entry.owner, entry.memory
            before = self._doubtful.get(key)
            if before is None and not self._has_room():
                self.forgotten += 1
            elif before is None or not self._lacks(before):
                self._doubtful[key] = entry

    def _has_room(self) -> bool:
        # Makes space by dropping operations whose memory was attached in time after all.
        doubtful = self._doubtful
        if len(doubtful) >= MOST_DOUBTFUL and self.forgotten % MOST_DOUBTFUL == 0:
            self._doubtful = {key: one for key, one in doubtful.items() if self._lacks(one)}
        return len(self._doubtful) < MOST_DOUBTFUL

    def lacking(self) -> Iterator[tuple[Operation, Attached | None]]:
        """Yield operations on memory that was certainly not attached, and its detaching event."""
        for entry in self._doubtful.values():
            event = entry.event
            known = self.processes[entry.owner].ended
            if known and self._lacks(entry) and isinstance(event, Operation):
                yield event, self._last(entry)

    def _lacks(self, entry: Entry) -> bool:
        box, comb = bounds(entry.memory), entry.comb
        if box is None or comb is None:
            return False
        there = [
            (one.low, one.high) for one in self._of(entry) if self._may_be_attached(one, entry)
        ]
        for low, high in _gaps(*box, there):
            gap = strided_sets.comb(low, high - low, ())
            if gap is not None and intersection.touch(comb, gap):
                return True
        return False

    def _of(self, entry: Entry) -> Iterator[_Attachment]:
        # The attachments with any of the operation's bytes.
        box = bounds(entry.memory)
        made = self._made[entry.owner].meeting(*box) if box else ()
        return (one for one in made if one.window == entry.window)

    def _may_be_attached(self, one: _Attachment, entry: Entry) -> bool:
        if entry.end_time != PENDING:
            if entry.end_process == entry.owner:
                too_late = entry.end_number < one.number
            else:
                too_late = entry.end_time <= one.clock[entry.end_process]
            if too_late:
                return False
        return not self._is_detached(one, entry)

    def _is_detached(self, one: _Attachment, entry: Entry) -> bool:
        # Return whether the memory was detached before the operation began.
        if one not in self._ended:
            return False
        time, event = self._ended[one]
        if entry.actor == entry.owner:
            return event.moment.number < entry.event.moment.number
        return time <= entry.segment.clock[entry.owner]

    def _last(self, entry: Entry) -> Attached | None:
        # The last detachment of any of the bytes.
        box, found = bounds(entry.memory), None
        for one in self._of(entry):
            if box and one.low < box[1] and box[0] < one.high and self._is_detached(one, entry):
                event = self._ended[one][1]
                if found is None or event.moment.number > found.moment.number:
                    found = event
        return found


def _gaps(low: int, high: int, ranges: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    # The parts of [low, high) outside all ranges.
    for first, end in sorted(ranges):
        if first >= high:
            break
        if low < first:
            yield low, first
        low = max(low, end)
    if low < high:
        yield low, high
