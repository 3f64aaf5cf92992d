# SPDX-License-Identifier: MIT
"""Decodes the log of a process's accesses to windows and their order into entries.

The format is that of wrapper/registry/rma_log_entry.h. `Receives` finds the message of each
receive.
"""

from __future__ import annotations

import functools
from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from mpipp.common.errors import MpippError
from mpipp.model import Site
from mpipp.registry.layout.record_fields import RawPage
from mpipp.registry.layout.record_source import Source

_MAX_PAGES = 1 << 16
_MAX_WORDS = 1 << 24  # words of a page, and so of an entry
_MOST_WORDS = 1 << 26  # words of all pages
_MOST_FITTING = 1 << 16  # heads in the cache
FIRST = 2  # first words of an entry, equal for all kinds
_KIND = 0x3F  # bits of a head, the first word of an entry
# Bits of the head of an entry that is similar to an earlier one. Only the differing words follow
# the head, or their differences, two in one word.
_LIKE, _NARROW = 0x80, 0x40
# bits of the head, from bit 16 on, that select the differing words; the bits above have the number
# of the earlier entry
_CHANGES = 24
ANY, NOT_KNOWN = (1 << 64) - 2, (1 << 64) - 1
MESSAGE = 1 << 62  # bit of a request's number: a message that a matching probe took


# The number of words behind the first FIRST ones, for each kind: exactly, or at least.
_EXACT = {
    "window": 11,
    "freed": 2,
    "memory": 4,
    "send": 6,
    "receive": 7,
    "started": 2,
    "matched": 2,
    "given_up": 1,
    "access": 6,
    "ended": 1,
    "unknown": 0,
    "info": 2,
    "value": 3,
    "partitioned": 7,
    "partitions": 3,
    "given_back": 2,
    "elsewhere": 2,
    "segment": 4,
    "threads": 1,
    "released": 2,
    "acquired": 1,
}
_LEAST = {"comm": 5, "operation": 5, "synchronization": 4, "collective": 5, "completed": 4}


class EntryNames(Protocol):
    """The names of numbers in a log, as in `Source`."""

    def value(self, enumeration: str, name: str) -> int: ...

    def enumerator(self, enumeration: str, value: int) -> str: ...

    def enumeration(self, name: str) -> Mapping[int, str]: ...

    def procedure(self, number: int) -> str: ...

    def site(self, caller: int, frames: int) -> Site: ...


class Kinds(NamedTuple):
    """The numbers of the entries' kinds, and the bits that entries use."""

    comm: int
    window: int
    freed: int
    memory: int
    operation: int
    synchronization: int
    send: int
    receive: int
    collective: int
    started: int
    matched: int
    completed: int
    given_up: int
    access: int
    ended: int
    unknown: int
    info: int
    value: int
    partitioned: int
    partitions: int
    given_back: int
    elsewhere: int
    segment: int
    threads: int
    released: int
    acquired: int
    synchronous: int
    persistent: int
    sends: int
    takes: int
    cancelled: int
    probes: int
    some: int
    races: int

    @classmethod
    def of(cls, source: EntryNames) -> Kinds:
        """Return the numbers that a registry publishes."""
        bits = cls._fields[cls._fields.index("synchronous") :]
        kinds = cls._fields[: -len(bits)]
        return cls(
            *(source.value("logged", name.replace("_", " ")) for name in kinds),
            *(source.value("log_bits", name) for name in bits),
        )


def words(source: Source, first: int) -> tuple[array[int], bool]:
    """Return the words of all pages from an address on, and whether they are complete."""
    found = array("Q")
    decoder = source.linked_decoder("pages", RawPage)
    address, seen = first, set[int]()
    try:
        while address:
            page = decoder.decode(source.memory.read(address, decoder.size))
            if not page.used <= page.capacity <= _MAX_WORDS or address in seen:
                break
            if len(found) + page.used > _MOST_WORDS:
                break
            seen.add(address)
            found.frombytes(source.memory.fresh(address + decoder.size, 8 * page.used))
            address = page.next if len(seen) < _MAX_PAGES else 0
    except MpippError:  # the page is unreadable
        pass
    if source.byte_order != "<":
        found.byteswap()
    return found, not address


class Entry(NamedTuple):
    """One entry: its number in the log, its kind, and its words, except the common ones."""

    number: int
    kind: int
    procedure: int
    thread: int  # serial number
    place: int
    words: array[int]


def kind(head: int) -> int:
    """Return the number of an entry's kind, from its first word."""
    return head & _KIND


def length(head: int) -> int:
    """Return the number of words of an entry, from its first word."""
    return head >> 8 & (0xFF if head & _LIKE else 0xFFFFFF)


# The kinds of which a program may have many entries.
_FREQUENT = ("operation", "synchronization", "send", "receive", "collective", "completed", "access")


class Places(NamedTuple):
    """The indices of the entries' first words. `whole` leaves out entries stored as differences.

    `rare` has the numbers of the entries whose kinds are not in `frequent`.
    """

    all: array[int]
    whole: array[int]
    rare: array[int]
    frequent: frozenset[int]


def places(of: array[int], kinds: Kinds) -> Places:
    """Return the indices of all entries, up to the first invalid one."""
    frequent = frozenset(getattr(kinds, name) for name in _FREQUENT)
    found = Places(array("Q"), array("Q"), array("Q"), frequent)
    sizes = _sizes(kinds)
    fitting: dict[int, int] = {}  # sizes of entries stored as differences, by their heads
    at, end = 0, len(of)
    while at < end:
        head = of[at]
        count = fitting.get(head, 0) or length(head)
        if at + count > end:
            break
        if head not in fitting:
            least, most = sizes[head & 0xFF]
            if not least <= count <= most:
                break
            if not head & _LIKE:
                found.whole.append(at)
            elif not _fits(of, head, found.whole):
                break
            elif len(fitting) < _MOST_FITTING:
                fitting[head] = count
        if head & _KIND not in frequent:
            found.rare.append(len(found.all))
        found.all.append(at)
        at += count
    return found


def _fits(of: array[int], head: int, whole: array[int]) -> bool:
    # Returns whether the earlier entry exists from which this one differs, and the lengths fit.
    number = head >> 16 + _CHANGES
    if number >= len(whole):
        return False
    first = of[whole[number]]
    changed = _changed(head)
    own = (len(changed) + 1) // 2 if head & _NARROW else len(changed)
    if first & 0xFF != kind(head) or length(head) != 1 + own:
        return False
    return not changed or changed[-1] < length(first) - FIRST


@functools.lru_cache(maxsize=1 << 12)
def _bits(mask: int) -> tuple[int, ...]:
    return tuple(i for i in range(_CHANGES) if mask >> i & 1)


def _changed(head: int) -> tuple[int, ...]:
    # The indices of the words in which an entry differs from the earlier one.
    return _bits(head >> 16 & (1 << _CHANGES) - 1)


def end(of: array[int], places: Places) -> int:
    """Return the number of words of all these entries."""
    return places.all[-1] + length(of[places.all[-1]]) if places.all else 0


def _sizes(kinds: Kinds) -> list[tuple[int, int]]:
    # The least and the largest size of the entries, by kind.
    found = [(FIRST, _MAX_WORDS)] * 256
    for name, count in _EXACT.items():
        found[getattr(kinds, name)] = FIRST + count, FIRST + count
    for name, count in _LEAST.items():
        found[getattr(kinds, name)] = FIRST + count, _MAX_WORDS
    found[_LIKE:] = [(1, 1 + _CHANGES)] * (256 - _LIKE)
    return found


def entry(of: array[int], places: Places, number: int) -> Entry:
    """Return the entry with a number, with all its words."""
    at = places.all[number]
    like = of[at]
    first = places.whole[like >> 16 + _CHANGES] if like & _LIKE else at
    head = of[first]
    own = of[first + FIRST : first + length(head)]
    if like & _LIKE:
        _change(own, like, of[at + 1 : at + length(like)])
    return Entry(number, kind(head), head >> 32 & 0xFFFF, head >> 48, of[first + 1], own)


def _change(own: array[int], head: int, left: array[int]) -> None:
    # Turn a copy of the earlier entry's words into this entry's words. `left` are the stored words.
    changed = _changed(head)
    if not head & _NARROW:
        for i, word in zip(changed, left):
            own[i] = word
        return
    for turn, i in enumerate(changed):
        half = left[turn // 2] >> 32 * (turn % 2) & 0xFFFFFFFF
        own[i] = own[i] + (half ^ 1 << 31) - (1 << 31) & (1 << 64) - 1


def stored(of: array[int], at: int) -> Iterator[tuple[int, int, int]]:
    """Yield the index of each stored word of an entry, with its position and size in bits.

    The words after the common ones count from 0, and the position from the entry's first word.
    """
    head = of[at]
    if not head & _LIKE:
        yield from ((index, 64 * (FIRST + index), 64) for index in range(length(head) - FIRST))
    elif head & _NARROW:
        yield from ((index, 64 + 32 * turn, 32) for turn, index in enumerate(_changed(head)))
    else:
        yield from ((index, 64 + 64 * turn, 64) for turn, index in enumerate(_changed(head)))


def written(of: array[int], at: int) -> bytes:
    """Return the stored bytes of an entry: equal bytes mean equal events, except their numbers."""
    return of[at : at + length(of[at])].tobytes()


def entries(of: array[int], places: Places, kinds: Sequence[int] = ()) -> Iterator[Entry]:
    """Yield the entries of these kinds, or all, in the order of the log."""
    for number in numbers(of, places, kinds):
        yield entry(of, places, number)


def numbers(of: array[int], places: Places, kinds: Sequence[int] = ()) -> Iterator[int]:
    """Yield the numbers of the entries of these kinds, or of all, in the order of the log."""
    if not kinds:
        yield from range(len(places.all))
    elif places.frequent.isdisjoint(kinds):
        yield from (number for number in places.rare if kind(of[places.all[number]]) in kinds)
    else:
        yield from (number for number, at in enumerate(places.all) if kind(of[at]) in kinds)


class _Posted:
    # A posted receive and the message that it took; or a probe, which takes no message.
    __slots__ = ("cancelled", "context", "probes", "rank", "tag", "thread", "wanted")

    def __init__(self, context: int, rank: int, tag: int, thread: int) -> None:
        self.context = context
        self.wanted = rank, tag
        self.rank, self.tag = rank, tag
        self.thread = thread
        self.probes = False
        self.cancelled = False

    @property
    def wildcards(self) -> tuple[bool, bool]:
        return self.wanted[0] == ANY, self.wanted[1] == ANY


class Message(NamedTuple):
    """The message that a receive takes; `ordinal` counts from 0 in its channel.

    `any_source` and `any_tag`: whether the receive was posted with these wildcards.
    """

    context: int
    source: int
    tag: int
    ordinal: int
    any_source: bool = False
    any_tag: bool = False


class Receives:
    """The messages of a log's receives, determined from all receives of the log.

    MPI matches in the order in which receives are posted (MPI-4.1, section 3.5), regardless of
    their completions. A message is None if it is uncertain.

    Attributes:
        ended_by: the messages of receives, by the number of the entry that completes them.
        begun: the messages, by the entry that begins a nonblocking receive.
        probed: the messages, by the entry of a probe.
    """

    def __init__(self, of: Iterator[Entry], kinds: Kinds) -> None:
        self.ended_by: dict[int, list[Message | None]] = {}
        self.begun: dict[int, Message | None] = {}
        self.probed: dict[int, Message | None] = {}
        self._kinds = kinds
        self._posted: list[_Posted] = []
        self._ends: list[tuple[int, _Posted]] = []
        self._begins: list[tuple[int, _Posted]] = []
        self._probes: list[tuple[int, _Posted]] = []
        self._made: dict[int, _Posted] = {}  # persistent receives by request
        self._active: dict[int, _Posted] = {}
        for entry in of:
            self._take(entry)
        self._match_receives()

    def _take(self, entry: Entry) -> None:
        kinds, kind, own = self._kinds, entry.kind, entry.words
        if kind == kinds.receive:
            one = _Posted(own[0], own[1], own[2], entry.thread)
            if own[4] & kinds.persistent:
                self._made[own[3]] = one
                return
            self._posted.append(one)
            if own[3]:
                self._active[own[3]] = one
                if own[3] & MESSAGE:
                    # A matching probe took the message; MPI_Mrecv begins the receive later.
                    one.rank, one.tag = own[5], own[6]
                    self._probes.append((entry.number, one))
                else:
                    self._begins.append((entry.number, one))
                return
            one.rank, one.tag = own[5], own[6]
            one.probes = bool(own[4] & kinds.probes)
            (self._probes if one.probes else self._ends).append((entry.number, one))
        elif kind == kinds.started and own[0] in self._made:
            of = self._made[own[0]]
            one = self._active[own[0]] = _Posted(of.context, *of.wanted, entry.thread)
            self._posted.append(one)
            self._begins.append((entry.number, one))
        elif kind == kinds.matched and own[1] in self._active:
            one = self._active[own[0]] = self._active.pop(own[1])
            self._begins.append((entry.number, one))
        elif kind == kinds.completed and own[0] in self._active:
            one = self._active.pop(own[0])
            if own[3] & kinds.cancelled:
                one.cancelled = True
                return
            one.rank = own[1] if one.rank == ANY else one.rank
            one.tag = own[2] if one.tag == ANY else one.tag
            self._ends.append((entry.number, one))

    def _match_receives(self) -> None:
        counts: dict[tuple[int, int, int], int] = {}
        threads: dict[tuple[int, int, int], int] = {}
        # For each context: source and tag of the receives whose messages are unknown.
        open_ones: dict[int, set[tuple[int, int]]] = {}
        told: dict[_Posted, Message | None] = {}
        receivers: dict[tuple[int, int, int], set[int]] = {}
        posted = [one for one in self._posted if not one.cancelled]
        for one in posted:
            if not one.probes:
                receivers.setdefault((one.context, one.rank, one.tag), set()).add(one.thread)
        for one in posted:
            hidden = one.rank in (ANY, NOT_KNOWN) or one.tag in (ANY, NOT_KNOWN)
            if hidden and not one.probes:
                open_ones.setdefault(one.context, set()).add(one.wanted)
                told[one] = None
                continue
            key = one.context, one.rank, one.tag
            may_be = (
                (rank, tag) in open_ones.get(one.context, ())
                for rank in (ANY, NOT_KNOWN, one.rank)
                for tag in (ANY, NOT_KNOWN, one.tag)
            )
            if one.probes:
                # If several threads receive, another one may take the message just before or after
                # the probe.
                certain = (
                    not hidden and not any(may_be) and receivers.get(key, set()) <= {one.thread}
                )
                ordinal = counts.get(key, 0)
                told[one] = Message(*key, ordinal, *one.wildcards) if certain else None
                continue
            shared = threads.setdefault(key, one.thread) != one.thread
            if any(may_be) or shared:
                open_ones.setdefault(one.context, set()).add((one.rank, one.tag))
                told[one] = None
                continue
            ordinal = counts.get(key, 0)
            counts[key] = ordinal + 1
            told[one] = Message(*key, ordinal, *one.wildcards)
        for number, one in self._ends:
            self.ended_by.setdefault(number, []).append(told[one])
        self.begun.update((number, told.get(one)) for number, one in self._begins)
        self.probed.update((number, told.get(one)) for number, one in self._probes)
