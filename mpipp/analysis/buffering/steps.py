# SPDX-License-Identifier: MIT
"""The steps of a process: the starts of its operations, and the calls that waited for them.

wrapper/recorder/matching/call_order.h describes how the wrapper records them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from typing import NamedTuple

from mpipp.analysis.calls.leaks import at_the_end
from mpipp.analysis.context.channel_history import is_certain
from mpipp.analysis.context.process import Process
from mpipp.analysis.context.world import Member, World
from mpipp.common.lazy_dataclass import dataclass
from mpipp.model import Call, Comm

_WORLD = 1  # identity of MPI_COMM_WORLD
_KINDS = ("send", "receive", "collective", "completed", "probe", "end", "cut")


class Channel(NamedTuple):
    """The messages with one tag from one process to another; ranks in MPI_COMM_WORLD."""

    identity: int  # identity of the communicator
    sender: int
    receiver: int
    tag: int


@dataclass(frozen=True)
class Step:
    """One step of a process.

    Attributes:
        kind: "send", "receive", "collective", "completed", "probe".
        flags: those of the wrapper's enumeration `step_flag`.
        call: the call with its place; its source is the peer's rank on the communicator.
        identity: the communicator's identity; 0: none.
        channel: the channel of the message; for a receive of any message, the channel of the
            message that it took. None: unknown.
        ordinal: of a collective call on its communicator, or of a message in its channel.
        least: for a receive that is not open, its ordinal among such receives; else 0.
        start: for a completion the number of the step that started the operation.
        is_open: whether the receive or probe could have taken another message.
    """

    kind: str
    flags: frozenset[str]
    call: Call
    identity: int
    channel: Channel | None = None
    ordinal: int = 0
    least: int = 0
    start: int = -1
    is_open: bool = False

    @property
    def waits(self) -> bool:
        """True if the step's call returns only when the operation is complete."""
        return "waits" in self.flags

    @property
    def is_any(self) -> bool:
        """True if the step accepts any source or any tag."""
        return "any source" in self.flags or "any tag" in self.flags


@dataclass
class Steps:
    """The steps of one process.

    Attributes:
        is_whole: whether all steps up to the end are known.
    """

    process: Process
    rank: int
    comms: dict[int, Comm]
    steps: list[Step] = field(default_factory=list)
    is_whole: bool = False


def recorded(known: World, most: int) -> dict[int, Steps]:
    """Return the steps of the processes that have ended, by rank in MPI_COMM_WORLD.

    Args:
        most: the number of steps of all processes; later steps are left out.
    """
    ended = [process for process in known.processes if at_the_end(process)]
    found = {}
    for process in ended:
        rank = known.rank(process)
        comms = {comm.identity: comm for comm in known.comms(process)}
        if rank is not None and _WORLD in comms:
            of = Steps(process, rank, comms)
            _read(known, of, comms[_WORLD], most // len(ended))
            if of.steps:
                found[rank] = of
    resolve(found, known.size)
    return found


def _read(known: World, of: Steps, world: Comm, most: int) -> None:
    for call in _calls(of.process, world):
        kind = next((kind for kind in _KINDS if kind in call.arguments), "")
        if kind == "end":
            of.is_whole = True
            return
        if kind not in _KINDS or kind == "cut" or len(of.steps) >= most:
            return
        of.steps.append(_step(known, of, kind, call))


def _calls(process: Process, world: Comm) -> Iterator[Call]:
    for channel in world.channels:
        if channel.sequence == "steps" and channel.history and is_certain(world, channel):
            following = 1
            for stretch in process.registry.recorded_calls(world, channel):
                if stretch.first != following:
                    return
                following = stretch.end
                for ordinal in range(stretch.first, stretch.end):
                    yield stretch.at(ordinal).call


def _step(known: World, of: Steps, kind: str, call: Call) -> Step:
    number = len(of.steps)
    identity = _number(call, "comm")
    flags = frozenset(call.arguments)
    if kind == "collective":
        return Step(kind, flags, call, identity, ordinal=_number(call, "ordinal"))
    if kind != "completed":
        channel = _channel(known, of, kind, identity, call)
        return Step(kind, flags, call, identity, channel)
    start = number - _number(call, "distance")
    if 0 <= start < number and of.steps[start].is_any and of.steps[start].channel is None:
        # The completion shows which message a receive of any message took.
        begun = of.steps[start]
        took = _channel(known, of, "receive", begun.identity, call)
        of.steps[start] = replace(begun, channel=took)
    return Step(kind, flags, call, 0, start=start)


def _number(call: Call, name: str) -> int:
    value = call.arguments.get(name)
    return value if isinstance(value, int) else 0


def _channel(known: World, of: Steps, kind: str, identity: int, call: Call) -> Channel | None:
    comm = of.comms.get(identity)
    if comm is None or call.source is None or call.source < 0 or (call.tag or 0) < 0:
        return None
    peer = known.world_rank(Member(of.process, comm), call.source)
    if peer is None:
        return None
    ranks = (of.rank, peer) if kind == "send" else (peer, of.rank)
    return Channel(identity, *ranks, call.tag or 0)


def resolve(found: Mapping[int, Steps], size: int) -> None:
    """Number the messages of each channel, and find receives that could have taken another message.

    Args:
        found: the steps by rank in MPI_COMM_WORLD.
        size: size of MPI_COMM_WORLD.
    """
    several = _several_senders(found, size)
    for of in found.values():
        sources = {one.identity for one in of.steps if "any source" in one.flags}
        opened = {identity for identity in sources if (identity, of.rank) in several}
        _number_messages(of, opened)


def _number_messages(of: Steps, opened: set[int]) -> None:
    sent: defaultdict[Channel, int] = defaultdict(int)
    received: defaultdict[Channel, int] = defaultdict(int)
    least: defaultdict[Channel, int] = defaultdict(int)
    for number, one in enumerate(of.steps):
        channel = one.channel
        is_open = one.is_any and one.identity in opened
        if channel is None:
            of.steps[number] = replace(one, is_open=is_open)
        elif one.kind == "send":
            sent[channel] += 1
            of.steps[number] = replace(one, ordinal=sent[channel])
        elif one.kind in ("receive", "probe"):
            ordinal, low = received[channel] + 1, 0 if is_open else least[channel] + 1
            of.steps[number] = replace(one, ordinal=ordinal, least=low, is_open=is_open)
            if one.kind == "receive":
                received[channel] = ordinal
                least[channel] += not is_open


def _several_senders(found: Mapping[int, Steps], size: int) -> set[tuple[int, int]]:
    # Pairs of a communicator and a process to which several processes may have sent there.
    if len(found) < size or not all(of.is_whole for of in found.values()):
        every = {one.identity for of in found.values() for one in of.steps}
        return {(identity, rank) for identity in every for rank in found}
    senders: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
    for of in found.values():
        for one in of.steps:
            if one.kind == "send" and one.channel is not None:
                senders[one.identity, one.channel.receiver].add(of.rank)
    return {key for key, ranks in senders.items() if len(ranks) > 1}
