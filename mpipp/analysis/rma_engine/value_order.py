# SPDX-License-Identifier: MIT
"""Search for the atomic operations that wrote the values which other processes have read.

A process may read one value of an element, and then another, without synchronization in between.
Then an atomic operation in between wrote the second value: any other store to the element must be
ordered with both reads (MPI-4.1, 12.7). If only one operation ever wrote that value, the writer is
known. The events are read once before the analysis.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from mpipp.analysis.rma_engine.accesses import bounds
from mpipp.model.message_events import ReceiveBegun, Sent
from mpipp.model.rma_events import (
    UNKNOWN,
    Access,
    Attached,
    Brought,
    Completed,
    Event,
    Finalized,
    Operation,
    Synchronization,
    WindowMade,
)

Key = tuple[int, int]  # of an operation: process, number of the event
Place = tuple[int, int, int]  # of an element: owner of the memory, address, bytes

MOST_VALUES = 32  # different values written to one element
MOST_PLACES = 1024
MOST_BOXES = 4096  # accesses that are not to a single element
MOST_BLIND = 1024  # updates of one element whose old value is not returned
_ANYWHERE = 0, 1 << 96
_TELL_NOTHING = ("flush", "flush_all", "flush_local", "flush_local_all", "unlock", "unlock_all")
_INTEGERS = frozenset(
    f"MPI_{name}"
    for name in (
        "CHAR SIGNED_CHAR UNSIGNED_CHAR BYTE SHORT UNSIGNED_SHORT INT UNSIGNED LONG UNSIGNED_LONG "
        "LONG_LONG LONG_LONG_INT UNSIGNED_LONG_LONG INT8_T INT16_T INT32_T INT64_T UINT8_T "
        "UINT16_T UINT32_T UINT64_T AINT OFFSET COUNT INTEGER INTEGER1 INTEGER2 INTEGER4 INTEGER8"
    ).split()
)


class _Write(NamedTuple):
    key: Key
    result: int | None  # the value before; None: unknown


class _Element:
    # The atomic operations on one element.

    def __init__(self) -> None:
        self.clear = True  # whether mpipp knows the effects of all operations
        self.writes: dict[int, list[_Write]] = {}  # by the value that a write leaves in the element
        self.blind: list[tuple[Key, int]] = []  # sums without a result, with the added amount
        self.sums = False
        self.replaces = False

    def wrote(self, key: Key, result: int | None, value: int) -> None:
        self.writes.setdefault(value, []).append(_Write(key, result))
        if len(self.writes) > MOST_VALUES:
            self.give_up()

    def give_up(self) -> None:
        self.clear = False
        self.writes.clear()
        self.blind.clear()


class _Read(NamedTuple):
    key: Key
    place: Place
    before: int
    value: int


class Values:
    """The order that values of atomic operations show.

    Attributes:
        reads: for each operation, the operations that happen before it, as its result shows.
        told: operations that the results of other operations show to happen before them.
    """

    def __init__(self) -> None:
        self.reads: dict[Key, tuple[Key, ...]] = {}
        self.told: set[Key] = set()
        self.elements: dict[Place, _Element] = {}
        self.places: dict[Key, Place] = {}
        self.lefts: dict[Key, int] = {}

    def place(self, key: Key) -> Place | None:
        """Return the element of an operation, if all operations on it are known."""
        return self.places.get(key)

    def written(self, key: Key) -> int | None:
        """Return the value that an operation left in the element, or None if it is unknown."""
        return self.lefts.get(key)

    def sources(self, place: Place, value: int) -> list[int | None]:
        """Return values whose writers may precede a reader of this value."""
        element = self.elements[place]
        if element.blind:
            return [None, *element.writes]
        if element.sums:
            return [left for left in element.writes if left <= value]
        return [value]


def understood(events: Mapping[int, Iterable[Event]]) -> Values:
    """Return the order that the values of atomic operations show, in all events of a run."""
    return _Reading(events).values


class _Reading:
    def __init__(self, events: Mapping[int, Iterable[Event]]) -> None:
        self.values = Values()
        self.elements: dict[Place, _Element] = {}
        self.boxes: set[tuple[int, int, int]] = set()
        self.reads: list[_Read] = []
        self.complete = True
        for rank, some in events.items():
            _OfProcess(self, rank).read(some)
        if self.complete and len(self.boxes) <= MOST_BOXES:
            self._order_readers()
        else:
            self.values = Values()

    def element(self, place: Place) -> _Element:
        known = self.elements.get(place)
        if known is None:
            known = self.elements[place] = _Element()
            if len(self.elements) > MOST_PLACES:
                self.complete = False
        return known

    def _order_readers(self) -> None:
        self._give_up_overlapping()
        for element in self.elements.values():
            sums = element.sums or element.blind
            if sums and (element.replaces or (element.blind and element.writes)):
                element.give_up()
        for read in self.reads:
            element = self.elements[read.place]
            if element.clear:
                found = self._blind(read, element) if element.blind else self._chain(read, element)
                others = tuple(key for key in found if key[0] != read.key[0])
                if others:
                    self.values.reads[read.key] = others
                    self.values.told.update(others)
        places, written = self.values.places, self.values.lefts
        self.values.elements = {at: one for at, one in self.elements.items() if one.clear}
        for key, place in list(places.items()):
            if not self.elements[place].clear:
                del places[key]
                written.pop(key, None)

    def _give_up_overlapping(self) -> None:
        # Drops elements whose bytes other accesses use, too.
        found = sorted((*place[:2], place[1] + place[2], place) for place in self.elements)
        for (owner, _, end, one), (other, low, _, two) in zip(found, found[1:]):
            if owner == other and low < end:
                self.elements[one].give_up()
                self.elements[two].give_up()
        if not self.boxes:
            return
        for owner, low, high, place in found:
            if any(box[0] == owner and box[1] < high and low < box[2] for box in self.boxes):
                self.elements[place].give_up()

    def _chain(self, read: _Read, element: _Element) -> list[Key]:
        # The operation that wrote the value, then the operation that wrote the value which the
        # first one read, and so on.
        found: list[Key] = []
        value = read.value
        while value != read.before:
            writers = element.writes.get(value, ())
            if len(writers) != 1 or writers[0].key in found or writers[0].key == read.key:
                break
            found.append(writers[0].key)
            if writers[0].result is None:
                break
            value = writers[0].result
        return found

    def _blind(self, read: _Read, element: _Element) -> list[Key]:
        # All updates without a result, if they explain the difference of the two values read.
        if read.value - read.before != sum(amount for _, amount in element.blind):
            return []
        keys = [key for key, _ in element.blind]
        return [] if any(key[0] == read.key[0] for key in keys) else keys


class _OfProcess:
    def __init__(self, reading: _Reading, rank: int) -> None:
        self.reading = reading
        self.rank = rank
        self.windows: dict[int, tuple[int, ...]] = {}
        self.requests: set[int] = set()
        self.pending: dict[int, tuple[Operation, Place]] = {}
        self.known: dict[Place, int] = {}  # the last known value
        self.base: dict[Place, int] = {}  # the last known value before others could change it

    def read(self, events: Iterable[Event]) -> None:
        ended = False
        for event in events:
            if isinstance(event, Operation):
                self._operation(event)
            elif isinstance(event, Brought):
                self._brought(event)
            elif isinstance(event, WindowMade):
                self.windows[event.window] = event.ranks
                self.known.clear()
                self.base.clear()
            elif isinstance(event, Finalized):
                ended = True
            elif not self._is_quiet(event):
                self.known.clear()
                self.base.clear()
            elif isinstance(event, Sent):
                self.base.clear()
        self.reading.complete &= ended and not self.pending

    def _is_quiet(self, event: Event) -> bool:
        # Return whether the event orders this process after no other.
        if isinstance(event, Synchronization):
            return event.kind in _TELL_NOTHING
        if isinstance(event, Completed):
            return self.requests.issuperset(event.requests)
        return isinstance(event, (Access, Attached, ReceiveBegun, Sent))

    def _operation(self, event: Operation) -> None:
        if event.request:
            self.requests.add(event.request)
        if event.kind == "get":
            return
        owners = self.windows.get(event.window, ())
        box = _ANYWHERE if event.at_target == UNKNOWN else bounds(event.at_target)
        if box is None or not 0 <= event.target < len(owners):
            return
        low, high = box
        if event.op != "MPI_NO_OP":
            self.base.clear()  # other processes may be ordered after these reads
        place = owners[event.target], low, high - low
        values = event.values
        if values is None or place[2] != values.size or len(event.at_target) != 1:
            if len(self.reading.boxes) <= MOST_BOXES:
                self.reading.boxes.add((place[0], low, high))
            return
        key = self.rank, event.moment.number
        element = self.reading.element(place)
        self.reading.values.places[key] = place
        if values.told:
            self.pending[event.moment.number] = event, place
        elif event.kind != "accumulate":
            element.give_up()
        else:
            self._updates(event, element, key, None)

    def _brought(self, event: Brought) -> None:
        found = self.pending.pop(event.operation, None)
        if found is None:
            return
        operation, place = found
        element, value = self.reading.element(place), event.value
        if value is None:
            element.give_up()
            self.known.clear()
            self.base.clear()
            return
        key = self.rank, event.operation
        before = self.known.get(place)
        base = self.base.get(place)
        if before is not None and before != value:
            since = before if base is None or base == value else base
            self.reading.reads.append(_Read(key, place, since, value))
        left = self._updates(operation, element, key, value)
        if before != value:
            self.known.clear()
            self.base.clear()
            if before is not None:
                self.base[place] = before if base is None else base
        self.known[place] = value if left is None else left

    def _updates(
        self, event: Operation, element: _Element, key: Key, result: int | None
    ) -> int | None:
        # The value that the operation leaves in the element; None: it does not write, or unknown.
        values = event.values
        assert values is not None
        if event.op == "MPI_NO_OP" or not element.clear:
            return None
        if event.kind == "compare_and_swap" and result != values.compared:
            return None
        if values.given is None:
            element.give_up()
            return None
        left = values.given
        if event.op == "MPI_SUM":
            element.sums = True
            limit = 1 << (8 * values.size - 1)
            added = values.given
            left = added + (result or 0)
            if not 0 < added <= left < limit or set(event.types) - _INTEGERS:
                element.give_up()
                return None
            if result is None:
                element.blind.append((key, added))
                if len(element.blind) > MOST_BLIND:
                    element.give_up()
                return None
        elif event.op not in ("", "MPI_REPLACE"):
            element.give_up()
            return None
        else:
            element.replaces = True
        element.wrote(key, result, left)
        self.reading.values.lefts[key] = left
        return left
