# SPDX-License-Identifier: MIT
"""The effects of calls that synchronize a window (MPI-4.1, 12.5).

These calls end epochs, and order processes. A fence counts as a barrier after which all earlier
operations are complete everywhere, unless it certainly ends no epoch. A fence ends no epoch if it
asserts that no operation precedes, is the first fence, or follows one that asserts that none
succeeds. A flush, an unlock or a completed request orders no other process. Locks exclude, but do
not order.
"""

from __future__ import annotations

from collections.abc import Callable

from mpipp.analysis.rma_engine.access_rules import WRITTEN
from mpipp.analysis.rma_engine.accesses import Entry
from mpipp.analysis.rma_engine.epoch_errors import (
    Mistakes,
    fence_asserts_differ,
    is_gone,
    violations,
)
from mpipp.analysis.rma_engine.epochs import Epochs, Window
from mpipp.analysis.rma_engine.exposure_epochs import Exposures, Lasting
from mpipp.analysis.rma_engine.message_order import Meeting, Messages
from mpipp.analysis.rma_engine.process_clock import ReplayedProcess, Steps
from mpipp.analysis.rma_engine.thread_order import ALL, ThreadOrder
from mpipp.model.rma_events import Event, Synchronization

_COMPLETING = frozenset(
    (
        *("fence", "complete", "unlock", "unlock_all"),
        *("flush", "flush_all", "flush_local", "flush_local_all"),
    )
)


class Synchronizer:
    """The synchronization of all windows.

    `told_end` is called with operations that have ended at their origin.
    """

    def __init__(
        self,
        messages: Messages,
        mistakes: Mistakes,
        exposures: Exposures,
        indices: dict[int, int],
        order: ThreadOrder | None,
        told_end: Callable[[ReplayedProcess, list[Entry], int], None],
    ) -> None:
        self.messages = messages
        self.waits = messages.waits
        self.mistakes = mistakes
        self.exposures = exposures
        self.indices = indices
        self.order = order
        self.told_end = told_end

    def synchronize(
        self, process: ReplayedProcess, window: Window, mine: Epochs, event: Synchronization
    ) -> Steps:
        """Process one call."""
        kind, thread = event.kind, event.moment.thread
        if self.order is not None and not event.attempt:
            self._note_completion(self.order, process, event)
        if event.attempt or mine.attempts.pop(thread, "") != kind:
            for rule, other in violations(mine, event):
                self.mistakes.add(rule, event, other, mine)
        if event.attempt:
            # The call takes effect when it has succeeded.
            mine.attempts[thread] = kind
        elif kind == "fence":
            yield from self._fence(process, window, mine, event)
        elif kind == "post":
            self._post(process, window, mine, event)
        elif kind == "start":
            self._start(process, mine, event)
        elif kind == "complete":
            self._complete(process, window, mine, event)
        elif kind == "wait":
            yield from self._wait(process, window, mine, event)
        elif kind in ("lock", "lock_all"):
            self._lock(process, mine, event)
        elif kind in ("unlock", "unlock_all"):
            self._unlock(process, mine, event)
        elif kind == "sync":
            mine.publish(process.time)
            mine.merge_clock(process.clock, event.moment.number)
        else:
            self._flush(process, mine, event)

    def _note_completion(
        self, order: ThreadOrder, process: ReplayedProcess, event: Synchronization
    ) -> None:
        # Note a call that completes operations: those of all threads that happen before it.
        if event.kind in _COMPLETING:
            target = event.target if event.target >= 0 else ALL
            everywhere = "local" not in event.kind and event.kind != "complete"
            number = event.moment.number
            order.complete(process, event.window, target, number, everywhere=everywhere)

    def _fence(
        self, process: ReplayedProcess, window: Window, mine: Epochs, event: Synchronization
    ) -> Steps:
        before, opened = mine.meeting, mine.fence
        orders = opened is not None and "MPI_MODE_NOPRECEDE" not in event.asserted
        time = process.time
        if mine.used:
            mine.ends(opened, event)
        within, mine.within = mine.within, []
        key = "fence", event.window, mine.fences
        waits = orders and not event.request
        meeting = self.messages.meet(process, key, mine.size, waits=waits)
        first = window.fences.setdefault(mine.fences, event)
        if meeting.full:
            del window.fences[mine.fences]
        if first.asserted != event.asserted:
            for one, other in ((first, event), (event, first)):
                if fence_asserts_differ(one, other):
                    self.mistakes.add("rma-some-fences", one, other, mine if one is event else None)
        mine.fences += 1
        # Other processes may still be before this fence, but not before the previous one.
        if mine.no_put:
            mine.no_put = {at: said for at, said in mine.no_put.items() if at == mine.fences - 1}
        if "MPI_MODE_NOPUT" in event.asserted:
            mine.no_put[mine.fences] = event
        for target in mine.targets():
            self._end(process, mine, target, time, event, everywhere=True)
        mine.publish(time)

        def end(by: Event) -> Steps:
            if orders:
                yield from self.messages.wait_for_all(process, meeting, by)
                for post in within:
                    if before is not None and self._is_nested(process, before, post):
                        self.mistakes.add("rma-nested", post, opened, mine)
            mine.meeting = meeting
            mine.merge_clock(process.clock, by.moment.number)
            mine.fence = None if "MPI_MODE_NOSUCCEED" in event.asserted else event
            mine.used = False

        if event.request:
            process.requests[event.request] = end
        else:
            yield from end(event)

    def _is_nested(self, process: ReplayedProcess, fence: Meeting, post: Synchronization) -> bool:
        # Return whether the exposed memory was the target of operations in the fence's epoch. If an
        # origin has such operations itself, its call of MPI_Win_start is reported.
        origins = {self.indices[rank] for rank in post.group}
        return process.index in fence.targets and not origins & fence.origins

    def _post(
        self, process: ReplayedProcess, window: Window, mine: Epochs, event: Synchronization
    ) -> None:
        mine.publish(process.time)
        self.exposures.expose(process, event)
        mine.post_segment = process.current_segment()
        told = process.release()
        mine.post = event
        if mine.fence is not None:
            mine.within.append(event)
        mine.posted = {}
        for rank in event.group:
            origin = self.indices[rank]
            which = mine.posted[origin] = mine.posts.get(origin, 0)
            mine.posts[origin] = which + 1
            window.posts[process.index, origin, which] = told
            if "MPI_MODE_NOPUT" in event.asserted:
                window.no_put[process.index, origin, which] = event
            self.waits.done(("post", event.window, process.index, origin, which))

    def _start(self, process: ReplayedProcess, mine: Epochs, event: Synchronization) -> None:
        mine.start = event
        mine.start_segment = process.current_segment()
        mine.started = {}
        mine.joined = {}
        for rank in event.group:
            target = self.indices[rank]
            which = mine.started[target] = mine.starts.get(target, 0)
            mine.starts[target] = which + 1

    def _complete(
        self, process: ReplayedProcess, window: Window, mine: Epochs, event: Synchronization
    ) -> None:
        start, segment = mine.start, mine.start_segment
        if start is None or segment is None:
            return
        mine.ends(start, event)
        ranks: dict[int, list[int]] = {}
        for at, rank in enumerate(mine.made.ranks):
            ranks.setdefault(self.indices[rank], []).append(at)
        for target, which in mine.started.items():
            # The process has read a value there only after the target has posted.
            if any(
                entry.kind == WRITTEN and entry.epoch is start
                for at in ranks.get(target, ())
                for entry in mine.local.get(at, ())
            ):
                process.merge_clock(window.posts[target, process.index, which], event)
        time = process.time
        told = process.release()
        for target, which in mine.started.items():
            left: list[Entry] = []
            for at in ranks.get(target, ()):
                # The target knows when an origin buffer was read, but not when a result buffer was
                # written.
                for entry in mine.local.get(at, ()):
                    if entry.kind == WRITTEN:
                        entry.ends(process.index, process.time, event.moment.number)
                self._end(process, mine, at, time, event, everywhere=False)
                left += mine.remote.pop(at, [])
            for entry in left:
                entry.closed = event.moment.number
            window.completes[target, process.index, which] = told, left, start, segment
            self.waits.done(("complete", event.window, target, process.index, which))
        mine.start = None
        mine.started = {}

    def _wait(
        self, process: ReplayedProcess, window: Window, mine: Epochs, event: Synchronization
    ) -> Steps:
        post, exposing = mine.post, mine.post_segment
        if post is None or exposing is None:
            return
        mine.ends(post, event)
        posted, mine.posted, mine.post = mine.posted, {}, None
        exposed = self.exposures.exposed(process, event.window)

        def end(by: Event) -> Steps:
            ended: list[Entry] = []
            for origin, which in posted.items():
                key = process.index, origin, which
                while key not in window.completes:
                    yield "complete", event.window, *key
                told, left, start, segment = window.completes.pop(key)
                unchecked = ["MPI_MODE_NOCHECK" in one.asserted for one in (start, post)]
                if all(unchecked):
                    returned = Lasting(post, exposing)
                    returned.ends(exposing.clock[process.index], post.moment.number)
                    self.exposures.unchecked(Lasting(start, segment), returned)
                elif any(unchecked):
                    self.mistakes.add("rma-nocheck", start, post, mine)
                window.posts.pop(key, None)
                window.no_put.pop(key, None)
                process.merge_clock(told, by)
                ended += left
            for entry in ended:
                entry.ends(process.index, process.time, by.moment.number)
            if exposed is not None:
                exposed.ends(process.time, by.moment.number)
            mine.merge_clock(process.clock, by.moment.number)
            mine.stored = None

        if event.request:
            process.requests[event.request] = end
        else:
            yield from end(event)

    def _lock(self, process: ReplayedProcess, mine: Epochs, event: Synchronization) -> None:
        if event.kind == "lock_all":
            mine.all_locked = event
        else:
            mine.locks[event.target] = event
        self.exposures.lock(process, event, self._owner(mine, event))
        mine.merge_clock(process.clock, event.moment.number)

    def _unlock(self, process: ReplayedProcess, mine: Epochs, event: Synchronization) -> None:
        if event.kind == "unlock_all":
            mine.ends(mine.all_locked, event)
            mine.all_locked = None
            targets = mine.targets()
        else:
            mine.ends(mine.locks.pop(event.target, None), event)
            targets = [event.target]
        for target in targets:
            self._end(process, mine, target, process.time, event, everywhere=True)
        owner = self._owner(mine, event)
        mine.unguard(owner)
        self.exposures.unlock(process, event, owner)
        mine.publish(process.time)

    def _owner(self, mine: Epochs, event: Synchronization) -> int | None:
        # The owner of the memory that a call locks or unlocks; None: all.
        return None if event.target < 0 else self.indices[mine.made.ranks[event.target]]

    def _flush(self, process: ReplayedProcess, mine: Epochs, event: Synchronization) -> None:
        if not mine.locks and mine.all_locked is None:
            return
        everywhere = "local" not in event.kind
        targets = [event.target] if event.target >= 0 else [*mine.targets()]
        for target in targets:
            self._end(process, mine, target, process.time, event, everywhere=everywhere)

    def _end(
        self,
        process: ReplayedProcess,
        mine: Epochs,
        target: int,
        time: int,
        event: Event,
        *,
        everywhere: bool,
    ) -> None:
        ended = mine.end_local(target, process.index, time, event.moment.number)
        if ended:
            gone = {id(entry.event): entry.event for entry in ended if is_gone(entry, event)}
            for operation in gone.values():
                self.mistakes.add("rma-gone", operation, event, mine)
            self.told_end(process, ended, event.moment.number)
        if everywhere:
            mine.end_remote(target, process.index, time, event.moment.number)
