# SPDX-License-Identifier: MIT
"""Hand-made processes that have ended, with their messages and collective calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from mpipp.analysis.context.process import Process
from mpipp.distributed.fingerprints.process import Part
from mpipp.model import (
    Buffer,
    Call,
    Channel,
    Comm,
    DatatypeRecord,
    Header,
    KeptCall,
    Object,
    Op,
    Request,
    Share,
    Site,
    Stretch,
    Thread,
)
from mpipp.typetree import Datatype
from tests.unit.jobs import WORLD, Recorded

IN_PLACE = -1
OPS = {"MPI_SUM": 11, "MPI_MAX": 12}  # handles
Run = tuple[int, int, Sequence[Call]]  # first ordinal, count, the calls that repeat in turn


def record(tree: Datatype) -> DatatypeRecord:
    """Return a committed datatype."""
    if tree.origin is None:
        flags = frozenset({"committed", "predefined"} if tree.is_leaf else {"committed"})
        header = Header("datatype", 5, id(tree), flags, 0, 0, Site(0), tree.name, id(tree))
        for part in tree.components:
            record(part)
        tree.origin = DatatypeRecord(header, tree, True, False)
    assert isinstance(tree.origin, DatatypeRecord)
    return tree.origin


def buffer(role: str, count: int, tree: Datatype, peers: int = 1) -> Buffer:
    """A buffer with a count for each peer."""
    return Buffer(role, 0, count, peers, record(tree), 5, frozenset({"reads"}))


def shared(role: str, *shares: tuple[int, Datatype]) -> Buffer:
    """A buffer of a v or w call."""
    each = tuple(Share(count, 0, record(tree)) for count, tree in shares)
    return Buffer(role, 0, 0, len(each), None, 0, frozenset({"reads"}), each)


def in_place(role: str) -> Buffer:
    """Return a buffer that stands for MPI_IN_PLACE."""
    return Buffer(role, IN_PLACE, 0, 1, None, 0, frozenset({"reads"}))


def call(procedure: str, *buffers: Buffer, line: int = 1, **fields: object) -> Call:
    """A completed call, without the arguments that identify its channel."""
    names = "comm op win file message dest source tag recvtag root target_rank offset errorcode"
    nothing = dict.fromkeys([*names.split(), "requests"])
    known: dict[str, object] = {**nothing, "state": "over", "serial": 0, "frame": 0, **fields}
    return Call(procedure, site=Site(line), request_count=0, buffers=buffers, **known)  # type: ignore[arg-type]


@dataclass
class Ended(Recorded):
    """A process with its call history."""

    status: str = "finalized"
    constants: dict[str, int] = field(default_factory=lambda: {"MPI_IN_PLACE": IN_PLACE})
    histories: dict[Channel, list[Stretch]] = field(default_factory=dict)
    keys: dict[Call, int] = field(default_factory=dict)
    numbers: dict[int, tuple[int, Call]] = field(default_factory=dict)
    count_of_calls: int = 0
    parts: list[Part] | None = None  # computed on demand
    shares: bool = False  # True if threads share the channels that are added next

    def joins(self, *runs: Run, sequence: str = "collectives", made: int = -1) -> Ended:
        """Add collective calls on MPI_COMM_WORLD, or on an object that an earlier one created."""
        return self._add(sequence, -1, made, runs)

    def sends(self, peer: int, tag: int, *runs: Run) -> Ended:
        """Add sends to a peer."""
        return self._add("sends", peer, tag, runs)

    def receives(self, peer: int, tag: int, *runs: Run) -> Ended:
        """Add receives from a peer."""
        return self._add("receives", peer, tag, runs)

    def starts(self, sequence: str, peer: int, tag: int, *runs: Run) -> Ended:
        """Add starts of partitioned operations: "send" or "receive"."""
        return self._add(f"partitioned {sequence} starts", peer, tag, runs)

    def turns(self, *runs: Run) -> Ended:
        """Add numbers of consecutive collective calls on a communicator, as root and tag."""
        return self._add("turns", -1, -1, runs)

    def forgets(self, sequence: str, peer: int, tag: int, count: int) -> Ended:
        """Add calls that are lost because the history was full."""
        channel = Channel(sequence, peer, tag, count, False)
        self.channels.append(channel)
        self.histories[channel] = []
        self.forgotten += count
        return self

    def _add(self, sequence: str, peer: int, tag: int, runs: Sequence[Run]) -> Ended:
        last = runs[-1][0] + runs[-1][1] - 1
        channel = Channel(sequence, peer, tag, last, False, history=1, shared=self.shares)
        self.channels.append(channel)
        self.histories[channel] = [
            Stretch(first, count, tuple(self._kept(channel, one) for one in calls))
            for first, count, calls in runs
        ]
        return self

    def _kept(self, channel: Channel, of: Call) -> KeptCall:
        known = self.numbers.get(id(of))
        if known is None:  # keep the object, so that no other object gets its id
            number = self.keys.setdefault(replace(of, site=Site(0)), len(self.keys))
            known = self.numbers[id(of)] = number, of
        return KeptCall((known[0], of.site.address), known[0], lambda _: _in_channel(of, channel))

    def process(self) -> Process:
        """The process in the form that the checks use."""
        return Process(self.rank, self, self, None)  # type: ignore[arg-type]

    # The checks call these methods.

    def objects(self, kind: str, ended: bool = False) -> Iterator[Object]:
        """The objects of a kind."""
        if kind == "comm":
            yield self.comm()
        if kind == "op":
            yield from (self._op(name) for name in OPS)

    def _op(self, name: str) -> Op:
        flags = frozenset({"predefined"})
        header = Header("op", OPS[name], OPS[name], flags, 0, 0, Site(0), name, OPS[name])
        return Op(header, 0, True)

    def find(self, kind: str, handle: int) -> Object | None:
        """The object with this handle."""
        return next((one for one in self.objects(kind) if one.header.handle == handle), None)

    def outline(self, comm: Comm, channel: Channel) -> None:
        """Return None: the histories in these tests have no outline."""
        return

    def recorded_calls(self, comm: Comm, channel: Channel) -> list[Stretch]:
        """The history of a channel."""
        return self.histories[channel]

    def times(self, channel: Channel) -> dict[int, int]:
        return {}

    def kinds(self, comm: Comm, channel: Channel) -> list[KeptCall]:
        """The different calls of a channel."""
        kept = (one for stretch in self.histories[channel] for one in stretch.calls)
        return list({one.words: one for one in kept}.values())

    def threads(self) -> Iterator[Thread]:
        """Yield no thread: no thread is in MPI."""
        return iter(())

    def pending_requests(self) -> Iterator[Request]:
        """Yield no request: all operations are complete."""
        return iter(())

    def last_calls(self) -> Iterator[object]:
        """Yield no call: these tests do not record last calls."""
        return iter(())

    def function(self, address: int) -> str:
        """Return "": no function is known."""
        return ""

    def file(self, address: int) -> str:
        """Return "": no source file is known."""
        return ""


def _in_channel(of: Call, channel: Channel) -> Call:
    if "send" in channel.sequence:
        return replace(of, comm=WORLD, dest=channel.peer, tag=channel.tag)
    if "receive" in channel.sequence:
        return replace(of, comm=WORLD, source=channel.peer, tag=channel.tag)
    return replace(of, comm=WORLD)


def processes(ended: Sequence[Ended]) -> list[Process]:
    """The processes in the form that the checks use."""
    return [one.process() for one in ended]
