# SPDX-License-Identifier: MIT
"""Histories of channels, by the key that both processes of a channel share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import NamedTuple

from mpipp.analysis.context.process import Operation
from mpipp.analysis.context.world import Member, World
from mpipp.model import Call, Channel, Comm, KeptCall, Outline, Stretch


class Side:
    """The part of a channel in one process, with its known history."""

    def __init__(
        self, member: Member, channel: Channel, stretches: list[Stretch] | None = None
    ) -> None:
        self.member = member
        self.channel = channel
        self._given = stretches

    @cached_property
    def stretches(self) -> list[Stretch]:
        """The calls of the channel."""
        if self._given is not None:
            return self._given
        return self.member.process.registry.recorded_calls(self.member.comm, self.channel)

    @property
    def kinds(self) -> list[KeptCall]:
        """The different calls, in any order."""
        return self.member.process.registry.kinds(self.member.comm, self.channel)

    @property
    def outline(self) -> Outline | None:
        """The outline of all calls; None if the history is not simple enough."""
        return self.member.process.registry.outline(self.member.comm, self.channel)

    def operation(self, call: Call) -> Operation:
        """Return a call of this channel as an operation."""
        return Operation(self.member.process, call, None, None, self.member.comm)


class Key(NamedTuple):
    """A channel of messages, independent of the side from which it is seen."""

    identity: int  # identity of the communicator
    sender: int  # rank in MPI_COMM_WORLD, like `receiver`
    receiver: int
    tag: int
    partitioned: bool


_COLLECTIVE = ("collectives", "window calls", "file calls")
_MESSAGES = ("sends", "receives", "partitioned sends", "partitioned receives")
# Sequences that count messages. For partitioned operations they count each start, without the order
# between operations of one tag.
RECEIVED = {"sends": "receives", "partitioned send starts": "partitioned receive starts"}


def every(known: World, wanted: Callable[[Channel], bool] = bool) -> Iterator[Side]:
    """Yield the histories of the `wanted` channels, including channels of freed communicators."""
    for process in known.processes:
        for comm in known.comms(process):
            for channel in comm.channels:
                if channel.history and wanted(channel) and is_certain(comm, channel):
                    yield Side(Member(process, comm), channel)


def is_certain(comm: Comm, channel: Channel) -> bool:
    """Return whether calls with equal ordinals in a channel belong together."""
    return not channel.shared and channel.sequence not in comm.uncertain_all


def complete(known: World) -> Iterator[Side]:
    """Yield the channels of sends and receives that have all calls, perhaps in another order.

    A ledger that was not full is complete, even if the order of its calls is uncertain.
    """
    for process in known.processes:
        for comm in known.comms(process) if not process.registry.info.forgotten else ():
            for channel in comm.channels:
                if _is_complete(comm, channel):
                    yield Side(Member(process, comm), channel)


def _is_complete(comm: Comm, channel: Channel) -> bool:
    if channel.sequence not in ("sends", "receives") or not channel.history or channel.gaps:
        return False
    any_message = channel.sequence == "receives" and comm.frozen
    return channel.sequence not in comm.uncertain_all and not any_message


def key(known: World, side: Side) -> Key | None:
    """Return the key of a channel of messages; None for other channels or an unknown peer."""
    return _key(known, side) if is_message(side.channel) else None


def starts_key(known: World, side: Side) -> Key | None:
    """Return the key of a channel of starts of partitioned operations, or None."""
    return _key(known, side) if is_start(side.channel) else None


def _key(known: World, side: Side) -> Key | None:
    member, channel = side.member, side.channel
    own, peer = known.rank(member.process), known.world_rank(member, channel.peer)
    if own is None or peer is None:
        return None
    ranks = (own, peer) if is_sent(channel) else (peer, own)
    partitioned = channel.sequence.startswith("partitioned")
    return Key(member.comm.identity, *ranks, channel.tag, partitioned)


def is_message(channel: Channel) -> bool:
    """Return whether a channel counts sends or receives."""
    return channel.sequence in _MESSAGES


def is_start(channel: Channel) -> bool:
    """Return whether a channel counts starts of partitioned operations."""
    return channel.sequence.endswith("starts")


def is_collective(channel: Channel) -> bool:
    """Return whether a channel counts collective calls."""
    return channel.sequence in _COLLECTIVE


def is_sent(channel: Channel) -> bool:
    """Return whether a channel counts sends."""
    return "send" in channel.sequence
