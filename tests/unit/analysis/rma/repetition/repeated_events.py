# SPDX-License-Identifier: MIT
"""A list of events in which repetitions can be found and skipped, as in a log."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from mpipp.model.message_events import ReceiveBegun, Received, Sent
from mpipp.model.rma_events import Collective, Completed, Event, Operation


def without_numbers(event: Event) -> Hashable:
    """Return everything of an event except the numbers that increase in a loop."""
    moment = event.moment._replace(number=0)
    if isinstance(event, Completed):
        return event._replace(moment=moment, requests=(1,) * len(event.requests))
    if isinstance(event, Operation):
        return event._replace(moment=moment, request=bool(event.request))
    if isinstance(event, Collective):
        return event._replace(moment=moment, ordinal=0, request=bool(event.request))
    if isinstance(event, Sent):
        channel, request = event.channel._replace(ordinal=0), bool(event.request)
        return event._replace(moment=moment, channel=channel, request=request)
    if isinstance(event, (Received, ReceiveBegun)):
        return event._replace(moment=moment, channel=event.channel._replace(ordinal=0))
    return event._replace(moment=moment)


class RepeatedEvents:
    """The events of a process; `left_out` counts those that the analysis did not read."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._events = events
        self._next = 0
        self._round = 0
        self._index = {event.moment.number: at for at, event in enumerate(events)}
        self._signs = [without_numbers(event) for event in events]
        self.left_out = 0

    def __iter__(self) -> Iterator[Event]:
        while self._next < len(self._events):
            self._next += 1
            yield self._events[self._next - 1]

    def repetitions(self, first: int, last: int) -> int:
        """Return how often the events after number `first`, up to `last`, are repeated."""
        begin, end = self._index.get(first, -1) + 1, self._index[last] + 1
        size, signs = end - begin, self._signs
        self._round = size
        times = 0
        while size and signs[end + times * size : end + (times + 1) * size] == signs[begin:end]:
            times += 1
        return times

    def leave_out(self, times: int) -> None:
        """Skip this number of the repetitions that `repetitions` has just found."""
        self._next += times * self._round
        self.left_out += times * self._round
