# SPDX-License-Identifier: MIT
"""Hand-made logs of one-sided communication with every kind of entry, and random damage to them."""

from __future__ import annotations

import random
from array import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from mpipp.analysis.context.process import Process
from mpipp.analysis.context.world import World
from mpipp.analysis.message_races.replay import analyse
from mpipp.analysis.rma import check
from mpipp.common.errors import MpippError
from mpipp.model import Broken, DatatypeRecord, Header, Op, Site
from mpipp.registry.rma_log.decode_entries import (
    ASSERTIONS,
    ENUMERATIONS,
    PAGE_BITS,
    Around,
)
from mpipp.registry.rma_log.entries import ANY, NOT_KNOWN, Entry, Kinds, entries, places
from mpipp.registry.rma_log.log import Log
from tests.unit.jobs import Recorded
from tests.unit.samples import DOUBLE, INT

SIZE = 3  # number of processes
KINDS = Kinds(*range(1, 1 + len(Kinds._fields)))._replace(
    synchronous=1, persistent=2, sends=4, takes=8, cancelled=16, probes=32, some=64, races=256
)
_BITS = ("synchronous", "persistent", "sends", "takes", "cancelled", "probes", "some", "races")
SORTS = [name for name in Kinds._fields if name not in _BITS]
_NAMES: dict[str, dict[int, str]] = {
    "logged": {getattr(KINDS, name): name.replace("_", " ") for name in SORTS},
    "log_bits": {getattr(KINDS, name): name for name in _BITS},
    "log_assertions": {1 << bit: name for bit, name in enumerate(ASSERTIONS)},
    "log_hints": {
        1 << bit: name
        for bit, name in enumerate(
            (
                "has ops",
                "same op",
                "has ordering",
                "rar",
                "raw",
                "war",
                "waw",
                "has locks",
                "no locks",
            )
        )
    },
    "log_threads": {1: "observed", 2: "atomics"},
    "log_values": {1 << 8: "given", 1 << 9: "follows"},
    "win_flavor": {1: "create", 2: "allocate", 3: "shared", 4: "dynamic"},
    "win_model": {1: "separate", 2: "unified"},
}
_PROCEDURES = (
    *("", "Win_allocate", "Win_create_dynamic", "Win_attach", "Win_fence", "Put", "Rput", "Get"),
    *("Accumulate", "Fetch_and_op", "Win_lock", "Win_flush", "Win_unlock", "Win_start"),
    *("Win_complete", "Win_post", "Win_wait", "Isend", "Irecv", "Recv", "Send", "Wait", "Bcast"),
    *("Bcast_init", "Send_init", "Recv_init", "Start", "Mprobe", "Mrecv", "Imrecv", "Win_set_info"),
    *("Win_free", "Finalize", "Request_free", "Ssend", "Win_sync", "Psend_init", "Precv_init"),
    *("Pready_range", "Parrived", "Iprobe", "Neighbor_allgather", "Win_lock_all"),
    *("Win_unlock_all", "Barrier", "Comm_dup", "Comm_set_info", "Comm_free", "Comm_disconnect"),
)
_INT, _DOUBLE, _SUM = 0x100, 0x200, 0x300  # handles of datatypes and an operation
_BASE = 0x10000
_PART = 0xA00000  # address at which a process maps a part of another's window
_FRAME = 0x7FFF0000  # stack frame of the calls
_MESSAGE = 1 << 62
_NASTY = (0, 1, 2, 3, 255, 1 << 20, 1 << 31, 1 << 40, 1 << 62, 1 << 63, ANY, NOT_KNOWN)


class EntryNames:
    """Names for the numbers in these logs."""

    def value(self, enumeration: str, name: str) -> int:
        return next((n for n, one in _NAMES[enumeration].items() if one == name), 0)

    def enumerator(self, enumeration: str, value: int) -> str:
        if value and value not in _NAMES[enumeration]:
            raise MpippError(f"{value} is not a value of {enumeration}")
        return _NAMES[enumeration].get(value, "")

    def enumeration(self, name: str) -> Mapping[int, str]:
        return _NAMES[name]

    def procedure(self, number: int) -> str:
        if not number < len(_PROCEDURES):
            raise MpippError(f"procedure number {number} is not in the table of procedures")
        return f"MPI_{_PROCEDURES[number]}"

    def site(self, caller: int, frames: int) -> Site:
        return Site(caller)


def _header(kind: str, handle: int, name: str) -> Header:
    return Header(kind, handle, 1, frozenset(("predefined",)), 0, 0, Site(0), name, handle)


_DATATYPES = {
    number: DatatypeRecord(_header("datatype", number, tree.name), tree, True, False)
    for number, tree in ((_INT, INT), (_DOUBLE, DOUBLE))
}


def datatype(number: int) -> DatatypeRecord | Broken:
    """The datatype with this number."""
    return _DATATYPES.get(number) or Broken("datatype", number, "there is none")


def operation(handle: int) -> object:
    """The operation with this handle."""
    header = _header("op", _SUM, "MPI_SUM")
    return Op(header, 0, True) if handle == _SUM else None


class Writer:
    """Writes the log of one process, with conflicts with itself and others."""

    def __init__(self, rank: int) -> None:
        self.rank = rank
        self.words = array("Q")
        self.numbers = 0
        self.before, self.after = (rank - 1) % SIZE, (rank + 1) % SIZE
        self._windows()
        self._messages()
        self._epochs()
        self._end()

    def add(self, kind: int, procedure: str, *own: int) -> int:
        """Add an entry, and return its number."""
        number = _PROCEDURES.index(procedure)
        place = 0x400000 + 16 * number  # one place for each procedure
        head = kind | (2 + len(own)) << 8 | number << 32 | 1 << 48
        self.words.extend(word % (1 << 64) for word in (head, place, *own))
        self.numbers += 1
        return self.numbers - 1

    def _windows(self) -> None:
        own = self.rank, SIZE, 0
        self.add(KINDS.comm, "Win_allocate", 1, 0, *own)
        base = _BASE * (self.rank + 1)
        self.add(KINDS.window, "Win_allocate", 5, 77, base, 512, 1, 2, 2, self.rank, 1, 0, 0)
        self.add(KINDS.segment, "Win_allocate", 5, self.after, _PART, 64)
        self.add(KINDS.comm, "Win_create_dynamic", 9, 0, *own, *range(SIZE))
        self.add(KINDS.window, "Win_create_dynamic", 6, 78, 0, 0, 1, 4, 2, self.rank, 9, 4 | 8, 0)
        self.add(KINDS.memory, "Win_attach", 6, base + 1024, 64, 0)
        self.add(KINDS.info, "Win_set_info", 5, 1 | 4 | 16)

    def _put(self, kind: str, at: int, request: int = 0, to: int | None = None) -> None:
        target = self.after if to is None else to
        buffer = 0x900000, 2, _INT
        operation = KINDS.operation
        self.add(operation, kind, 5, target, 0, request, _FRAME, *buffer, at, 2, _INT)

    def _fence(self, asserted: int = 0) -> None:
        self.add(KINDS.synchronization, "Win_fence", 5, NOT_KNOWN, asserted, _FRAME)

    def _send(self, procedure: str, tag: int, ordinal: int, request: int, bits: int = 0) -> None:
        self.add(KINDS.send, procedure, 1, self.after, tag, ordinal, request, bits)

    def _receive(self, procedure: str, source: int, tag: int, request: int, bits: int = 0) -> None:
        before = self.before
        self.add(KINDS.receive, procedure, 1, source, tag, request, bits, before, tag % 1000)

    def _completed(self, procedure: str, request: int, tag: int = -1) -> None:
        self.add(KINDS.completed, procedure, request, self.before, tag, 0)

    def _messages(self) -> None:
        self._send("Isend", 5, 1, 11)
        self._receive("Irecv", self.before, 5, 12)
        self._completed("Wait", 11)
        self._completed("Wait", 12, 5)
        self._send("Send", 6, 1, 0)
        self._receive("Recv", ANY, 6, 0)
        self._send("Send_init", 7, 0, 13, 2)
        self._receive("Recv_init", self.before, 7, 14, 2)
        for turn in (1, 2):
            self.add(KINDS.started, "Start", 14, 0)
            self.add(KINDS.started, "Start", 13, turn)
            self._completed("Wait", 13)
            self._completed("Wait", 14, 7)
        self._send("Send", 8, 1, 0)
        self._receive("Mprobe", self.before, 8, _MESSAGE | 3)
        self.add(KINDS.matched, "Imrecv", 15, _MESSAGE | 3)
        self._send("Send", 9, 1, 0)
        self._receive("Iprobe", self.before, 9, 0, KINDS.probes)
        self._receive("Recv", self.before, 9, 0)
        self._completed("Wait", 15, 8)
        self._send("Isend", 9, 2, 16)
        self._receive("Recv", self.before, 9, 0)
        self.add(KINDS.given_up, "Request_free", 16)
        self.add(KINDS.partitioned, "Psend_init", 1, self.after, 10, 1, 18, KINDS.sends, 4)
        self.add(KINDS.partitioned, "Precv_init", 1, self.before, 10, 1, 19, KINDS.takes, 2)
        for _ in range(2):
            self.add(KINDS.started, "Start", 18, 0)
            self.add(KINDS.started, "Start", 19, 0)
            self.add(KINDS.partitions, "Pready_range", 18, 0, 3)
            self.add(KINDS.partitions, "Parrived", 19, 0, 1)
            self.add(KINDS.partitions, "Pready_range", 18, 3, 1)
            self._completed("Wait", 19)
            self._completed("Wait", 18)
        both = KINDS.sends | KINDS.takes
        self.add(KINDS.collective, "Bcast", 1, 1, 0, 0, both)
        some = both | KINDS.some
        self.add(KINDS.collective, "Neighbor_allgather", 1, 2, NOT_KNOWN, 0, some, self.before)
        self.add(KINDS.collective, "Bcast_init", 1, 3, 1, 17, both | 2)
        self.add(KINDS.started, "Start", 17, 2)
        self._completed("Wait", 17)

    def _epochs(self) -> None:
        self._fence()
        self._put("Put", 0)
        self._put("Put", 4)
        self._put("Get", 4, to=self.before)
        self._fence()
        lock = KINDS.synchronization
        self.add(lock, "Win_lock", 5, self.after, 0, _FRAME)
        self._put("Rput", 64, request=21)
        self._completed("Wait", 21)
        sums = 0x910000, 1, _INT
        self.add(KINDS.operation, "Accumulate", 5, 0, _SUM, 0, _FRAME, *sums, 128, 1, _INT)
        self.add(lock, "Win_flush", 5, self.after, 0, _FRAME)
        self.add(lock, "Win_sync", 5, NOT_KNOWN, 0, _FRAME)
        self.add(lock, "Win_unlock", 5, self.after, 0, _FRAME)
        self._fence()
        atomic = 0x910000, 1, _INT, 0x910100, 1, _INT, 256, 1, _INT
        values = 4 | 1 << 8 | 1 << 9, 1, 0
        fetch = self.add(KINDS.operation, "Fetch_and_op", 5, 0, _SUM, 0, _FRAME, *atomic, *values)
        self._fence()
        self.add(KINDS.value, "Win_fence", fetch, self.rank, 1)
        base = _BASE * (self.rank + 1)
        self.add(KINDS.access, "", 1, base + 300, 4, 8, 5, 7)
        self.add(KINDS.access, "", 0, base + 64, 4, 0, 1, 1)
        self.add(KINDS.access, "", 1, _PART - 8, 4, 8, 5, 7)
        self._fence(16)
        self.add(lock, "Win_post", 5, NOT_KNOWN, 0, _FRAME, self.before)
        self.add(lock, "Win_start", 5, NOT_KNOWN, 0, _FRAME, self.after)
        self._put("Put", 400)
        self.add(KINDS.given_back, "", 0x900000, 64)
        self.add(KINDS.elsewhere, "Send", 0, KINDS.sends)
        self.add(KINDS.elsewhere, "Irecv", 23, KINDS.takes)
        self._completed("Wait", 23)
        self.add(lock, "Win_complete", 5, NOT_KNOWN, 0, _FRAME)
        self.add(lock, "Win_wait", 5, NOT_KNOWN, 0, _FRAME)

    def _end(self) -> None:
        self.add(KINDS.threads, "", 3)
        self.add(KINDS.released, "", 7, 1)
        self.add(KINDS.acquired, "", 7)
        self.add(KINDS.freed, "Win_free", 6, 0)
        self.add(KINDS.freed, "Win_free", 5, 0)
        self.add(KINDS.ended, "Finalize", 0)


@dataclass
class Logged(Recorded):
    """A process with a log from `Writer`."""

    words: array[int] = field(default_factory=lambda: array("Q"))
    is_whole: bool = True

    def log(self) -> Log:
        """The log of the process."""
        around = Around(EntryNames(), datatype, operation, self.rank, self.size, 0)
        return Log(around, self.words, self.is_whole)

    onesided = log


def whole() -> list[array[int]]:
    """The logs of all processes."""
    return [Writer(rank).words for rank in range(SIZE)]


def shortened(words: array[int]) -> array[int]:
    """A log whose entries refer to similar earlier ones, as the wrapper writes them."""
    found = array("Q")
    firsts: dict[tuple[int, int], tuple[int, array[int]]] = {}
    at = whole = 0
    while at < len(words):
        head, place = words[at : at + 2]
        own = words[at + 2 : at + (head >> 8 & 0xFFFFFF)]
        at += 2 + len(own)
        before, first = firsts.get((head, place), (0, None))
        differ = [i for i, word in enumerate(own) if first is None or word != first[i]]
        is_operation = head & 0xFF == KINDS.operation
        is_whole = len(differ) == len(own) or head & 0xFF == KINDS.access
        if is_whole or (is_operation and any(i >= 7 and i % 3 == 1 for i in differ)):
            firsts[head, place] = whole, own
            found.extend((head, place, *own))
            whole += 1
            continue
        assert first is not None
        by = [own[i] - first[i] for i in differ]
        by = [one - (1 << 64) if one >> 63 == 1 else one for one in by]
        by = [one + (1 << 64) if one < -(1 << 63) else one for one in by]
        is_narrow = all(-(1 << 31) <= one < 1 << 31 for one in by)
        left = _in_pairs(by) if is_narrow else [own[i] for i in differ]
        bits = sum(1 << i for i in differ)
        found.append(
            head & 0x3F | 0x80 | is_narrow << 6 | (1 + len(left)) << 8 | bits << 16 | before << 40
        )
        found.extend(left)
    return found


def _in_pairs(numbers: list[int]) -> list[int]:
    # Two numbers in a word, the first in its lower half.
    halves = [one & 0xFFFFFFFF for one in numbers] + [0] * (len(numbers) % 2)
    return [low | high << 32 for low, high in zip(halves[::2], halves[1::2])]


def told(logs: list[array[int]], is_whole: bool = True) -> tuple[list[str], str]:
    """The findings in the logs, and the sentence about unchecked things."""
    recorded = [Logged(rank, SIZE, words=words) for rank, words in enumerate(logs)]
    for one in recorded:
        one.is_whole = is_whole
    processes = [Process(one.rank, one, one, None) for one in recorded]  # type: ignore[arg-type]
    _find_races(recorded)
    found = []
    try:
        for finding in check.check(World(processes)):
            parties = " ".join(party.text for party in finding.parties)
            found.append(f"{finding.rule.id}: {finding.what}: {parties}")
    except MpippError as error:
        return found, str(error)
    return found, ""


def _find_races(recorded: list[Logged]) -> None:
    # The analysis of messages must accept these events, too.
    found = {one.rank: one.onesided() for one in recorded}
    analyse({rank: log.events(lambda *_: (0, 1), ()) for rank, log in found.items() if log})


def entries_of(words: array[int]) -> list[Entry]:
    """All entries of a log."""
    return list(entries(words, places(words, KINDS)))


def moved(words: array[int]) -> array[int]:
    """The log in the form for other nodes."""
    sites: dict[Site, int] = {}
    types: list[object] = []

    def place(site: Site) -> int:
        return sites.setdefault(site, len(sites))

    def number(found: DatatypeRecord | Broken) -> int:
        types.append(found)
        return len(types) - 1

    left = Logged(0, SIZE, words=words).log().moved(place, number)
    assert len(left.words) <= len(words)
    assert max(sites.values(), default=0) < 1 << (64 - PAGE_BITS)
    assert set(left.enumerations) == set(ENUMERATIONS)
    return left.words


_Damage = Callable[[random.Random, "array[int]"], None]


def _word(chance: random.Random, words: array[int]) -> None:
    at = chance.randrange(len(words))
    how = chance.randrange(4)
    if how == 0:
        words[at] = chance.choice(_NASTY)
    elif how == 1:
        words[at] ^= 1 << chance.randrange(64)
    elif how == 2:
        words[at] = words[chance.randrange(len(words))]
    else:
        words[at] = chance.getrandbits(64)


def _cut(chance: random.Random, words: array[int]) -> None:
    del words[chance.randrange(len(words)) :]


def _without(chance: random.Random, words: array[int]) -> None:
    at = chance.randrange(len(words))
    del words[at : at + chance.randrange(1, 9)]


def _twice(chance: random.Random, words: array[int]) -> None:
    at = chance.randrange(len(words))
    words[at:at] = words[at : at + chance.randrange(1, 30)]


_DAMAGES: tuple[_Damage, ...] = (_word, _word, _word, _cut, _without, _twice)


def damaged(seed: int) -> list[array[int]]:
    """The logs with random damage."""
    chance = random.Random(seed)
    logs = whole() if seed % 2 else list(map(shortened, whole()))
    for _ in range(chance.choice((1, 1, 1, 2, 5))):
        words = chance.choice(logs)
        if words:
            chance.choice(_DAMAGES)(chance, words)
    return logs


def run(seed: int) -> None:
    """Run the case of a seed. Fails with the exception that mpipp should not raise."""
    logs = damaged(seed)
    told(logs, seed % 5 > 0)
    for words in logs:
        moved(words)


def nasty(every: int = 1) -> Iterator[tuple[str, int, list[array[int]]]]:
    """Logs with one wrong word: each word of the first entry of each kind, with impossible values.

    Args:
        every: use one in this many values, in turn.
    """
    found: dict[int, int] = {}
    at, first = 0, whole()[0]
    while at < len(first):
        found.setdefault(first[at] & 0xFF, at)
        at += first[at] >> 8 & 0xFFFFFF
    for kind, at in found.items():
        for word in range(at, at + (first[at] >> 8 & 0xFFFFFF)):
            for value in _NASTY[word % every :: every]:
                logs = whole()
                logs[0][word] = value
                yield _NAMES["logged"][kind], word - at, logs
