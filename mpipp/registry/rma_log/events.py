# SPDX-License-Identifier: MIT
"""Decodes a process's RMA log as events of `mpipp.model.rma_events`, with their calls."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Container, Iterator
from typing import Any

from mpipp.model import procedures
from mpipp.model.message_events import Channel, Partitions, Probed, ReceiveBegun, Received, Sent
from mpipp.model.moment import Moment
from mpipp.model.rma_events import (
    DEFAULT_ORDERING,
    Access,
    Attached,
    Brought,
    Collective,
    Comb,
    Completed,
    Event,
    Finalized,
    Lent,
    MemoryFreed,
    Operation,
    OtherWorldContact,
    RequestFreed,
    Synchronization,
    ThreadAcquired,
    ThreadReleased,
    WindowFreed,
    WindowInfo,
    WindowMade,
)
from mpipp.registry.layout.record_source import certain
from mpipp.registry.rma_log import entries
from mpipp.registry.rma_log.decode_entries import (
    ASSERTED,
    FIRST,
    ROLES,
    STEPS,
    LoggedCalls,
    Members,
    Reach,
    operation_kind,
    signed,
    threes,
)
from mpipp.registry.rma_log.entries import NOT_KNOWN, Entry, Kinds, Message, Receives
from mpipp.registry.rma_log.shared_segments import Segment, Segments

_MOST_KNOWN = 1 << 13  # entries with cached events
DAMAGED = (ValueError, IndexError, KeyError)  # errors that damaged entries may cause


class Cut(Exception):
    """Raised where the order of events becomes unknown."""


class Events:
    """The state while reading a log's entries in order."""

    def __init__(
        self,
        log: LoggedCalls,
        kinds: Kinds,
        receives: Receives,
        reach: Callable[[int, int], Reach | None],
        queried: Container[int],
    ) -> None:
        self._log = log
        self._receives = receives
        self._reach = reach
        self._queried = queried
        self._kinds = kinds
        self._members: dict[int, Members] = {}
        self._groups: dict[int, Members] = {}  # windows' groups, by the windows' serials
        self._segments = Segments()
        # Entries of persistent requests: sends, collective operations, or partitioned operations.
        self._persistent: dict[int, Entry] = {}
        self._starts: dict[int, int] = {}
        self._told: set[int] = set()  # requests whose completion becomes a Completed event
        self._others: set[int] = set()  # requests of communication with another MPI_COMM_WORLD
        self._assertions = log.assertions
        # By the words of an entry: the class of its event, and the fields of the first event with
        # these words.
        self._known: dict[bytes, tuple[Callable[..., Event], Moment, tuple[Any, ...]]] = {}
        self._makers: dict[int, Callable[[Entry], Iterator[Event]]] = {
            kinds.comm: self._comm,
            kinds.window: self._window,
            kinds.freed: self._freed,
            kinds.memory: self._memory,
            kinds.send: self._send,
            kinds.receive: self._receive,
            kinds.collective: self._collective,
            kinds.started: self._started,
            kinds.matched: self._begun,
            kinds.completed: self._completed,
            kinds.given_up: self._request_freed,
            kinds.access: self._access,
            kinds.ended: self._finalized,
            kinds.info: self._info,
            kinds.value: self._value,
            kinds.partitioned: self._partitioned,
            kinds.partitions: self._partitions,
            kinds.given_back: self._memory_freed,
            kinds.elsewhere: self._other_world_contact,
            kinds.segment: self._segment,
            kinds.threads: self._ignored,
            kinds.released: self._released,
            kinds.acquired: self._acquired,
        }

    def of(self, entry: Entry) -> Iterator[Event]:
        """Return the events of an entry."""
        make = self._makers.get(entry.kind)
        if make is None:
            raise Cut
        return make(entry)

    def _ignored(self, entry: Entry) -> Iterator[Event]:
        return iter(())

    def _finalized(self, entry: Entry) -> Iterator[Event]:
        if not self._log.lost and not self._log.damaged:
            yield Finalized(self._log.moment(entry), entry.words[0])

    def _access(self, entry: Entry) -> Iterator[Event]:
        stores, first, length, stride, count, times = entry.words
        moment = self._log.moment(entry)
        for owner, memory in self._segments.parts(Comb(first, length, stride, count)):
            yield Access(moment, bool(stores & 1), memory, times, owner, bool(stores & 2))

    def _request_freed(self, entry: Entry) -> Iterator[Event]:
        yield RequestFreed(self._log.moment(entry), entry.words[0])

    def _memory_freed(self, entry: Entry) -> Iterator[Event]:
        start, length = entry.words
        yield MemoryFreed(self._log.moment(entry), start, start + length)

    def _other_world_contact(self, entry: Entry) -> Iterator[Event]:
        request, bits = entry.words
        if request:
            self._others.add(request)
        else:
            yield OtherWorldContact(self._log.moment(entry), bool(bits & self._kinds.sends))

    def _released(self, entry: Entry) -> Iterator[Event]:
        yield ThreadReleased(self._log.moment(entry), entry.words[0], bool(entry.words[1]))

    def _acquired(self, entry: Entry) -> Iterator[Event]:
        yield ThreadAcquired(self._log.moment(entry), entry.words[0])

    def _comm(self, entry: Entry) -> Iterator[Event]:
        self._members[entry.words[0]] = self._log.members(entry.words)
        return iter(())

    def _identity(self, serial: int) -> int:
        known = self._log.windows.get(serial)
        if known is None or not known[0]:
            raise Cut
        return known[0]

    def _window(self, entry: Entry) -> Iterator[Event]:
        serial, _, base, size, unit, flavor, model, _, comm, bits, frame = entry.words
        members, identity = self._members.get(comm), self._identity(serial)
        if members is None:
            raise Cut
        self._groups[serial] = members
        word = self._log.word("win_flavor", flavor)
        yield WindowMade(
            self._log.moment(entry),
            identity,
            base,
            size,
            signed(unit),
            word,
            self._log.word("win_model", model) == "separate",
            members.ranks,
            self._log.ops_hint(bits) or "same_op_no_op",
            DEFAULT_ORDERING if (ordering := self._log.ordering_hint(bits)) is None else ordering,
            bool(self._log.locks_hint(bits)),
            word != "shared" and identity in self._queried,
            frame,
        )

    def _segment(self, entry: Entry) -> Iterator[Event]:
        serial, rank, low, length = entry.words
        identity, ranks = self._identity(serial), self._groups[serial].ranks
        reach = self._reach(identity, rank)
        if reach is not None:
            self._segments.add(Segment(serial, low, low + length, ranks[rank], reach[0]))
            self._known.clear()
        return iter(())

    def _info(self, entry: Entry) -> Iterator[Event]:
        serial, bits = entry.words
        log = self._log
        ops, ordering = log.ops_hint(bits), log.ordering_hint(bits)
        yield WindowInfo(
            log.moment(entry), self._identity(serial), ops, ordering, log.locks_hint(bits)
        )

    def _value(self, entry: Entry) -> Iterator[Event]:
        number, value, is_known = entry.words
        yield Brought(self._log.moment(entry), number * STEPS, value if is_known else None)

    def _freed(self, entry: Entry) -> Iterator[Event]:
        serial, frame = entry.words
        self._segments.free(serial)
        self._known.clear()
        self._groups.pop(serial, None)
        yield WindowFreed(self._log.moment(entry), self._identity(serial), frame)

    def _memory(self, entry: Entry) -> Iterator[Event]:
        serial, base, length, frame = entry.words
        attaches = self._log.procedure(entry) == "MPI_Win_attach"
        identity = self._identity(serial)
        length = length if attaches else 0
        yield Attached(self._log.moment(entry), identity, base, length, attaches, frame)

    def cached_event(self, number: int, written: bytes) -> Event:
        """Return the event of an operation or synchronization, by its number and words as written.

        Equal words, as in a loop, give equal events except the moment. So events are cached.
        """
        known = self._known.get(written)
        if known is not None:
            make, (process, thread, _, place, procedure), rest = known
            return make((Moment(process, thread, number * STEPS, place, procedure), *rest))
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        entry = self._log.entry(number)
        moment = self._log.moment(entry)
        made: Operation | Synchronization
        if entry.kind == self._kinds.operation:
            made = self._operation_at(entry, moment)
        else:
            made = self._synchronization_at(entry, moment)
        self._known[written] = type(made)._make, moment, made[1:]
        return made

    def _operation_at(self, entry: Entry, moment: Moment) -> Operation:
        own, log = entry.words, self._log
        serial, target, op, request, frame = own[0], signed(own[1]), *own[2:5]
        identity = self._identity(serial)
        reach = self._reach(identity, target)
        if reach is None:
            raise Cut
        kind = operation_kind(moment.procedure)
        given = dict(zip(ROLES[kind], threes(own[FIRST:])))
        memory = {
            role: log.memory(words[2], signed(words[1]), words[0])
            for role, words in given.items()
            if role != "target_disp"
        }
        place, count, record = given["target_disp"]
        name = log.op(op) if op else ""
        if name == "MPI_NO_OP":
            memory["origin_addr"] = ()
        lent: tuple[Lent, ...] = ()
        for role in memory:
            written = role == "result_addr" or kind == "get"
            memory[role], others = self._segments.of_buffer(memory[role], written)
            lent += others
        self._told.add(request)
        accumulates = kind not in ("put", "get")
        basic, size = log.basic(record) if accumulates else ("", 0)
        doubles = kind != "get" and log.doubles(record, signed(count))
        return Operation(
            moment,
            kind,
            identity,
            target,
            memory["origin_addr"],
            log.memory(record, signed(count), reach[0] + signed(place) * reach[1]),
            memory.get("result_addr", ()),
            memory.get("compare_addr", ()),
            name,
            (basic,) if accumulates else (),
            request,
            log.values(own[FIRST + 3 * len(ROLES[kind]) :]),
            frame,
            doubles and name != "MPI_NO_OP",
            0 if doubles else size,
            lent,
        )

    def _synchronization_at(self, entry: Entry, moment: Moment) -> Synchronization:
        serial, rank, detail, frame, *group = entry.words
        kind = moment.procedure.removeprefix("MPI_Win_")
        bits = self._assertions
        return Synchronization(
            moment,
            "wait" if kind == "test" else kind,
            self._identity(serial),
            -1 if rank == NOT_KNOWN else signed(rank),
            tuple(map(signed, group)),
            bool(detail & bits["exclusive"]),
            frozenset(name for name in ASSERTED if detail & bits[name]),
            attempt=bool(detail & bits["attempt"]),
            frame=frame,
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
            raise Cut
        channel = Channel(identity, self._log.rank, signed(rank), signed(tag), number - 1)
        synchronous = bool(bits & self._kinds.synchronous)
        moment = self._log.moment(entry)
        alone = synchronous and not request
        own_request = -1 - moment.number if alone else request
        self._told.add(request)
        yield Sent(moment, channel, synchronous, own_request)
        if alone:
            yield Completed(self._log.moment(entry, 1), (own_request,))

    def _receive(self, entry: Entry) -> Iterator[Event]:
        if entry.number in self._receives.probed:
            message = self._receives.probed[entry.number]
            yield Probed(self._log.moment(entry), *self._taken(message))
        yield from self._begun(entry)
        yield from self._received(entry, begun=False)

    def _begun(self, entry: Entry) -> Iterator[Event]:
        message = self._receives.begun.get(entry.number)
        if message is not None:
            yield ReceiveBegun(self._log.moment(entry), *self._taken(message))

    def _taken(self, message: Message | None) -> tuple[Channel, bool, bool]:
        # The channel of a message, and whether it was received with MPI_ANY_SOURCE and MPI_ANY_TAG.
        if message is None:
            raise Cut
        source, tag = signed(message.source), signed(message.tag)
        channel = Channel(message.context, source, self._log.rank, tag, message.ordinal)
        return channel, message.any_source, message.any_tag

    def _received(self, entry: Entry, *, begun: bool) -> Iterator[Event]:
        for step, message in enumerate(self._receives.ended_by.get(entry.number, ())):
            yield Received(self._log.moment(entry, 1 + step), *self._taken(message), begun)

    def _collective(self, entry: Entry) -> Iterator[Event]:
        if entry.words[4] & self._kinds.persistent:
            self._persistent[entry.words[3]] = entry
            return
        identity, ordinal, _, request = entry.words[:4]
        yield from self._together(entry, entry, identity, ordinal, request)

    def _together(
        self, entry: Entry, of: Entry, context: int, ordinal: int, request: int
    ) -> Iterator[Event]:
        members, number = self._members.get(of.words[0]), certain(ordinal)
        if members is None or number is None:
            raise Cut
        size = len(members.ranks) + len(members.others)
        if size == 1 or procedures.procedure(self._log.procedure(of)).waits_for_nobody:
            return
        self._told.add(request)
        yield Collective(
            self._log.moment(entry),
            context,
            number - 1,
            size,
            self._sources(of, members),
            bool(of.words[4] & self._kinds.sends),
            request,
        )

    def _sources(self, of: Entry, members: Members) -> tuple[int, ...] | None:
        # The ranks whose data this process receives in the call; None: all.
        _, _, root, _, bits, *some = of.words
        called = procedures.procedure(self._log.procedure(of))
        all_of_them = members.others or None
        if not bits & self._kinds.takes:
            return ()
        if bits & self._kinds.some:
            if NOT_KNOWN in some:
                raise Cut
            return tuple(map(signed, some))
        if called.flow == "from root":
            return () if root in (NOT_KNOWN, self._log.rank) else (root,)
        if called.flow == "to root":
            return all_of_them if root == self._log.rank else ()
        if called.flow == "prefix":
            return members.ranks[: members.ranks.index(self._log.rank)]
        # Assume that any other call sends data from all processes to all. In an intercommunicator
        # each group gets data of the other group.
        to_others = called.flow == "exchange" or called.operation == "Barrier"
        return all_of_them if to_others else None

    def _started(self, entry: Entry) -> Iterator[Event]:
        request, ordinal = entry.words
        of = self._persistent.get(request)
        if of is None:
            yield from self._begun(entry)
        elif of.kind == self._kinds.send:
            yield from self._sent(entry, of.words, ordinal, request)
        elif of.kind == self._kinds.partitioned:
            self._starts[request] = self._starts.get(request, -1) + 1
        else:
            start = self._starts[request] = self._starts.get(request, 0) + 1
            context = of.words[0] << 64 | of.words[1]
            yield from self._together(entry, of, context, start, request)

    def _partitioned(self, entry: Entry) -> Iterator[Event]:
        self._persistent[entry.words[4]] = entry
        return iter(())

    def _partitions(self, entry: Entry) -> Iterator[Event]:
        request, first, number = entry.words
        yield self._partition_range(entry, self._persistent[request], first, number)

    def _partition_range(self, entry: Entry, of: Entry, first: int, number: int) -> Event:
        identity, rank, tag, ordinal, request, bits, count = of.words
        counted = certain(ordinal)
        if counted is None or rank == NOT_KNOWN or first + number > count:
            raise Cut
        ranks = self._log.rank, signed(rank)
        sends = bool(bits & self._kinds.sends)
        source, destination = ranks if sends else ranks[::-1]
        channel = Channel(identity, source, destination, signed(tag), counted - 1)
        start = self._starts[request]
        return Partitions(self._log.moment(entry), channel, start, first, number, count, sends)

    def _completed(self, entry: Entry) -> Iterator[Event]:
        request = entry.words[0]
        yield from self._received(entry, begun=not request & entries.MESSAGE)
        of = self._persistent.get(request)
        if (
            of is not None
            and of.kind == self._kinds.partitioned
            and of.words[5] & self._kinds.takes
        ):
            yield self._partition_range(entry, of, 0, of.words[6])
        if request in self._others:
            yield OtherWorldContact(self._log.moment(entry), tells=False)
        if request in self._told:
            yield Completed(self._log.moment(entry), (request,), *entry.words[4:5])
