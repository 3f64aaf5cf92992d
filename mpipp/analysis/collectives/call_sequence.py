# SPDX-License-Identifier: MIT
"""The sequence of communicators on which a process has made collective calls.

A *turn* is a number of consecutive calls on one communicator.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from mpipp.analysis.calls.leaks import at_the_end
from mpipp.analysis.context.channel_history import Side, is_certain
from mpipp.analysis.context.process import Process
from mpipp.analysis.context.world import World
from mpipp.model import Call, Channel, Comm, Stretch

SEQUENCES = ("collectives", "turns")  # sequences of the channels that record the order
_WORLD = 1  # identity of MPI_COMM_WORLD


class Turn(NamedTuple):
    """Consecutive calls of a process on one communicator."""

    identity: int
    first: int  # first and last ordinal on the communicator
    last: int


class Turns:
    """The turns of one process.

    Attributes:
        sides: the history of each communicator, by identity.
        past: the turns, as calls of MPI_Barrier: the root is an identity, the tag a number of
            calls.
    """

    def __init__(self, sides: Iterable[Side], past: list[Stretch]) -> None:
        self.sides = {side.member.comm.identity: side for side in sides}
        self.past = past

    def each(self, most: int) -> Iterator[Turn | None]:
        """Yield the turns in order; None at the end if there are more than `most`."""
        told: dict[int, int] = {}
        number = 0
        for stretch in self.past:
            if stretch.first != number + 1:
                return  # some turns are unknown
            for ordinal in range(stretch.first, stretch.end):
                identity, count = turn_of(stretch.at(ordinal).call)
                first = told.get(identity, 0) + 1
                told[identity] = first + count - 1
                yield Turn(identity, first, told[identity])
                number += 1
                if number >= most:
                    yield None
                    return
        left = self.uncovered_turns(told)
        if len(left) == 1:
            yield left[0]

    def uncovered_turns(self, told: Mapping[int, int]) -> list[Turn]:
        """Return the calls that the recorded turns do not cover, as a turn for each communicator.

        Args:
            told: the number of calls in recorded turns, for each communicator.
        """
        return [
            Turn(identity, told.get(identity, 0) + 1, side.channel.count)
            for identity, side in self.sides.items()
            if side.channel.count > told.get(identity, 0)
        ]


def is_in_turns(channel: Channel) -> bool:
    """Return whether a channel's turns are recorded; `recorded_turns` skips intercommunicators."""
    return channel.sequence == "collectives" and not channel.frozen


def recorded_turns(known: World, process: Process, sides: Iterable[Side]) -> Turns | None:
    """Return the turns of a process on these channels; None before its end, or if unknown."""
    world = next((one for one in known.comms(process) if one.identity == _WORLD), None)
    if world is None or known.rank(process) is None or not at_the_end(process):
        return None
    past = _recorded_turns(process, world)
    intra = [s for s in sides if is_in_turns(s.channel) and not s.member.comm.inter]
    return Turns(intra, past) if past and intra else None


def turn_of(call: Call) -> tuple[int, int]:
    """Return a turn's communicator (its identity) and number of calls."""
    return (call.root or 0) & (1 << 64) - 1, call.tag or 0


def blocks(call: Call) -> bool:
    """Return whether a collective call may wait for all others; neighborhood calls need not."""
    return call.facts.form == "blocking" and not call.facts.among_neighbors


def _recorded_turns(process: Process, world: Comm) -> list[Stretch]:
    for channel in world.channels:
        if channel.sequence == "turns" and channel.history and is_certain(world, channel):
            return process.registry.recorded_calls(world, channel)
    return []
