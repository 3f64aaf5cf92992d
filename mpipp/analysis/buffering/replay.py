# SPDX-License-Identifier: MIT
"""Replay of the steps of all processes without buffering, to find cycles of waits.

In the replay each standard send waits for its receive. Each blocking collective call waits for all
processes of its communicator. In each call MPI is free to wait or not to wait (MPI-4.1, sections
3.5 and 6.14). So with some library the program reaches each state of the replay, as long as its
processes observe the same as in the real run.

A receive of any message, or a test, may observe something else. If the replay cannot show that such
a call observes the same, its process may continue in another way: it is *free*. A process that
needs an operation of a free process is free, too. No process waits for a free one.
"""

from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import NamedTuple

from mpipp.analysis.buffering.steps import Channel, Step, Steps
from mpipp.common.lazy_dataclass import dataclass
from mpipp.model import Comm


class Wait(NamedTuple):
    """The wait of a process for another one.

    Attributes:
        rank: the process that waits.
        step: the step in which it waits.
        of: the step that started the operation that it waits for; `step` itself in a blocking call.
        on: the rank of the other process in MPI_COMM_WORLD.
    """

    rank: int
    step: Step
    of: Step
    on: int


class _Lack(enum.Enum):
    # The reason why a process stops, if it does not certainly wait for a rank.
    NOTHING = 0  # it does not stop
    UNKNOWN = 1  # whether the process stops depends on a free process
    CHOICE = 2  # the message taken in the run is not sent yet, but the step may take another one


@dataclass
class _Walk:
    """The progress of one process in the replay.

    Attributes:
        at: the number of its current step.
        is_begun: whether the operation of that step has started.
        is_free: whether its next steps are unknown.
    """

    of: Steps
    at: int = 0
    is_begun: bool = False
    is_free: bool = False
    sent: dict[Channel, int] = field(default_factory=dict)  # sends in all its steps
    received: dict[Channel, int] = field(default_factory=dict)
    opened: dict[int, int] = field(default_factory=dict)  # number of open receives
    joined: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for one in self.of.steps:
            _count(self, one)

    @property
    def step(self) -> Step | None:
        """The current step; None at the end."""
        steps = self.of.steps
        return steps[self.at] if self.at < len(steps) else None

    @property
    def is_finished(self) -> bool:
        """True if no further step is known."""
        return self.is_free or self.step is None


def _count(walk: _Walk, one: Step) -> None:
    if one.kind == "collective":
        walk.joined[one.identity] = max(one.ordinal, walk.joined.get(one.identity, 0))
    elif one.kind == "send" and one.channel is not None:
        walk.sent[one.channel] = one.ordinal
    elif one.kind == "receive" and (one.is_open or one.channel is None):
        walk.opened[one.identity] = walk.opened.get(one.identity, 0) + 1
    elif one.kind == "receive" and one.channel is not None:
        walk.received[one.channel] = one.least


class Replay:
    """Replays the steps of some processes.

    Args:
        every: the steps by rank in MPI_COMM_WORLD.
    """

    def __init__(self, every: Mapping[int, Steps]) -> None:
        self._walks = {rank: _Walk(of) for rank, of in every.items()}
        self._sent: defaultdict[Channel, int] = defaultdict(int)
        self._posted: defaultdict[Channel, int] = defaultdict(int)  # receives that are not open
        self._opened: defaultdict[tuple[int, int], int] = defaultdict(int)
        self._joined: defaultdict[tuple[int, int], dict[int, None]] = defaultdict(dict)
        self._members: dict[int, list[int]] = {}
        self._missing: dict[int, bool] = {}

    def cycles(self) -> Iterator[list[Wait]]:
        """Yield the cycles. The processes in a cycle then continue as if they had not waited."""
        while True:
            self._go_on()
            held = [rank for rank, walk in self._walks.items() if not walk.is_finished]
            if not held:
                return
            lacks = {rank: self._lacks(rank) for rank in held}
            free = [rank for rank in held if not isinstance(lacks[rank], int)]
            for rank in free:
                self._walks[rank].is_free = True
            if not free:
                cycle = self._cycle(held[0])
                yield cycle
                for wait in cycle:
                    self._pass(self._walks[wait.rank])

    def _go_on(self) -> None:
        # Lets each process make all steps for which it need not wait.
        moved = True
        while moved:
            moved = False
            for rank, walk in self._walks.items():
                while not walk.is_finished and self._is_through(rank, walk):
                    self._pass(walk)
                    moved = True

    def _is_through(self, rank: int, walk: _Walk) -> bool:
        step = walk.step
        assert step is not None
        if not walk.is_begun:
            self._begin(rank, step)
            walk.is_begun = True
        lacks = self._lacks(rank)
        if lacks is _Lack.UNKNOWN:
            walk.is_free = True
        return lacks is _Lack.NOTHING

    def _pass(self, walk: _Walk) -> None:
        walk.at += 1
        walk.is_begun = False

    def _begin(self, rank: int, step: Step) -> None:
        if step.kind == "collective":
            self._joined[step.identity, step.ordinal][rank] = None
        elif step.kind == "send" and step.channel is not None:
            self._sent[step.channel] = step.ordinal
        elif step.kind == "receive" and (step.is_open or step.channel is None):
            self._opened[step.identity, rank] += 1
        elif step.kind == "receive" and step.channel is not None:
            self._posted[step.channel] = step.least

    def _lacks(self, rank: int) -> _Lack | int:
        return next((one for _, one in self._waits(rank)), _Lack.NOTHING)

    def _waits(self, rank: int) -> Iterator[tuple[Step, _Lack | int]]:
        # The operations that stop a process in its current step, each with the reason.
        walk = self._walks[rank]
        step = walk.step
        assert step is not None
        number = step.start if step.kind == "completed" else walk.at
        if not step.waits and step.kind not in ("completed", "probe"):
            return
        for of in _operations(walk.of.steps, number):
            lack = self._needs(rank, of)
            if not step.waits and isinstance(lack, int):
                lack = _Lack.NOTHING if of.kind == "send" else _Lack.CHOICE
            if lack is not _Lack.NOTHING:
                yield of, lack

    def _needs(self, rank: int, of: Step) -> _Lack | int:
        if of.kind == "send":
            return self._send_needs(of)
        if of.kind == "collective":
            return self._collective_needs(rank, of)
        return self._receive_needs(of)

    def _send_needs(self, of: Step) -> _Lack | int:
        channel = of.channel
        if channel is None or "at once" in of.flags:
            return _Lack.NOTHING
        there = channel.identity, channel.receiver
        if self._posted[channel] + self._opened[there] >= of.ordinal:
            return _Lack.NOTHING
        # Any message may be buffered. So if the receives of the other process are unknown, the send
        # passes.
        other = self._walks.get(channel.receiver)
        may_be_more = other is None or not other.of.is_whole or other.is_free
        if other is not None and not other.is_finished:
            in_all = other.received.get(channel, 0) + other.opened.get(channel.identity, 0)
            if in_all >= of.ordinal:
                return channel.receiver
        return _Lack.UNKNOWN if may_be_more and "synchronous" in of.flags else _Lack.NOTHING

    def _receive_needs(self, of: Step) -> _Lack | int:
        channel = of.channel
        if channel is None:
            return _Lack.UNKNOWN
        there = self._sent[channel]
        if there >= of.ordinal:
            return _Lack.NOTHING
        other = self._walks.get(channel.sender)
        if other is None or other.is_finished or other.sent.get(channel, 0) < of.ordinal:
            return _Lack.UNKNOWN
        return channel.sender if not of.is_open and there < of.least else _Lack.CHOICE

    def _collective_needs(self, rank: int, of: Step) -> _Lack | int:
        members = self._members_of(rank, of.identity)
        joined = self._joined[of.identity, of.ordinal]
        if len(joined) == len(members):
            return _Lack.UNKNOWN if self._missing[of.identity] else _Lack.NOTHING
        late = [one for one in members if one not in joined]
        for one in late:
            walk = self._walks[one]
            if walk.is_finished or walk.joined.get(of.identity, 0) < of.ordinal:
                return _Lack.UNKNOWN
        return late[0]

    def _members_of(self, rank: int, identity: int) -> list[int]:
        # The processes of a communicator whose steps are known.
        if identity not in self._members:
            comm = self._walks[rank].of.comms.get(identity)
            ranks = _ranks(comm)
            self._members[identity] = [one for one in ranks if one in self._walks]
            self._missing[identity] = len(self._members[identity]) < len(ranks) or not ranks
        return self._members[identity]

    def _cycle(self, rank: int) -> list[Wait]:
        met: dict[int, Wait] = {}
        while rank not in met:
            step = self._walks[rank].step
            assert step is not None
            of, on = next(self._waits(rank))
            assert isinstance(on, int)
            met[rank] = Wait(rank, step, of, on)
            rank = on
        every = list(met.values())
        return every[list(met).index(rank) :]

    def awaited(self, wait: Wait) -> Step | None:
        """Return the later step of the other process that would end a wait; None if unknown."""
        walk = self._walks[wait.on]
        later = walk.of.steps[walk.at + walk.is_begun :]
        return next((one for one in later if _may_end(one, wait.of)), None)


def _may_end(one: Step, of: Step) -> bool:
    # Return whether a step is the other side of an operation.
    if of.kind == "collective":
        return one.kind == of.kind and (one.identity, one.ordinal) == (of.identity, of.ordinal)
    if of.kind != "send":
        return one.kind == "send" and one.channel == of.channel
    takes = one.channel is None or one.is_open or one.channel == of.channel
    return one.kind == "receive" and one.identity == of.identity and takes


def _operations(steps: list[Step], number: int) -> Iterator[Step]:
    # The operations that a step completes: two for MPI_Sendrecv.
    if 0 <= number < len(steps):
        if "pair" in steps[number].flags and number > 0:
            yield steps[number - 1]
        yield steps[number]


def _ranks(comm: Comm | None) -> list[int]:
    if comm is None or comm.inter or comm.world_ranks is None:
        return []
    return list(comm.world_ranks)
