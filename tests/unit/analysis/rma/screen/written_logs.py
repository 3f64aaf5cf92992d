# SPDX-License-Identifier: MIT
"""Events of one-sided programs, written as the logs of their processes."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from mpipp.common.errors import MpippError
from mpipp.model import Broken, DatatypeRecord, Header, Op, Site
from mpipp.model import rma_events as m
from mpipp.model.message_events import Received, Sent
from mpipp.model.moment import Moment
from mpipp.model.rma_logs import Selection
from mpipp.registry.rma_log.decode_entries import ASSERTED, ROLES, Around
from mpipp.registry.rma_log.entries import FIRST, NOT_KNOWN, Kinds
from mpipp.registry.rma_log.log import Log
from mpipp.typetree import Datatype
from tests.unit import samples

# As in wrapper/registry/rma_log_entry.h.
KINDS = Kinds(*range(1, 1 + len(Kinds._fields)))._replace(
    synchronous=1, persistent=2, sends=4, takes=8, cancelled=16, probes=32, some=64, races=256
)
_GIVEN, _FOLLOWS = 1 << 8, 1 << 9
_HINTS = ("has ops", "same op", "has ordering", "rar", "raw", "war", "waw", "has locks", "no locks")
_FLAVORS = ("create", "allocate", "dynamic", "shared")
_ENUMERATIONS: Mapping[str, Mapping[str, int]] = {
    "logged": {
        name.replace("_", " "): number
        for name, number in KINDS._asdict().items()
        if name not in Kinds._fields[Kinds._fields.index("synchronous") :]
    },
    "log_bits": {
        name: getattr(KINDS, name) for name in Kinds._fields[Kinds._fields.index("synchronous") :]
    },
    "log_assertions": {
        name: 1 << at for at, name in enumerate((*ASSERTED, "exclusive", "attempt"))
    },
    "log_hints": {name: 1 << at for at, name in enumerate(_HINTS)},
    "log_threads": {"observed": 1, "atomics": 2},
    "log_values": {"given": _GIVEN, "follows": _FOLLOWS},
    "win_flavor": {name: 1 + at for at, name in enumerate(_FLAVORS)},
    "win_model": {"separate": 1, "unified": 2},
}
_SIZES = {"MPI_INT": 4, "MPI_UNSIGNED": 4, "MPI_DOUBLE": 8}
_LIKE, _NARROW, _CHANGES = 0x80, 0x40, 24
_WORD = 1 << 64
_MAPPED = 1 << 40  # distance between the addresses of a shared window's parts in another process


class Names:
    """The names of numbers in the logs of a run, and its datatypes and operations."""

    def __init__(self) -> None:
        self.procedures = [""]
        self.trees: list[Datatype] = []
        self.records: dict[tuple[str, int, int, int], int] = {}
        self.ops: list[str] = []

    def value(self, enumeration: str, name: str) -> int:
        return _ENUMERATIONS[enumeration][name]

    def enumerator(self, enumeration: str, value: int) -> str:
        names = self.enumeration(enumeration)
        if value not in names:
            raise MpippError(f"{value} is not in {enumeration}")
        return names[value]

    def enumeration(self, name: str) -> Mapping[int, str]:
        return {number: word for word, number in _ENUMERATIONS[name].items()}

    def procedure(self, number: int) -> str:
        if number >= len(self.procedures):
            raise MpippError(f"there is no procedure {number}")
        return self.procedures[number]

    def site(self, caller: int, frames: int) -> Site:
        return Site(caller)

    def datatype(self, record: int) -> DatatypeRecord | Broken:
        if record > len(self.trees):
            return Broken("datatype", record, "it is damaged")
        return DatatypeRecord(_header("datatype", ""), self.trees[record - 1], True, False)

    def op(self, handle: int) -> Op | None:
        if handle > len(self.ops):
            return None
        return Op(_header("op", self.ops[handle - 1]), 0, True)

    def number_of(self, procedure: str) -> int:
        if procedure not in self.procedures:
            self.procedures.append(procedure)
        return self.procedures.index(procedure)

    def handle_of(self, op: str) -> int:
        if op and op not in self.ops:
            self.ops.append(op)
        return 1 + self.ops.index(op) if op else 0

    def record_of(self, basic: str, length: int, stride: int, times: int) -> int:
        key = basic, length, stride, times
        if key not in self.records:
            size = _SIZES.get(basic, 1)
            base = samples.basic(basic, size) if basic else samples.BYTE
            assert length % size == 0
            count = length // size
            self.trees.append(
                samples.vector(times, count, stride, base, "HVECTOR")
                if times > 1
                else samples.contiguous(count, base)
            )
            self.records[key] = len(self.trees)
        return self.records[key]


def _header(kind: str, name: str) -> Header:
    return Header(kind, 1, 1, frozenset(), 1, 1, Site(0), name, 0)


class _Writer:
    # Writes the log of one process.

    def __init__(self, names: Names, rank: int, size: int) -> None:
        self._names = names
        self._rank = rank
        self._size = size
        self.words = array("Q")
        self.count = 0  # of entries
        self._wholes = 0
        self._like: dict[tuple[int, int], tuple[int, Sequence[int]]] = {}
        self._numbers: dict[int, int] = {}  # of operations: their entries, by the events' numbers
        self._windows: dict[int, m.WindowMade] = {}
        self._comms = set[int]()
        self._writers: dict[type, Callable[..., None]] = {
            m.WindowMade: self._made,
            m.WindowFreed: lambda one: self._add("freed", one, one.window, one.frame),
            m.Operation: self._operation,
            m.Synchronization: self._synchronization,
            m.Collective: self._collective,
            Sent: self._sent,
            Received: self._received,
            m.Completed: self._completed,
            m.Access: self._access,
            m.Brought: self._brought,
            m.MemoryFreed: lambda one: self._add("given_back", one, one.start, one.end - one.start),
            m.Finalized: lambda one: self._add("ended", one, one.frame),
        }

    def write(self, event: m.Event) -> None:
        self._writers[type(event)](event)

    def _comm(self, ranks: tuple[int, ...], identity: int) -> int:
        if identity not in self._comms:
            self._comms.add(identity)
            moment = Moment(self._rank, 0, 0, 0, "")
            own = (identity, 0, ranks.index(self._rank), len(ranks), 0, *ranks)
            self._put(KINDS.comm, moment, "MPI_Init", own)
        return identity

    def _add(self, kind: str, event: m.Event, *own: int, procedure: str = "") -> None:
        moment = event.moment
        self._put(getattr(KINDS, kind), moment, procedure or moment.procedure, own)

    def _put(self, kind: int, moment: Moment, procedure: str, own: Sequence[int]) -> None:
        number = self._names.number_of(procedure)
        own = [word % _WORD for word in own]
        head = kind | FIRST + len(own) << 8 | number << 32 | 1 + moment.thread << 48
        self.count += 1
        known = self._like.get((head, moment.place))
        if known is not None and self._put_like(kind, known[0], known[1], own):
            return
        if len(self._like) > 1 << 16:
            self._like.clear()
        self._like[head, moment.place] = self._wholes, own
        self._wholes += 1
        self.words.extend((head, moment.place, *own))

    def _put_like(self, kind: int, whole: int, before: Sequence[int], own: Sequence[int]) -> bool:
        changed = [at for at, (one, other) in enumerate(zip(before, own)) if one != other]
        if changed and changed[-1] >= _CHANGES:
            return False
        steps = [(own[at] - before[at] + (1 << 63)) % _WORD - (1 << 63) for at in changed]
        if all(-(1 << 31) <= step < 1 << 31 for step in steps):
            steps += [0] * (len(steps) % 2)
            kind |= _NARROW
            left = [
                one % (1 << 32) | other % (1 << 32) << 32
                for one, other in zip(steps[::2], steps[1::2])
            ]
        else:
            left = [own[at] for at in changed]
        bits = sum(1 << at for at in changed)
        self.words.extend((kind | _LIKE | 1 + len(left) << 8 | bits << 16 | whole << 40, *left))
        return True

    def _made(self, one: m.WindowMade) -> None:
        hints = _ENUMERATIONS["log_hints"]
        bits = hints["has ops"] | hints["same op"] if one.accumulate_ops == "same_op" else 0
        if one.accumulate_ordering != m.DEFAULT_ORDERING:
            bits |= hints["has ordering"] + sum(hints[key] for key in one.accumulate_ordering)
        if one.no_locks:
            bits |= hints["has locks"] | hints["no locks"]
        flavor = _ENUMERATIONS["win_flavor"][one.flavor]
        model = 1 if one.separate else 2
        comm = self._comm(one.ranks, 100 + one.window)
        own = one.window, one.window, one.base, one.length, one.unit, flavor, model
        self._windows[one.window] = one
        at = one.ranks.index(self._rank)
        self._add("window", one, *own, at, comm, bits, one.frame)
        if one.flavor == "shared":
            for rank, world in enumerate(one.ranks):
                mapped = one.base + (1 + world) * _MAPPED
                self._add("segment", one, one.window, rank, mapped, one.length)

    def _buffer(self, memory: m.Memory, basic: str = "", base: int = 0) -> Iterator[int]:
        if not memory:
            yield from (0, 0, self._names.record_of(basic, _SIZES.get(basic, 1), 0, 1))
            return
        (one,) = memory
        shape = one.length, one.stride if one.times > 1 else 0, one.times
        yield from (one.first - base, 1, self._names.record_of(basic, *shape))

    def _operation(self, one: m.Operation) -> None:
        self._numbers[one.moment.number] = self.count
        own = [one.window, one.target, self._names.handle_of(one.op), one.request, one.frame]
        buffers = {
            "origin_addr": one.origin,
            "result_addr": one.result,
            "compare_addr": one.compare,
        }
        basic = one.types[0] if one.kind not in ("put", "get") else ""
        for role in ROLES[one.kind]:
            if role == "target_disp":
                own += self._buffer(one.at_target, basic, self._windows[one.window].base)
            else:
                own += self._buffer(buffers[role])
        if one.values is not None:
            values = one.values
            bits = values.size | _GIVEN * (values.given is not None) | _FOLLOWS * values.told
            own += (bits, values.given or 0, values.compared)
        with_request = one.request or one.moment.procedure.startswith("MPI_R")
        procedure = f"R{one.kind}" if with_request else one.kind.capitalize()
        self._add("operation", one, *own, procedure=f"MPI_{procedure}")

    def _synchronization(self, one: m.Synchronization) -> None:
        numbers = _ENUMERATIONS["log_assertions"]
        bits = sum(numbers[word] for word in one.asserted)
        bits |= numbers["exclusive"] * one.exclusive | numbers["attempt"] * one.attempt
        own = one.window, NOT_KNOWN if one.target < 0 else one.target, bits, one.frame, *one.group
        self._add("synchronization", one, *own, procedure=f"MPI_Win_{one.kind}")

    def _collective(self, one: m.Collective) -> None:
        self._comm(tuple(range(one.size)), one.context)
        bits, some = KINDS.sends * one.gives, one.sources or ()
        if one.sources is None:
            bits |= KINDS.takes
        elif one.sources:
            bits |= KINDS.takes | KINDS.some
        own = one.context, one.ordinal + 1, NOT_KNOWN, one.request, bits, *some
        self._add("collective", one, *own, procedure="MPI_Barrier")

    def _sent(self, one: Sent) -> None:
        to, bits = one.channel, KINDS.synchronous * one.synchronous
        own = to.context, to.destination, to.tag, to.ordinal + 1, max(one.request, 0), bits
        self._add("send", one, *own)

    def _received(self, one: Received) -> None:
        of = one.channel
        self._add("receive", one, of.context, of.source, of.tag, 0, 0, of.source, of.tag)

    def _completed(self, one: m.Completed) -> None:
        for request in one.requests:
            self._add("completed", one, request, 0, 0, 0, one.frame)

    def _access(self, one: m.Access) -> None:
        (comb,) = one.memory
        first = comb.first + (0 if one.owner < 0 else (1 + one.owner) * _MAPPED)
        own = one.store, first, comb.length, comb.stride, comb.times, one.times
        self._add("access", one, *own)

    def _brought(self, one: m.Brought) -> None:
        is_known = one.value is not None
        self._add("value", one, self._numbers[one.operation], one.value or 0, is_known)


class Written:
    """The logs of a run, by rank."""

    def __init__(self, events: Mapping[int, Iterable[m.Event]]) -> None:
        names, size = Names(), len(events)
        self.logs: dict[int, Log] = {}
        self.count = 0  # of entries
        for rank, some in events.items():
            writer = _Writer(names, rank, size)
            for event in some:
                writer.write(event)
            self.count += writer.count
            around = Around(names, names.datatype, names.op, rank, size, 0)
            self.logs[rank] = Log(around, writer.words, is_whole=True)

    def events(
        self, selections: Mapping[int, Selection] | None = None
    ) -> dict[int, Iterable[m.Event]]:
        """The events of all processes, read from their logs, perhaps only the selected ones."""
        selected = selections or {}
        reach = partial(_reach, self.logs)
        return {rank: log.events(reach, (), selected.get(rank)) for rank, log in self.logs.items()}


def _reach(logs: Mapping[int, Log], window: int, rank: int) -> tuple[int, int] | None:
    for log in logs.values():
        for identity, own, reach in log.windows.values():
            if (identity, own) == (window, rank):
                return reach
    return None
