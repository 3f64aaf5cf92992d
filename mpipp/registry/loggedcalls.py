# SPDX-License-Identifier: MIT
"""What entries of a process's log say by themselves: calls, memory, windows, values."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from mpipp.datatypes.overlap import region
from mpipp.datatypes.overlap.flat import pieces
from mpipp.model import Buffer, Call, DatatypeRecord, Op
from mpipp.model.onesided import DEFAULT_ORDERING, Comb, Memory, Moment, Values
from mpipp.registry import logged
from mpipp.registry.datatypes import Datatypes
from mpipp.registry.logged import Entry, Kinds
from mpipp.registry.source import Source

STEPS = 4  # numbers of events for each entry of the log
_HINTS = ("has ops", "same op", "has ordering", *DEFAULT_ORDERING)
# Of the arguments of an operation, in the order of its entry.
ROLES = {
    "put": ("origin_addr", "target_disp"),
    "get": ("origin_addr", "target_disp"),
    "accumulate": ("origin_addr", "target_disp"),
    "get_accumulate": ("origin_addr", "result_addr", "target_disp"),
    "fetch_and_op": ("origin_addr", "result_addr", "target_disp"),
    "compare_and_swap": ("origin_addr", "compare_addr", "result_addr", "target_disp"),
}
Reach = tuple[int, int]  # a window's memory in one process: its address, displacement unit


class Members(NamedTuple):
    """The groups of a communicator."""

    ranks: tuple[int, ...]  # in MPI_COMM_WORLD
    others: tuple[int, ...]  # of an intercommunicator's remote group


class LoggedCalls:
    """The log of one process, as far as one entry says it.

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
                found[own[0]] = identity, signed(own[7]), (own[2], signed(own[4]))
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
                found.update(members_of(members[own[8]]).ranks if own[8] in members else ())
        return frozenset(found)

    @property
    def has_values(self) -> bool:
        """Whether it tells what atomic operations have brought."""
        kind = self._kinds.value
        return any(self._words[at] & 0xFF == kind for at, _ in logged.places(self._words))

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
            roles = ROLES[operation_kind(procedure)]
            for role, words in zip(roles, threes(own[4:])):
                datatype = self._datatypes.at(words[2]) if words[2] else None
                access = {"remote"} if role == "target_disp" else set[str]()
                handle = datatype.header.handle if isinstance(datatype, DatatypeRecord) else 0
                buffers.append(
                    Buffer(role, words[0], signed(words[1]), 1, datatype, handle, frozenset(access))
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
            target_rank=signed(own[1]) if is_operation else None,
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


def members_of(words: array[int]) -> Members:
    """Those of a communicator's entry, by its words."""
    _, _, _, size, remote = words[:5]
    ranks = tuple(map(signed, words[5:]))
    own = ranks[:size] if len(ranks) >= size else tuple(range(size))
    return Members(own, ranks[len(ranks) - remote :] if remote else ())


def operation_kind(procedure: str) -> str:
    """What a procedure does, whatever its form: "get_accumulate" of MPI_Rget_accumulate_c."""
    name = procedure.removeprefix("MPI_").removesuffix("_c").lower()
    return name[1:] if name.startswith("r") else name


def threes(words: Iterable[int]) -> Iterator[tuple[int, int, int]]:
    """Words three by three."""
    each = iter(words)
    return zip(each, each, each)


def signed(word: int) -> int:
    """A word as what it was in C."""
    return word - (1 << 64) if word >> 63 else word
