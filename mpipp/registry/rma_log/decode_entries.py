# SPDX-License-Identifier: MIT
"""Decodes single entries of a process's RMA log: calls, memory, windows, values."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from mpipp.common.errors import MpippError
from mpipp.datatypes.memory import region, region_overlap
from mpipp.datatypes.memory.flatten import pieces
from mpipp.model import Broken, Buffer, Call, DatatypeRecord, Op, Site
from mpipp.model.moment import Moment
from mpipp.model.rma_events import DEFAULT_ORDERING, UNKNOWN, Comb, Memory, ThreadOrder, Values
from mpipp.model.rma_logs import MovedLog
from mpipp.registry.rma_log import entries
from mpipp.registry.rma_log.entries import Entry, EntryNames, Kinds

PAGE_BITS = 12  # low bits of an address, which are equal in all processes that map the same file
STEPS = 4  # the events of entry n have the numbers STEPS * n to STEPS * n + STEPS - 1
ENUMERATIONS = (
    "logged",
    "log_assertions",
    "log_bits",
    "log_hints",
    "log_threads",
    "log_values",
    "win_flavor",
    "win_model",
)
_HINTS = ("has ops", "same op", "has locks", "no locks", "has ordering", *DEFAULT_ORDERING)
FIRST = 5  # words of an operation before those of its buffers
ASSERTED = tuple(
    f"MPI_MODE_{one}" for one in ("NOCHECK", "NOSTORE", "NOPUT", "NOPRECEDE", "NOSUCCEED")
)
ASSERTIONS = (*ASSERTED, "exclusive", "attempt")
# The arguments of an operation, in the order of its entry.
ROLES = {
    "put": ("origin_addr", "target_disp"),
    "get": ("origin_addr", "target_disp"),
    "accumulate": ("origin_addr", "target_disp"),
    "get_accumulate": ("origin_addr", "result_addr", "target_disp"),
    "fetch_and_op": ("origin_addr", "result_addr", "target_disp"),
    "compare_and_swap": ("origin_addr", "compare_addr", "result_addr", "target_disp"),
}
# A window's memory in one process: its address, and its displacement unit in bytes.
Reach = tuple[int, int]


class Members(NamedTuple):
    """The groups of a communicator, as ranks in MPI_COMM_WORLD."""

    ranks: tuple[int, ...]  # the local group
    others: tuple[int, ...]  # the remote group of an intercommunicator


class Around(NamedTuple):
    """The context for reading a process's log.

    Attributes:
        naming: returns the names of numbers.
        datatype: returns a datatype by its value in the log.
        op: returns an operation's record by its handle.
        rank: the process's rank in MPI_COMM_WORLD.
        size: the size of MPI_COMM_WORLD.
        lost: the number of entries for which the log had no space.
    """

    naming: EntryNames
    datatype: Callable[[int], DatatypeRecord | Broken]
    op: Callable[[int], object]
    rank: int
    size: int
    lost: int


class LoggedCalls:
    """The log of one process, with functions that decode single entries.

    Args:
        around: the context of the process.
        words: the readable part of the log.
        is_whole: whether this is the whole log.

    Attributes:
        lost: the number of entries for which the log had no space at its end.
        words: the readable part of the log.
        assertions: the bit of each of ASSERTIONS.
    """

    def __init__(self, around: Around, words: array[int], is_whole: bool) -> None:
        naming = around.naming
        self.lost = around.lost
        self.rank = around.rank
        self._around = around
        self.words = words
        self._kinds = Kinds.of(naming)
        self._is_whole = is_whole
        self._hints = {word: naming.value("log_hints", word) for word in _HINTS}
        self.assertions = {word: naming.value("log_assertions", word) for word in ASSERTIONS}
        self._given = naming.value("log_values", "given")
        self._told = naming.value("log_values", "follows")
        self._names: dict[int, str] = {}  # keys: handles of operations
        self._combs: dict[tuple[int, int], Memory] = {}
        self._doubles: dict[tuple[int, int], bool] = {}
        self._basics: dict[int, tuple[str, int]] = {}
        self._threads: dict[int, int] = {}
        self._procedures: dict[tuple[int, int], str] = {}  # keys: kind and procedure of an entry

    @cached_property
    def _places(self) -> entries.Places:
        return entries.places(self.words, self._kinds)

    @cached_property
    def damaged(self) -> bool:
        """Return whether more entries follow that are invalid."""
        return not self._is_whole or entries.end(self.words, self._places) < len(self.words)

    @property
    def is_complete(self) -> bool:
        """Return whether all entries are here, unless some are invalid."""
        return self._is_whole and not self.lost

    def selected(self, *kinds: int) -> Iterator[Entry]:
        """Yield the entries of these kinds, in the order of the log."""
        return entries.entries(self.words, self._places, kinds)

    def entry(self, number: int) -> Entry:
        """Return the entry with this number."""
        return entries.entry(self.words, self._places, number)

    @cached_property
    def windows(self) -> Mapping[int, tuple[int, int, Reach]]:
        """The windows by serial: identity, own rank in the group, and memory in this process."""
        found, alone = {}, set[int]()
        for entry in self.selected(self._kinds.comm, self._kinds.window):
            own = entry.words
            if entry.kind == self._kinds.comm:
                if own[3] + own[4] == 1:
                    alone.add(own[0])
            elif entry.kind == self._kinds.window:
                # Communicators like MPI_COMM_SELF may have the same identity in several processes.
                identity = ~self.rank << 64 | own[1] if own[8] in alone and own[1] else own[1]
                found[own[0]] = identity, signed(own[7]), (own[2], signed(own[4]))
        return found

    @cached_property
    def queried(self) -> frozenset[int]:
        """Identities of the windows whose memory in other processes this process has queried."""
        of = (entry.words[0] for entry in self.selected(self._kinds.segment))
        return frozenset(self.windows[serial][0] for serial in of if serial in self.windows)

    @cached_property
    def finds_races(self) -> bool:
        """Return whether the run checks for races of messages."""
        comms = self.selected(self._kinds.comm)
        return any(entry.words[1] & self._kinds.races for entry in comms)

    @property
    def has_values(self) -> bool:
        """Return whether the log has results of atomic operations."""
        return self._has(self._kinds.value)

    @property
    def has_other_worlds(self) -> bool:
        """Return whether the log has communication with processes of another MPI_COMM_WORLD."""
        return self._has(self._kinds.elsewhere)

    @cached_property
    def thread_order(self) -> ThreadOrder:
        """The number of threads with events, and the knowledge of their order."""
        observed = self._around.naming.value("log_threads", "observed")
        atomics = self._around.naming.value("log_threads", "atomics")
        # Other entries are stored as differences to these, and belong to the same threads.
        threads = {self.words[at] >> 48 for at in self._places.whole}
        known = [entry.words[0] for entry in self.selected(self._kinds.threads)]
        return ThreadOrder(
            len(threads),
            bool(known) and all(bits & observed for bits in known),
            bool(known) and all(bits & atomics for bits in known),
        )

    def _has(self, kind: int) -> bool:
        return any(True for _ in entries.numbers(self.words, self._places, (kind,)))

    def moved(
        self,
        place: Callable[[Site], int],
        datatype: Callable[[DatatypeRecord | Broken], int],
    ) -> MovedLog:
        """Return the log with numbers in place of the addresses of records.

        Args:
            place: returns the number of a place.
            datatype: returns the number of a datatype, from 0 on. The log has this number plus 1,
                and 0 for an unknown datatype.
        """
        words = array("Q", self.words[: entries.end(self.words, self._places)])
        places: dict[int, int] = {}
        datatypes: dict[int, int] = {0: 0}
        procedures: dict[int, str] = {}
        for at in self._places.whole:  # similar entries share the place and datatypes of these
            head, where = words[at], words[at + 1]
            number = head >> 32 & 0xFFFF
            if number not in procedures:
                procedures[number] = self.procedure_name(number)
            if where not in places:
                named = place(self._around.naming.site(where, 0))
                # Keep the low bits: they are equal for one line in all processes that run the same
                # file.
                places[where] = named << PAGE_BITS | where % (1 << PAGE_BITS)
            words[at + 1] = places[where]
            if entries.kind(head) != self._kinds.operation:
                continue
            roles = ROLES.get(operation_kind(procedures[number]), ())
            first, end = at + entries.FIRST + FIRST + 2, at + entries.length(head)
            for record in range(first, min(first + 3 * len(roles), end), 3):
                if words[record] not in datatypes:
                    datatypes[words[record]] = 1 + datatype(self._around.datatype(words[record]))
                words[record] = datatypes[words[record]]
        enumerations = {one: self._around.naming.enumeration(one) for one in ENUMERATIONS}
        return MovedLog(words, procedures, enumerations, self.lost, self.damaged)

    def procedure_name(self, number: int) -> str:
        """Return the name of a procedure by its number in the log; "" if it has none."""
        try:
            return self._around.naming.procedure(number)
        except MpippError:  # the entry is damaged
            return ""

    def call(self, number: int) -> Call | None:
        """Return the call of an event, with buffers if it is an operation; None if it has none."""
        wanted = number // STEPS
        if not 0 <= wanted < len(self._places.all):
            return None
        return self._call(self.entry(wanted))

    def _call(self, entry: Entry) -> Call:
        own, buffers = entry.words, list[Buffer]()
        procedure = self._called(entry)
        is_operation = entry.kind == self._kinds.operation
        if is_operation:
            roles = ROLES[operation_kind(procedure)]
            for role, words in zip(roles, threes(own[FIRST:])):
                datatype = self._around.datatype(words[2]) if words[2] else None
                access = {"remote"} if role == "target_disp" else set[str]()
                handle = datatype.header.handle if isinstance(datatype, DatatypeRecord) else 0
                buffers.append(
                    Buffer(role, words[0], signed(words[1]), 1, datatype, handle, frozenset(access))
                )
        return Call(
            procedure=procedure,
            state="active" if is_operation else "over",  # "over" would hide the buffers
            serial=0,
            site=self.site(entry.place),
            frame=0,
            op=own[2] or None if is_operation else None,
            target_rank=signed(own[1]) if is_operation else None,
            buffers=tuple(buffers),
        )

    def _called(self, entry: Entry) -> str:
        # The procedure's name; "" for an entry that belongs to no MPI call.
        key = entry.kind, entry.procedure
        known = self._procedures.get(key)
        if known is None:
            kinds = self._kinds
            of_no_call = kinds.access, kinds.given_back, kinds.released, kinds.acquired
            is_none = entry.kind in of_no_call
            known = self._procedures[key] = "" if is_none else self.procedure(entry)
        return known

    def procedure(self, entry: Entry) -> str:
        """Return the name of the procedure that was called."""
        return self._around.naming.procedure(entry.procedure)

    def site(self, place: int) -> Site:
        """Return the call site that a moment's place stands for."""
        return self._around.naming.site(place, 0)

    def word(self, enumeration: str, value: int) -> str:
        """Return the name of a value of an enumeration."""
        return self._around.naming.enumerator(enumeration, value)

    def moment(self, entry: Entry, step: int = 0) -> Moment:
        """Return the moment of an event of an entry."""
        thread = self._threads.get(entry.thread)
        if thread is None:
            thread = self._threads[entry.thread] = len(self._threads)
        number = entry.number * STEPS + step
        return Moment(self.rank, thread, number, entry.place, self._called(entry))

    def members(self, words: array[int]) -> Members:
        """Return the members in a communicator's entry. Raises ValueError if there are too many."""
        _, _, _, size, remote = words[:5]
        if max(size, remote) > self._around.size:
            raise ValueError
        ranks = tuple(map(signed, words[5:]))
        # The wrapper leaves out the group if its ranks are 0, 1, 2 ...
        own = ranks[:size] if len(ranks) >= size + remote else tuple(range(size))
        return Members(own, ranks[len(ranks) - remote :] if remote else ())

    def memory(self, record: int, count: int, address: int) -> Memory:
        """Return the bytes of a buffer.

        UNKNOWN if the buffer's datatype is unknown, or if the buffer has too many pieces.
        """
        known = self._combs.get((record, count))
        if known is None:
            known = self._combs[record, count] = self._pieces(record, count)
        if known is UNKNOWN:
            return known
        return tuple(comb._replace(first=comb.first + address) for comb in known)

    def _pieces(self, record: int, count: int) -> Memory:
        if count <= 0:
            return ()
        found = self._around.datatype(record) if record else None
        tree = found.tree if isinstance(found, DatatypeRecord) else None
        flat = pieces(region(tree, count)) if tree is not None else None
        return UNKNOWN if flat is None else tuple(Comb(*one) for one in flat)

    def doubles(self, record: int, count: int) -> bool:
        """Return whether a buffer overlaps itself."""
        known = self._doubles.get((record, count))
        if known is None:
            found = self._around.datatype(record) if record else None
            tree = found.tree if isinstance(found, DatatypeRecord) else None
            known = (
                tree is not None and count > 0 and region_overlap(region(tree, count)) is not None
            )
            self._doubles[record, count] = known
        return known

    def basic(self, record: int) -> tuple[str, int]:
        """Return the basic datatype of an accumulate's datatype, and its bytes.

        The bytes are 0 if the basic datatype has gaps.
        """
        known = self._basics.get(record)
        if known is None:
            found = self._around.datatype(record) if record else None
            tree = found.tree if isinstance(found, DatatypeRecord) else None
            while tree is not None and not tree.is_leaf:
                tree = next((part for part in tree.components if not part.is_marker), None)
            name, size = (tree.name, tree.size) if tree is not None else ("", 0)
            is_whole = tree is not None and size == tree.true_extent
            known = self._basics[record] = name, size if is_whole else 0
        return known

    def ops_hint(self, bits: int) -> str:
        """Return the value of the hint accumulate_ops; "" if it is not set."""
        if not bits & self._hints["has ops"]:
            return ""
        return "same_op" if bits & self._hints["same op"] else "same_op_no_op"

    def ordering_hint(self, bits: int) -> frozenset[str] | None:
        """Return the value of the hint accumulate_ordering; None if it is not set."""
        if not bits & self._hints["has ordering"]:
            return None
        return frozenset(word for word in DEFAULT_ORDERING if bits & self._hints[word])

    def locks_hint(self, bits: int) -> bool | None:
        """Return the value of the hint no_locks; None if it is not set."""
        if not bits & self._hints["has locks"]:
            return None
        return bool(bits & self._hints["no locks"])

    def values(self, words: array[int]) -> Values | None:
        """Return the values of an atomic operation, from the end of its entry."""
        if len(words) != 3:
            return None
        bits, given, compared = words
        is_given = bits & self._given
        return Values(bits & 0xFF, given if is_given else None, compared, bool(bits & self._told))

    def op(self, handle: int) -> str:
        """Return the name of a predefined operation."""
        known = self._names.get(handle)
        if known is None:
            found = self._around.op(handle) if handle else None
            known = self._names[handle] = found.header.name if isinstance(found, Op) else ""
        return known


def operation_kind(procedure: str) -> str:
    """Return the operation of a procedure: "get_accumulate" for MPI_Rget_accumulate_c."""
    name = procedure.removeprefix("MPI_").removesuffix("_c").lower()
    return name[1:] if name.startswith("r") else name


def threes(words: Iterable[int]) -> Iterator[tuple[int, int, int]]:
    """Yield words in groups of three."""
    each = iter(words)
    return zip(each, each, each)


def signed(word: int) -> int:
    """Return a word as a signed number."""
    return word - (1 << 64) if word >> 63 else word
