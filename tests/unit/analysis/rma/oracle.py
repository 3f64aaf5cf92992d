# SPDX-License-Identifier: MIT
"""The conflicts in a small program, straight from the standard: slow, and independent of mpipp.

Every call has two points, its beginning and its end. Every access to memory has two more. Every
order in the standard is an edge between points. Two accesses are concurrent if there is no path
from the end of either to the beginning of the other. All pairs are tested.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from mpipp.model import rma_events as m
from mpipp.model.message_events import Received, Sent
from tests.unit.analysis.rma.event_programs import SIZES
from tests.unit.analysis.rma.memory_accesses import Touch, brings_alone, rule_of, spread

Call = tuple[int, int]  # process and number of the event
Told = tuple[str, int, int, int]  # rule, both processes, owner of the memory


class Oracle:
    """The graph of one program."""

    def __init__(self, events: dict[int, list[m.Event]]) -> None:
        self.events = events
        self.points = itertools.count()
        self.after: dict[int, set[int]] = {}
        self.begin: dict[Call, int] = {}
        self.end: dict[Call, int] = {}
        self.made: dict[tuple[int, int], m.WindowMade] = {}
        self.reached: dict[int, set[int]] = {}
        for process, some in events.items():
            last = None
            for event in some:
                call = process, event.moment.number
                self.begin[call], self.end[call] = self.point(), self.point()
                self.edge(self.begin[call], self.end[call])
                if last is not None:
                    self.edge(last, self.begin[call])
                last = self.end[call]
                if isinstance(event, m.WindowMade):
                    self.made[process, event.window] = event
        self.completions = {
            (process, request): event
            for process, some in events.items()
            for event in some
            if isinstance(event, m.Completed)
            for request in event.requests
        }
        self._messages()
        self._collectives()
        self._windows()
        self.touches = [
            touch
            for process, some in events.items()
            for event in some
            for touch in self._touches(process, event)
        ]

    def point(self) -> int:
        new = next(self.points)
        self.after[new] = set()
        return new

    def edge(self, one: int, other: int) -> None:
        self.after[one].add(other)

    def of(self, kind: type[m.Event]) -> Iterator[tuple[int, m.Event]]:
        for process, some in self.events.items():
            for event in some:
                if isinstance(event, kind):
                    yield process, event

    def finish(self, process: int, event: m.Event, request: int) -> int | None:
        """Return the end of a call or, if it has a request, of the call that completes the request.
        Return None if no call completes it."""
        if not request:
            return self.end[process, event.moment.number]
        by = self.completions.get((process, request))
        return self.end[process, by.moment.number] if by else None

    def ordered(self, one: int, other: int) -> bool:
        """Return whether there is a path between two points."""
        if one not in self.reached:
            seen, left = {one}, [one]
            while left:
                for point in self.after[left.pop()] - seen:
                    seen.add(point)
                    left.append(point)
            self.reached[one] = seen
        return other in self.reached[one]

    def _messages(self) -> None:
        sent = {event.channel: (process, event) for process, event in self.of(Sent)}
        for process, event in self.of(Received):
            source, send = sent[event.channel]
            here = process, event.moment.number
            self.edge(self.begin[source, send.moment.number], self.end[here])
            if send.synchronous:
                done = self.finish(source, send, send.request)
                if done is not None:
                    self.edge(self.begin[here], done)

    def _collectives(self) -> None:
        calls: dict[object, list[tuple[int, m.Event]]] = {}
        for process, event in self.of(m.Collective):
            calls.setdefault((event.context, event.ordinal), []).append((process, event))
        for process, event in self.of(m.WindowMade):
            calls.setdefault(event.window, []).append((process, event))
        for some in calls.values():
            for (process, event), (other, theirs) in itertools.permutations(some, 2):
                sources = getattr(event, "sources", None)
                brings = getattr(theirs, "gives", True) and (sources is None or other in sources)
                done = self.finish(process, event, getattr(event, "request", 0))
                if brings and done is not None:
                    self.edge(self.begin[other, theirs.moment.number], done)

    def calls(self, process: int, window: int, *kinds: str) -> list[m.Synchronization]:
        """The synchronization calls of these kinds, in order."""
        return [
            event
            for event in self.events[process]
            if isinstance(event, m.Synchronization)
            and event.window == window
            and event.kind in kinds
        ]

    def fence(self, process: int, window: int, which: int) -> m.Synchronization | None:
        """A process's fence, by its number."""
        fences = self.calls(process, window, "fence")
        return fences[which] if which < len(fences) else None

    def _windows(self) -> None:
        for process, window in self.made:
            for which, event in enumerate(self.calls(process, window, "fence")):
                before = self.fence(process, window, which - 1) if which else None
                if before is None or "MPI_MODE_NOSUCCEED" in before.asserted:
                    continue  # the fence certainly ends no epoch
                if "MPI_MODE_NOPRECEDE" in event.asserted:
                    continue
                for other in self.made[process, window].ranks:
                    theirs = self.fence(other, window, which)
                    assert theirs
                    begun = self.begin[other, theirs.moment.number]
                    self.edge(begun, self.end[process, event.moment.number])
            for which, wait in enumerate(self.calls(process, window, "wait")):
                post = self.calls(process, window, "post")[which]
                for origin in post.group:
                    complete = self.matching(post, origin, process)[1]
                    begun = self.begin[origin, complete.moment.number]
                    self.edge(begun, self.end[process, wait.moment.number])

    def matching(
        self, post: m.Synchronization, origin: int, target: int
    ) -> tuple[m.Synchronization, m.Synchronization]:
        """The start and the complete of an origin that match a post."""
        posts = [p for p in self.calls(target, post.window, "post") if origin in p.group]
        starts = [s for s in self.calls(origin, post.window, "start") if target in s.group]
        start = starts[posts.index(post)]
        number = self.calls(origin, post.window, "start").index(start)
        return start, self.calls(origin, post.window, "complete")[number]

    def held(self, process: int, window: int, target: int, before: int) -> str:
        """The lock of a process on a target at the time of an event."""
        held = ""
        for event in self.calls(process, window, "lock", "unlock", "lock_all", "unlock_all"):
            if event.moment.number >= before:
                break
            if event.kind.endswith("all"):
                held = "shared" if event.kind == "lock_all" else ""
            elif event.target == target:
                held = ("exclusive" if event.exclusive else "shared") * (event.kind == "lock")
        return held

    def within(self, touch: Touch) -> bool:
        """Return whether an unlock completes an access that began under the lock."""
        if touch.kind not in ("reads", "writes"):
            return True  # the operations are complete at the target by then
        target = self.made[touch.process, touch.window].ranks.index(touch.owner)
        unlocks = (
            call
            for call in self.calls(touch.process, touch.window, "unlock", "unlock_all")
            if call.target in (-1, target) and call.moment.number > touch.event.moment.number
        )
        return self.ordered(touch.ends, self.end[touch.process, next(unlocks).moment.number])

    def _touches(self, process: int, event: m.Event) -> Iterator[Touch]:
        if isinstance(event, m.Access):
            owner = process if event.owner < 0 else event.owner
            kind = "store" if event.store else "load"
            call = process, event.moment.number
            yield self._local(
                process, event, kind, owner, event.memory, self.begin[call], self.end[call]
            )
        elif isinstance(event, m.Operation):
            yield from self._operation(process, event)

    def _local(
        self,
        process: int,
        event: m.Event,
        kind: str,
        owner: int,
        memory: m.Memory,
        begins: int,
        ends: int,
    ) -> Touch:
        bytes_ = frozenset(spread(memory))
        window, lock = 0, ""
        for (other, identity), made in self.made.items():
            if other == owner and any(
                made.base <= byte < made.base + made.length for byte in bytes_
            ):
                window = identity
                lock = self.held(process, window, made.ranks.index(owner), event.moment.number)
        return Touch(event, process, kind, owner, bytes_, begins, ends, window, lock, {})

    def _operation(self, process: int, event: m.Operation) -> Iterator[Touch]:
        number, window = event.moment.number, event.window
        owner = self.made[process, window].ranks[event.target]
        called = self.begin[process, number]
        begins, done, gone = self.point(), self.point(), self.point()
        read = self.point()
        self.edge(called, begins)
        self.edge(begins, done)
        self.edge(called, gone)
        self.edge(called, read)
        self.edge(read, gone)
        lock = self.held(process, window, event.target, number)
        later = [e for e in self.events[process] if e.moment.number > number]
        fences = [e for e in self.calls(process, window, "fence") if e.moment.number < number]
        starts = [
            e for e in self.calls(process, window, "start", "complete") if e.moment.number < number
        ]
        if lock:
            self._passive(process, event, later, done, gone)
        elif starts and starts[-1].kind == "start" and owner in starts[-1].group:
            self._active(process, owner, event, starts[-1], (begins, done, gone, read))
        elif fences and "MPI_MODE_NOSUCCEED" not in fences[-1].asserted:
            theirs = self.fence(owner, window, len(fences) - 1)
            assert theirs
            self.edge(self.begin[owner, theirs.moment.number], begins)
            closing = self.fence(process, window, len(fences))
            if closing:
                for point in (done, gone):
                    self.edge(point, self.begin[process, closing.moment.number])
        else:
            return  # outside any epoch
        parts = [("writes" if event.kind == "get" else "reads", event.origin)]
        parts += [("reads", event.compare), ("writes", event.result)]
        for kind, memory in parts:
            if memory:
                ends = read if kind == "reads" else gone
                yield self._local(process, event, kind, process, memory, called, ends)
        typed: dict[int, tuple[str, int]] = {}
        for at, comb in enumerate(event.at_target):
            type_ = event.types[at if len(event.types) > 1 else 0] if event.types else ""
            for block in range(comb.times):
                begin = comb.first + block * comb.stride
                for byte in range(comb.length):
                    typed[begin + byte] = type_, begin + byte - byte % SIZES[type_]
        kind = event.kind if event.kind in ("get", "put") else "accumulate"
        op = "MPI_REPLACE" if event.kind == "compare_and_swap" else event.op
        yield Touch(
            event, process, kind, owner, frozenset(typed), begins, done, window, lock, typed, op
        )

    def _passive(
        self, process: int, event: m.Operation, later: list[m.Event], done: int, gone: int
    ) -> None:
        # The point of the next call that completes the operation: a flush, unlock or completed
        # request.
        def ends(local: bool) -> int | None:
            for other in later:
                completes = isinstance(other, m.Completed) and event.request in other.requests
                if local and completes and event.request:
                    return self.end[process, other.moment.number]
                if not isinstance(other, m.Synchronization) or other.window != event.window:
                    continue
                if other.kind in ("unlock_all", "flush_all") or (
                    other.kind in ("unlock", "flush") and other.target == event.target
                ):
                    return self.end[process, other.moment.number]
                if local and (
                    other.kind == "flush_local_all"
                    or (other.kind == "flush_local" and other.target == event.target)
                ):
                    return self.end[process, other.moment.number]
            return None

        for point, local in ((done, brings_alone(event)), (gone, True)):
            end = ends(local)
            if end is not None:
                self.edge(point, end)

    def _active(
        self,
        process: int,
        owner: int,
        event: m.Operation,
        start: m.Synchronization,
        points: tuple[int, int, int, int],
    ) -> None:
        # The accesses lie after the target's post, and before complete at the origin and wait at
        # the target.
        begins, done, gone, read = points
        for which, post in enumerate(self.calls(owner, event.window, "post")):
            if process not in post.group:
                continue
            theirs, complete = self.matching(post, process, owner)
            if theirs is not start:
                continue
            self.edge(self.begin[owner, post.moment.number], begins)
            self.edge(gone, self.end[process, complete.moment.number])
            waits = self.calls(owner, event.window, "wait")
            if brings_alone(event):
                self.edge(done, self.end[process, complete.moment.number])
            if event.result:  # the result has arrived
                self.edge(begins, self.end[process, complete.moment.number])
            if which < len(waits):
                for point in (done, read):
                    self.edge(point, self.end[owner, waits[which].moment.number])

    def spans(
        self, process: int, window: int, opens: str, closes: str
    ) -> Iterator[tuple[m.Synchronization, int, int]]:
        """The call that opens each epoch of a kind, and the epoch's first and last point."""
        closing = self.calls(process, window, closes)
        for opened in self.calls(process, window, opens):
            number = opened.moment.number
            of_it = (
                self.end[process, one.moment.number]
                for one in closing
                if one.moment.number > number and one.target == opened.target
            )
            yield opened, self.begin[process, number], next(of_it)

    def exposed(self) -> set[tuple[int, int]]:
        """Places of locks that may overlap an exposure epoch of the locked process,
        with its post."""
        found = set()
        for (owner, window), (actor, other) in itertools.permutations(self.made, 2):
            if window != other or owner == actor:
                continue
            target = self.made[actor, window].ranks.index(owner)
            locks = [
                *self.spans(actor, window, "lock", "unlock"),
                *self.spans(actor, window, "lock_all", "unlock_all"),
            ]
            for post, posted, waited in self.spans(owner, window, "post", "wait"):
                for lock, locked, unlocked in locks:
                    if lock.target not in (-1, target):
                        continue
                    if not self.ordered(waited, locked) and not self.ordered(unlocked, posted):
                        found.add((lock.moment.place, post.moment.place))
        return found

    def conflicts(self, *, certain: bool = False, apart: bool = False) -> set[Told]:
        """The conflicts in the program.

        Args:
            certain: leave out those in which a process may have polled.
            apart: leave out operations that conflict with themselves.
        """
        found = set()
        pairs = list(self.pairs())
        alone = [one.event for rule, one, _ in pairs if rule == "rma-itself"]
        for rule, one, other in pairs:
            if certain and self.polls(one, other):
                continue
            if apart and any(one.event is event or other.event is event for event in alone):
                continue
            processes = one.process, other.process
            found.add((rule, min(processes), max(processes), one.owner))
        return found

    def polls(self, one: Touch, other: Touch) -> bool:
        """Return whether the accesses are valid in the unified model (MPI-4.1, 12.7) and look like
        polling.

        Rule 2 says that a load may access the target of a remote update. Rule 3 says that a store
        may update the target of a remote read. MPI_Win_sync must be next to the load or store.
        """
        for own, remote in ((one, other), (other, one)):
            reads = remote.kind == "get" or remote.op == "MPI_NO_OP"
            updates = remote.kind in ("put", "accumulate")
            valid = (own.kind == "load" and updates) or (own.kind == "store" and reads)
            if valid and own.process != remote.process and own.window and not self._separate(own):
                return self._is_next_to_sync(own)
        return False

    def _is_next_to_sync(self, touch: Touch) -> bool:
        # Only other loads and stores may lie in between.
        events = self.events[touch.process]
        at = next(i for i, event in enumerate(events) if event is touch.event)
        for some in (events[at + 1 :], events[:at][::-1]):
            for event in some:
                if not isinstance(event, m.Access):
                    is_sync = isinstance(event, m.Synchronization) and event.kind == "sync"
                    if is_sync and event.window == touch.window:
                        return True
                    break
        return False

    def pairs(self) -> Iterator[tuple[str, Touch, Touch]]:
        """The conflicts: rule and both accesses."""
        for one, other in itertools.combinations(self.touches, 2):
            if one.owner != other.owner:
                continue
            rule = (
                self._rule_of_one(one, other)
                if one.event is other.event
                else self._rule(one, other)
            )
            if rule:
                yield rule, one, other

    def _rule_of_one(self, one: Touch, other: Touch) -> str:
        # An overlap of an operation's own buffers is reported by another check.
        if {one.kind, other.kind} <= {"reads", "writes"} or not one.bytes & other.bytes:
            return ""
        made = self.made.get((one.process, one.window))
        return "rma-itself" if rule_of(one, other, made) else ""

    def _rule(self, one: Touch, other: Touch) -> str:
        others = one.process != other.process and one.window == other.window
        locked = one.lock and other.lock and "exclusive" in (one.lock, other.lock)
        if others and locked and self.within(one) and self.within(other):
            # Exclusive locks order the accesses, either way.
            return ""
        if self.ordered(one.ends, other.begins):
            return self._copies(one, other)
        if self.ordered(other.ends, one.begins):
            return self._copies(other, one)
        separate = self._separate(one)
        kinds = {one.kind, other.kind}
        if not one.bytes & other.bytes:
            update = kinds & {"put", "accumulate"}
            same = one.window == other.window
            return "rma-apart" if separate and same and "store" in kinds and update else ""
        return rule_of(one, other, self.made.get((one.process, one.window)))

    def _separate(self, touch: Touch) -> bool:
        made = self.made.get((touch.owner, touch.window))
        return made is not None and made.separate

    def _copies(self, first: Touch, second: Touch) -> str:
        # The accesses are ordered. Return the rule that they break if the second uses a stale copy.
        window = first.window
        if not self._separate(first) or window != second.window:
            return ""
        meets = bool(first.bytes & second.bytes)
        owner = first.owner
        local = ("load", "store", "reads", "writes")
        if first.kind in ("put", "accumulate") and second.kind in local:
            if not meets and second.kind != "store":
                return ""
            kinds = ("wait", "fence", "lock", "lock_all", "sync")
            seen = any(
                self.ordered(first.ends, self.end[owner, call.moment.number])
                and call.moment.number < second.event.moment.number
                for call in self.calls(owner, window, *kinds)
            )
            # The call that creates a window makes all earlier changes of its memory visible.
            return "" if seen else "rma-copies"
        if first.kind in ("store", "writes") and second.kind in ("get", "put", "accumulate"):
            if not meets and (second.kind == "get" or first.kind == "writes"):
                return ""
            kinds = ("post", "fence", "unlock", "unlock_all", "sync")
            seen = any(
                self.ordered(self.begin[owner, call.moment.number], second.begins)
                and self.ordered(first.ends, self.end[owner, call.moment.number])
                for call in self.calls(owner, window, *kinds)
            )
            return "" if seen else "rma-copies"
        return ""
