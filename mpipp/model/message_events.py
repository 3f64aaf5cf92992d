# SPDX-License-Identifier: MIT
"""Events of point-to-point messages, which order the processes."""

from __future__ import annotations

from typing import NamedTuple

from mpipp.model.moment import Moment


class Channel(NamedTuple):
    """The message channel of a send and its receive; `ordinal` counts its messages from 0.

    Attributes:
        context: the communicator's identity, equal in all processes.
        source, destination: ranks in MPI_COMM_WORLD.
    """

    context: int
    source: int
    destination: int
    tag: int
    ordinal: int


class Sent(NamedTuple):
    """The start of a send, blocking, nonblocking or persistent.

    Attributes:
        synchronous: the send completes only after the receive has begun.
        request: its number in the Completed event. 0: it is blocking and not synchronous, so it has
            already completed.
    """

    moment: Moment
    channel: Channel
    synchronous: bool = False
    request: int = 0


class ReceiveBegun(NamedTuple):
    """The start of a nonblocking or persistent receive, which will take this message.

    Only synchronous sends and races of messages need this event.

    Attributes:
        any_source, any_tag: whether the receive has these wildcards.
    """

    moment: Moment
    channel: Channel
    any_source: bool = False
    any_tag: bool = False


class Received(NamedTuple):
    """The completion of a receive.

    Attributes:
        any_source, any_tag: whether the receive has these wildcards.
        begun: there was a ReceiveBegun, so the receive was not blocking.
    """

    moment: Moment
    channel: Channel
    any_source: bool = False
    any_tag: bool = False
    begun: bool = False


class Probed(NamedTuple):
    """A probe has found a message, which a receive takes later.

    Attributes:
        any_source, any_tag: whether the probe has these wildcards.
    """

    moment: Moment
    channel: Channel
    any_source: bool = False
    any_tag: bool = False


class Partitions(NamedTuple):
    """Partitions of a message were marked ready, or have arrived.

    The partitions of a send and of its receive cover the same bytes, but may differ in number. So
    the bytes that are ready or have arrived are compared.

    Attributes:
        channel: its `ordinal` counts the partitioned sends, or receives, that were created for it.
        start: how often the operation had been started before.
        first, number: the partitions; `all`: number of partitions of the message on this side.
        ready: true for the sender. Otherwise the partitions have arrived; if the receive is
            complete, all have.
    """

    moment: Moment
    channel: Channel
    start: int
    first: int
    number: int
    all: int
    ready: bool
