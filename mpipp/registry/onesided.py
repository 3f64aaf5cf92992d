# SPDX-License-Identifier: MIT
"""What a process did on windows and what orders it, read from its log: events of
`mpipp.model.onesided`, and the calls of its operations.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from mpipp.datatypes.overlap import region
from mpipp.datatypes.overlap.flat import pieces
from mpipp.errors import MpippError
from mpipp.model import Buffer, Call, DatatypeRecord, Op, procedures
from mpipp.model.onesided import (
    DEFAULT_ORDERING,
    Access,
    Attached,
    Brought,
    Channel,
    Collective,
    Comb,
    Completed,
    Ended,
    Event,
    Memory,
    Moment,
    Operation,
    ReceiveBegun,
    Received,
    Sent,
    Synchronization,
    Values,
    WindowFreed,
    WindowInfo,
    WindowMade,
)
from mpipp.registry import logged
from mpipp.registry.datatypes import Datatypes
from mpipp.registry.logged import NOT_KNOWN, Entry, Kinds, Receives
from mpipp.registry.source import Source, certain

STEPS = 4  # numbers of events for each entry of the log
_ASSERTED = ("NOCHECK", "NOSTORE", "NOPUT", "NOPRECEDE", "NOSUCCEED")
_HINTS = ("has ops", "same op", "has ordering", *DEFAULT_ORDERING)
_ROLES = {
    "put": ("origin_addr", "target_disp"),
    "get": ("origin_addr", "target_disp"),
    "accumulate": ("origin_addr", "target_disp"),
    "get_accumulate": ("origin_addr", "result_addr", "target_disp"),
    "fetch_and_op": ("origin_addr", "result_addr", "target_disp"),
    "compare_and_swap": ("origin_addr", "compare_addr", "result_addr", "target_disp"),
}
_FLOWS = {
    **dict.fromkeys(("Bcast", "Scatter", "Scatterv"), "from root"),
    **dict.fromkeys(("Gather", "Gatherv", "Reduce"), "to root"),
    **dict.fromkeys(("Scan", "Exscan"), "prefix"),
}


_DAMAGED = (ValueError, IndexError, KeyError)  # what entries that are damaged lead to
Reach = tuple[int, int]  # a window's memory in one process: its address, displacement unit


class _Cut(Exception):
    # What orders is not known from there on.
    pass


class _Members(NamedTuple):
    ranks: tuple[int, ...]  # in MPI_COMM_WORLD
    others: tuple[int, ...]  # of an intercommunicator's remote group


def log_of(
    source: Source, datatypes: Datatypes, ops: Callable[[int], object], rank: int | None
) -> Log | None:
    """The log of the process with that rank; None where that was not asked for."""
    if rank is None or not source.root().onesided:
        return None
    return Log(source, datatypes, ops, rank)


class Log:
    """The log of one process.

    Args:
        rank: of the process in MPI_COMM_WORLD.
        ops: an operation's record by its handle.

    Attributes:
        lost: entries that found no room at its end.
    """

    def __init__(
        self,
        source: Source,
        datatypes: Datatypes,
        ops: Callable[[int], object],
        rank: int,
    ) -> None:
        root = source.root()
        self.lost = root.onesided_lost
        self.rank = rank
        self._source = source
        self._datatypes = datatypes
        self._ops = ops
        self._words = logged.words(source, root.onesided)
        self._kinds = Kinds.of(source)
        self._hints = {word: source.value("log_hints", word) for word in _HINTS}
        self._given = source.value("log_values", "given")
        self._told = source.value("log_values", "follows")
        self._combs: dict[tuple[int, int], Memory] = {}
        self._types: dict[int, str] = {}
        self._threads: dict[int, int] = {}

    @cached_property
    def windows(self) -> Mapping[int, tuple[int, int, Reach]]:
        """By serial: identity, the own rank in the group, and where it lies."""
        found, alone = {}, set[int]()
        for entry in logged.entries(self._words):
            own = entry.words
            if entry.kind == self._kinds.comm and own[3] + own[4] == 1:
                alone.add(own[0])
            elif entry.kind == self._kinds.window:
                # Communicators of one process alone may be called the same in several.
                identity = ~self.rank << 64 | own[1] if own[8] in alone and own[1] else own[1]
                found[own[0]] = identity, _signed(own[7]), (own[2], _signed(own[4]))
        return found

    @cached_property
    def sharing(self) -> frozenset[int]:
        """The processes that have memory in common with this one, by shared windows."""
        members: dict[int, array[int]] = {}
        found = set[int]()
        for entry in logged.entries(self._words):
            own = entry.words
            if entry.kind == self._kinds.comm:
                members[own[0]] = own
            elif entry.kind == self._kinds.window and self.word("win_flavor", own[5]) == "shared":
                found.update(_members(members[own[8]]).ranks if own[8] in members else ())
        return frozenset(found)

    @property
    def has_values(self) -> bool:
        """Whether it tells what atomic operations have brought."""
        kind = self._kinds.value
        return any(self._words[at] & 0xFF == kind for at, _ in logged.places(self._words))

    def events(self, reach: Callable[[int, int], Reach | None]) -> Iterator[Event]:
        """All that is certain, in order: up to where the log makes no sense.

        Args:
            reach: of a window by its identity and a rank in its group.
        """
        try:
            made = _Events(self, self._kinds, Receives(self._words, self._kinds), reach)
            for entry in logged.entries(self._words):
                yield from made.of(entry)
        except (_Cut, MpippError, *_DAMAGED):
            return

    def call(self, number: int) -> Call | None:
        """The call of an event, with its buffers if it is an operation; None: there is none."""
        wanted = number // STEPS
        if not 0 <= wanted < len(self._places):
            return None
        return self._call(logged.entry(self._words, self._places[wanted], wanted))

    @cached_property
    def _places(self) -> array[int]:
        return array("Q", (at for at, _ in logged.places(self._words)))

    def _call(self, entry: Entry) -> Call:
        own, buffers = entry.words, list[Buffer]()
        procedure = self.procedure(entry) if entry.kind != self._kinds.access else ""
        is_operation = entry.kind == self._kinds.operation
        if is_operation:
            roles = _ROLES[_kind(procedure)]
            for role, words in zip(roles, _threes(own[4:])):
                datatype = self._datatypes.at(words[2]) if words[2] else None
                access = {"remote"} if role == "target_disp" else set[str]()
                handle = datatype.header.handle if isinstance(datatype, DatatypeRecord) else 0
                buffers.append(
                    Buffer(
                        role, words[0], _signed(words[1]), 1, datatype, handle, frozenset(access)
                    )
                )
        return Call(
            procedure=procedure,
            state="active" if is_operation else "over",  # with addresses
            serial=0,
            site=self._source.site(entry.place, 0),
            frame=0,
            comm=None,
            op=own[2] or None if is_operation else None,
            win=None,
            file=None,
            message=None,
            dest=None,
            source=None,
            tag=None,
            recvtag=None,
            root=None,
            target_rank=_signed(own[1]) if is_operation else None,
            offset=None,
            errorcode=None,
            requests=None,
            request_count=0,
            buffers=tuple(buffers),
        )

    def procedure(self, entry: Entry) -> str:
        """The name of the procedure that was called."""
        return self._source.procedure(entry.procedure)

    def word(self, enumeration: str, value: int) -> str:
        """The name of a value."""
        return self._source.enumerator(enumeration, value)

    def moment(self, entry: Entry, step: int = 0) -> Moment:
        """Of an event of an entry."""
        thread = self._threads.setdefault(entry.thread, len(self._threads))
        number = entry.number * STEPS + step
        is_call = entry.kind != self._kinds.access
        procedure = self.procedure(entry) if is_call else ""
        return Moment(self.rank, thread, number, entry.place, procedure)

    def memory(self, record: int, count: int, address: int) -> Memory:
        """The bytes of a buffer; none if its datatype is not known, or has too many blocks."""
        known = self._combs.get((record, count))
        if known is None:
            found = self._datatypes.at(record) if record else None
            tree = found.tree if isinstance(found, DatatypeRecord) else None
            flat = pieces(region(tree, count)) if tree is not None and count > 0 else ()
            known = self._combs[record, count] = tuple(Comb(*one) for one in flat or ())
        return tuple(comb._replace(first=comb.first + address) for comb in known)

    def basic(self, record: int) -> str:
        """The basic datatype that an accumulate's datatype is made of."""
        known = self._types.get(record)
        if known is None:
            found = self._datatypes.at(record) if record else None
            tree = found.tree if isinstance(found, DatatypeRecord) else None
            while tree is not None and not tree.is_leaf:
                tree = next((part for part in tree.components if not part.is_marker), None)
            known = self._types[record] = tree.name if tree is not None else ""
        return known

    def ops_hint(self, bits: int) -> str:
        """What accumulate_ops says; empty: nothing."""
        if not bits & self._hints["has ops"]:
            return ""
        return "same_op" if bits & self._hints["same op"] else "same_op_no_op"

    def ordering_hint(self, bits: int) -> frozenset[str] | None:
        """What accumulate_ordering says; None: nothing."""
        if not bits & self._hints["has ordering"]:
            return None
        return frozenset(word for word in DEFAULT_ORDERING if bits & self._hints[word])

    def values(self, words: array[int]) -> Values | None:
        """Those of an atomic operation, from the end of its entry."""
        if len(words) != 3:
            return None
        bits, given, compared = words
        is_given = bits & self._given
        return Values(bits & 0xFF, given if is_given else None, compared, bool(bits & self._told))

    def op(self, handle: int) -> str:
        """The name of a predefined operation."""
        found = self._ops(handle) if handle else None
        return found.header.name if isinstance(found, Op) else ""


class _Events:
    # Of the entries of a log, one after another.

    def __init__(
        self,
        log: Log,
        kinds: Kinds,
        receives: Receives,
        reach: Callable[[int, int], Reach | None],
    ) -> None:
        self._log = log
        self._receives = receives
        self._reach = reach
        self._kinds = kinds
        self._members: dict[int, _Members] = {}
        self._persistent: dict[int, Entry] = {}  # requests: a send or a collective operation
        self._starts: dict[int, int] = {}
        self._told: set[int] = set()  # requests of which a Completed is expected
        self._makers: dict[int, Callable[[Entry], Iterator[Event]]] = {
            kinds.comm: self._comm,
            kinds.window: self._window,
            kinds.freed: self._freed,
            kinds.memory: self._memory,
            kinds.operation: self._operation,
            kinds.synchronization: self._synchronization,
            kinds.send: self._send,
            kinds.receive: self._receive,
            kinds.collective: self._collective,
            kinds.started: self._started,
            kinds.matched: self._nothing,
            kinds.completed: self._completed,
            kinds.given_up: self._nothing,
            kinds.access: self._access,
            kinds.ended: self._ended,
            kinds.info: self._info,
            kinds.value: self._value,
        }

    def of(self, entry: Entry) -> Iterator[Event]:
        make = self._makers.get(entry.kind)
        if make is None:
            raise _Cut
        return make(entry)

    def _nothing(self, entry: Entry) -> Iterator[Event]:
        return iter(())

    def _ended(self, entry: Entry) -> Iterator[Event]:
        if not self._log.lost:
            yield Ended(self._log.moment(entry))

    def _access(self, entry: Entry) -> Iterator[Event]:
        stores, first, length, stride, count, times = entry.words
        memory = (Comb(first, length, stride, count),)
        yield Access(self._log.moment(entry), bool(stores), memory, times)

    def _comm(self, entry: Entry) -> Iterator[Event]:
        self._members[entry.words[0]] = _members(entry.words)
        return iter(())

    def _identity(self, serial: int) -> int:
        known = self._log.windows.get(serial)
        if known is None or not known[0]:
            raise _Cut
        return known[0]

    def _window(self, entry: Entry) -> Iterator[Event]:
        serial, _, base, size, unit, flavor, model, _, comm, bits = entry.words
        members, identity = self._members.get(comm), self._identity(serial)
        if members is None:
            raise _Cut
        yield WindowMade(
            self._log.moment(entry),
            identity,
            base,
            size,
            _signed(unit),
            self._log.word("win_flavor", flavor),
            self._log.word("win_model", model) == "separate",
            members.ranks,
            self._log.ops_hint(bits) or "same_op_no_op",
            DEFAULT_ORDERING if (ordering := self._log.ordering_hint(bits)) is None else ordering,
        )

    def _info(self, entry: Entry) -> Iterator[Event]:
        serial, bits = entry.words
        log = self._log
        ops, ordering = log.ops_hint(bits), log.ordering_hint(bits)
        yield WindowInfo(log.moment(entry), self._identity(serial), ops, ordering)

    def _value(self, entry: Entry) -> Iterator[Event]:
        number, value, is_known = entry.words
        yield Brought(self._log.moment(entry), number * STEPS, value if is_known else None)

    def _freed(self, entry: Entry) -> Iterator[Event]:
        yield WindowFreed(self._log.moment(entry), self._identity(entry.words[0]))

    def _memory(self, entry: Entry) -> Iterator[Event]:
        serial, base, length = entry.words
        attaches = self._log.procedure(entry) == "MPI_Win_attach"
        identity = self._identity(serial)
        length = length if attaches else 0
        yield Attached(self._log.moment(entry), identity, base, length, attaches)

    def _operation(self, entry: Entry) -> Iterator[Event]:
        own, log = entry.words, self._log
        serial, target, op, request = own[0], _signed(own[1]), own[2], own[3]
        identity = self._identity(serial)
        reach = self._reach(identity, target)
        if reach is None:
            raise _Cut
        moment = log.moment(entry)
        kind = _kind(moment.procedure)
        given = dict(zip(_ROLES[kind], _threes(own[4:])))
        memory = {
            role: log.memory(words[2], _signed(words[1]), words[0])
            for role, words in given.items()
            if role != "target_disp"
        }
        place, count, record = given["target_disp"]
        name = log.op(op) if op else ""
        if name == "MPI_NO_OP":
            memory["origin_addr"] = ()
        self._told.add(request)
        yield Operation(
            moment,
            kind,
            identity,
            target,
            memory["origin_addr"],
            log.memory(record, _signed(count), reach[0] + _signed(place) * reach[1]),
            memory.get("result_addr", ()),
            memory.get("compare_addr", ()),
            name,
            () if kind in ("put", "get") else (log.basic(record),),
            request,
            log.values(own[4 + 3 * len(_ROLES[kind]) :]),
        )

    def _synchronization(self, entry: Entry) -> Iterator[Event]:
        serial, rank, detail, *group = entry.words
        moment = self._log.moment(entry)
        kind = moment.procedure.removeprefix("MPI_Win_")
        bits = detail if kind == "fence" else 0
        yield Synchronization(
            moment,
            "wait" if kind == "test" else kind,
            self._identity(serial),
            -1 if rank == NOT_KNOWN else _signed(rank),
            tuple(map(_signed, group)),
            kind == "lock" and bool(detail),
            frozenset(f"MPI_MODE_{name}" for i, name in enumerate(_ASSERTED) if bits >> i & 1),
        )

    def _send(self, entry: Entry) -> Iterator[Event]:
        _, _, _, ordinal, request, bits = entry.words
        if bits & self._kinds.persistent:
            self._persistent[request] = entry
            return
        yield from self._sent(entry, entry.words, ordinal, request)

    def _sent(self, entry: Entry, own: array[int], ordinal: int, request: int) -> Iterator[Event]:
        identity, rank, tag, _, _, bits = own
        number = certain(ordinal)
        if number is None or rank == NOT_KNOWN:
            raise _Cut
        channel = Channel(identity, self._log.rank, _signed(rank), _signed(tag), number - 1)
        synchronous = bool(bits & self._kinds.synchronous)
        moment = self._log.moment(entry)
        alone = synchronous and not request
        own_request = -1 - moment.number if alone else request
        self._told.add(request)
        yield Sent(moment, channel, synchronous, own_request)
        if alone:
            yield Completed(self._log.moment(entry, 1), (own_request,))

    def _receive(self, entry: Entry) -> Iterator[Event]:
        request = self._receives.began.get(entry.number)
        if request is not None:
            yield ReceiveBegun(self._log.moment(entry), request)
        yield from self._received(entry, 0)

    def _received(self, entry: Entry, request: int) -> Iterator[Event]:
        for step, message in enumerate(self._receives.ended_by.get(entry.number, ())):
            if message is None:
                raise _Cut
            source, tag = _signed(message.source), _signed(message.tag)
            channel = Channel(message.context, source, self._log.rank, tag, message.ordinal)
            yield Received(self._log.moment(entry, 1 + step), channel, request)

    def _collective(self, entry: Entry) -> Iterator[Event]:
        if entry.words[4] & self._kinds.persistent:
            self._persistent[entry.words[3]] = entry
            return
        identity, ordinal, _, request, _ = entry.words
        yield from self._together(entry, entry, identity, ordinal, request)

    def _together(
        self, entry: Entry, of: Entry, context: int, ordinal: int, request: int
    ) -> Iterator[Event]:
        identity, _, root, _, bits = of.words
        members, number = self._members.get(identity), certain(ordinal)
        if members is None or number is None:
            raise _Cut
        if len(members.ranks) + len(members.others) == 1:
            return
        operation = procedures.of(self._log.procedure(of)).operation
        flow = "all" if members.others else _FLOWS.get(operation, "all")
        if not bits & (self._kinds.sends | self._kinds.takes):
            flow = "none"
        place = _signed(root)
        is_rooted = flow.endswith("root") and 0 <= place < len(members.ranks)
        self._told.add(request)
        yield Collective(
            self._log.moment(entry),
            context,
            number - 1,
            flow,
            tuple(sorted({*members.ranks, *members.others})) if members.others else members.ranks,
            members.ranks[place] if is_rooted else -1,
            request,
        )

    def _started(self, entry: Entry) -> Iterator[Event]:
        request, ordinal = entry.words
        of = self._persistent.get(request)
        if of is None:
            began = self._receives.began.get(entry.number)
            if began is not None:
                yield ReceiveBegun(self._log.moment(entry), request)
        elif of.kind == self._kinds.send:
            yield from self._sent(entry, of.words, ordinal, request)
        else:
            start = self._starts[request] = self._starts.get(request, 0) + 1
            context = of.words[0] << 64 | of.words[1]
            yield from self._together(entry, of, context, start, request)

    def _completed(self, entry: Entry) -> Iterator[Event]:
        request = entry.words[0]
        yield from self._received(entry, request)
        if request in self._told:
            yield Completed(self._log.moment(entry), (request,))


def _members(words: array[int]) -> _Members:
    _, _, _, size, remote = words[:5]
    ranks = tuple(map(_signed, words[5:]))
    own = ranks[:size] if len(ranks) >= size else tuple(range(size))
    return _Members(own, ranks[len(ranks) - remote :] if remote else ())


def _kind(procedure: str) -> str:
    # MPI_Rget_accumulate_c
    name = procedure.removeprefix("MPI_").removesuffix("_c").lower()
    return name[1:] if name.startswith("r") else name


def _threes(words: Iterable[int]) -> Iterator[tuple[int, int, int]]:
    each = iter(words)
    return zip(each, each, each)


def _signed(word: int) -> int:
    return word - (1 << 64) if word >> 63 else word
