# SPDX-License-Identifier: MIT
"""Sends, and the receives and probes that take their messages, with their order."""

from __future__ import annotations

from typing import NamedTuple, Union

from mpipp.analysis.rma_engine.process_clock import join_clocks
from mpipp.model.message_events import Channel, Probed, ReceiveBegun, Received, Sent

# The procedures whose probe also takes the message.
MATCHING = ("MPI_Mprobe", "MPI_Improbe")
# The calls that --provoke=match can change (wrapper/perturb/message_match.c).
_FORCED = ("MPI_Recv", "MPI_Irecv", "MPI_Probe", "MPI_Iprobe", *MATCHING)
Taking = Union[ReceiveBegun, Received, Probed]


class Send:
    """A send that has begun.

    Attributes:
        process: index of its process.
        told: the clock that its message carries.
        taker: the receive that takes its message, if it has begun.
        known_at: for a synchronous send the segment of its process in which it was complete: then
            its receive has matched. None: it is not complete, or not synchronous.
    """

    __slots__ = ("event", "known_at", "process", "taker", "told")

    def __init__(self, process: int, event: Sent, told: tuple[int, ...]) -> None:
        self.process = process
        self.event = event
        self.told = told
        self.taker: Taker | None = None
        self.known_at: int | None = None

    @property
    def number(self) -> int:
        """The number of the send's event."""
        return self.event.moment.number


class Taker:
    """A receive that takes a message, or a probe that finds one.

    Attributes:
        process: index of its process.
        event: its beginning; for a blocking call its end.
        ordinal: its number among the receives and probes of its process with MPI_ANY_SOURCE, from
            1; 0: it has a source.
        pending: earlier receives that had not ended when it began, as far as they matter.
        ended: the segment of its process in which it had ended; None: it is pending.
        shown_by: the probe directly before, which has found this message; None: there is none.
    """

    __slots__ = (
        "_clock",
        "ended",
        "event",
        "ordinal",
        "pending",
        "probes",
        "process",
        "send",
        "shown_by",
        "waiting",
    )

    def __init__(self, process: int, event: Taking, ordinal: int) -> None:
        self.process = process
        self.event = event
        self.ordinal = ordinal
        self.pending: tuple[Taker, ...] = ()
        self.ended: int | None = None
        self.probes = isinstance(event, Probed) and event.moment.procedure not in MATCHING
        self.send: Send | None = None
        self.shown_by: Taker | None = None
        # Pairs to compare when the message of this receive has been sent.
        self.waiting: list[tuple[Taker, Send]] = []
        self._clock: tuple[int, ...] | None = None

    @property
    def number(self) -> int:
        """The number of the event that began the receive or probe."""
        return self.event.moment.number

    @property
    def place(self) -> int:
        """The place of the message's call."""
        return self.event.moment.place

    def accepts(self, channel: Channel) -> bool:
        """Return whether the source and tag of a message fit; it must be of the same inbox."""
        event, own = self.event, self.event.channel
        return (event.any_source or own.source == channel.source) and (
            event.any_tag or own.tag == channel.tag
        )

    def precedes(self, told: tuple[int, ...]) -> bool:
        """Return whether a send with that clock begins after this receive certainly matched."""
        if self.ended is not None and told[self.process] >= self.ended:
            return True
        own = self.send
        if self.probes or own is None or own.known_at is None:
            return False
        return told[own.process] >= own.known_at

    def match_clock(self) -> tuple[int, ...] | Taker:
        """Return the clock of everything that must precede its match.

        If the result is a receive, the clock is not known until the message of that receive is
        sent.
        """
        if self._clock is not None:
            return self._clock
        if self.send is None:
            return self
        clock = self.send.told
        for front in self.pending:
            if front.accepts(self.send.event.channel):
                found = front.match_clock()
                if isinstance(found, Taker):
                    return found
                clock = join_clocks(clock, found)
        self._clock = clock
        return clock


class Race(NamedTuple):
    """A receive that could have taken another message, or two messages of one sender.

    Attributes:
        taker: the receive, or a probe.
        other: the send of the message that it could have taken.
        instead: the receive or probe that took this message; None: no call did.
        times: number of such messages at these places.
    """

    taker: Taker
    other: Send
    instead: Taker | None
    times: int = 1

    @property
    def taken(self) -> Send | None:
        """The send of the message that it took; None: it is not in the events."""
        return self.taker.send

    @property
    def can_be_forced(self) -> bool:
        """Return whether a run can let the receive take the other message.

        A nonblocking receive may wait forever if the other send follows the first one.
        """
        taken = self.taken
        if self.taker.event.moment.procedure not in _FORCED or taken is None:
            return False
        if not isinstance(self.taker.event, ReceiveBegun):
            return True
        return self.other.told[taken.process] < taken.told[taken.process]

    @property
    def is_of_one_sender(self) -> bool:
        """Return whether one process sent both messages, which then arrive in this order."""
        return self.taker.event.channel.source == self.other.event.channel.source

    @property
    def has_one_place(self) -> bool:
        """Return whether both messages are taken at the same place.

        False after a probe: its status is that of the first message.
        """
        if self.taker.shown_by is not None:
            return False
        return self.instead is not None and self.instead.place == self.taker.place
