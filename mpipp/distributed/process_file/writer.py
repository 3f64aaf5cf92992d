# SPDX-License-Identifier: MIT
"""The file that a process leaves: its messages, its collective calls, and their arguments.

The first line is a head in JSON, so a reader can identify the file without reading all of it. The
rest is compressed by zlib: lines of JSON, each an object with one member that names its kind:

    constants   the standard's constants by name
    places      the frames of each call site, as `reports.sources.Frame`; the first is unknown
    datatype    combiner, arguments, components (numbers of earlier datatypes), extents, header
    call        a number that calls share if only site, peer and tag differ, and the call
    comm, op, win, file, thread, request
                one object, as in `serialization`
    last        the last call of a thread
    given       a call that waits for requests: its frame and number, and the candidates
                for each request
    log         the description of the RMA log, which is in a file of its own (rma_log_file.py)
    sums        key, peer and both sums of each channel, and of the calls on several
                communicators, see `process.Part` and `comm_order`; it is the first line
    channel     its key, a communicator's number among the lines `comm`, the channel, its stretches:
                lists of first ordinal, count and the numbers of the calls of a period.
                Adjacent single calls are [first, 0, numbers]. A channel that threads share has
                only the different calls.

The reader checks each value. For a damaged file it raises MpippError with one sentence.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

from mpipp.analysis.collectives import user_ops
from mpipp.analysis.context.channel_history import Side
from mpipp.analysis.context.process import Process
from mpipp.analysis.context.records_protocol import OnesidedLog
from mpipp.analysis.context.world import Member, World
from mpipp.common import run_directory
from mpipp.common.errors import MpippError
from mpipp.distributed.fingerprints import comm_order
from mpipp.distributed.fingerprints import process as sums_of
from mpipp.distributed.fingerprints.arithmetic import Pair, added
from mpipp.distributed.process_file import decompression, rma_log_file, serialization
from mpipp.distributed.process_file.reader import Written, without_channel
from mpipp.model import (
    Broken,
    Call,
    Channel,
    Comm,
    DatatypeRecord,
    KeptCall,
    ProcessInfo,
    Singles,
    Site,
    Stretch,
)
from mpipp.symbolizer.source_frames import Frame

FORMAT, VERSION = "process", 5
_KINDS = ("op", "win", "file")  # "comm" has its own code
_MOST_HEAD = 1 << 20  # bytes
# decompressed bytes behind the head: 16 times the default capacity of a process's history
_MOST = 1 << 30
_LEVEL = 3  # compression level
_MOST_GIVEN = 4096  # requests of one call

_CHANNEL = b'{"channel":['
_SEQUENCE = b'{"sequence":"'

Places = Callable[[Site], list[Frame]]


class Head(NamedTuple):
    """The content of the first line."""

    node: str
    calls: int  # number of MPI calls of the process
    info: ProcessInfo
    sums: list[tuple[int, int, int]]  # bucket and both sums; sums that are zero are left out
    unordered: bool  # too many changes of communicators: no sum has their order
    bytes: int  # length of the compressed part behind the head


class Files(NamedTuple):
    """The files that a process leaves: its own, and that of its RMA log, b"" without a log."""

    process: bytes
    log: bytes


def written(
    process: Process,
    places: Places,
    node: str,
    logged: bool = False,
    past: Sequence[Side] | None = None,
) -> Files:
    """Return the files of a process.

    Args:
        process: the process.
        places: returns the frames of a call site.
        node: name of the process's node.
        logged: whether to write the RMA log.
        past: if not None, only these completed calls are written, and no pending operation.

    Raises MpippError if the records are invalid.
    """
    parts = list(sums_of.parts(process)) if past is None else []
    in_order = comm_order.parts(process) if past is None else ()
    parts += in_order or ()
    buckets: dict[int, Pair] = {}
    for part in parts:
        buckets[part.bucket] = added(buckets.get(part.bucket, (0, 0)), part.sum)
    registry = process.registry
    writer = _Writer(process, places, parts, registry.onesided() if logged else None, past)
    rest = zlib.compress("".join(writer.lines()).encode(), _LEVEL)
    head = {
        "mpipp": FORMAT,
        "version": VERSION,
        "node": node,
        "calls": registry.count_of_calls,
        "info": serialization.plain(registry.info, _NoTables()),
        "sums": [[bucket, *total] for bucket, total in sorted(buckets.items()) if any(total)],
        "unordered": in_order is None,
        "bytes": len(rest),
    }
    log = rma_log_file.content(writer.log) if writer.log is not None else b""
    return Files(_line(head).encode() + rest, log)


def head(path: str) -> Head:
    """Return the head of a file. Raises MpippError if the file is unreadable or has no head."""
    try:
        with run_directory.opened(path) as file:
            return _head(file.readline(_MOST_HEAD), path)
    except OSError as error:
        raise MpippError(f"cannot read {path}: {error.strerror}") from None


def read(
    path: str, keys: Collection[int] | None = None, sequences: Collection[str] = ()
) -> Written:
    """Read the process from its file. Raises MpippError if the file is unreadable or damaged.

    Args:
        path: the file's path.
        keys: keys of the wanted channels; None for all.
        sequences: further wanted channels.
    """
    with _opened(path) as (known, lines):
        next(lines, b"")  # skip the line with the sums
        found = Written(path, known.node, known.calls, known.info)
        for line in lines:
            try:
                is_wanted = keys is None or not line.startswith(_CHANNEL) or _key(line) in keys
                if is_wanted or (sequences and _sequence(line) in sequences):
                    found.take(run_directory.parsed(line))
            except (ValueError, RecursionError, MpippError) as error:
                raise MpippError(f"{path} is damaged: {error}") from None
    return found


def sums(path: str) -> list[tuple[int, int, int, int]]:
    """Return key, peer and sums of each channel of a process. Raises MpippError as `read`."""
    with _opened(path) as (_, lines):
        try:
            found = [_numbers(row, 4) for row in run_directory.parsed(next(lines))["sums"]]
            if not all(min(row[0], *row[2:]) >= 0 and abs(row[1]) < 1 << 62 for row in found):
                raise ValueError
            return [(key, peer, one, other) for key, peer, one, other in found]
        except (ValueError, LookupError, TypeError, StopIteration):
            raise MpippError(f"{path} is damaged: its sums are invalid") from None


@contextmanager
def _opened(path: str) -> Iterator[tuple[Head, Iterator[bytes]]]:
    # Yields the head, and the lines behind it.
    try:
        with run_directory.opened(path) as file:
            known = _head(file.readline(_MOST_HEAD), path)
            yield known, decompression.lines(decompression.pieces(file, known.bytes, _MOST, path))
    except OSError as error:
        raise MpippError(f"cannot read {path}: {error.strerror}") from None
    except MemoryError:
        raise MpippError(f"cannot read {path}: there is not enough memory") from None


def _key(line: bytes) -> int:
    return int(line[len(_CHANNEL) : line.index(b",")])


def _sequence(line: bytes) -> str:
    start = line.index(_SEQUENCE) + len(_SEQUENCE)
    return line[start : line.index(b'"', start)].decode()


def _numbers(row: list[int], count: int) -> list[int]:
    if len(row) != count or not all(type(number) is int for number in row):
        raise ValueError
    if max(row) >= 1 << 64:
        raise ValueError
    return row


def _head(line: bytes, path: str) -> Head:
    try:
        said = run_directory.parsed(line)
        if said.get("mpipp") != FORMAT:
            raise ValueError
    except (ValueError, AttributeError):
        raise MpippError(f"{path} is not a process file of mpipp") from None
    if said.get("version") != VERSION:
        raise MpippError(
            f"{path} was written by another version of mpipp: use that version to compare it"
        )
    try:
        node, calls, size, unordered = (
            said[name] for name in ("node", "calls", "bytes", "unordered")
        )
        if not (type(node) is str and type(calls) is int and type(size) is int):
            raise TypeError
        if type(unordered) is not bool:
            raise TypeError
        info = serialization.model("ProcessInfo", said["info"], _NoTables())
        rows = [_numbers(row, 3) for row in said["sums"]]
        if not all(0 <= row[0] < sums_of.BUCKETS for row in rows):
            raise TypeError
        found = [(row[0], row[1], row[2]) for row in rows]
        return Head(node, calls, info, found, unordered, size)
    except (KeyError, TypeError, ValueError, MpippError):
        raise MpippError(f"{path} is damaged: its header is invalid") from None


class _NoTables:
    def place(self, site: Site) -> int:
        return 0

    def datatype(self, found: DatatypeRecord | Broken) -> int:
        return 0

    def site(self, number: int) -> Site:
        raise IndexError

    def datatype_by_number(self, number: int) -> DatatypeRecord | Broken:
        raise IndexError


def _line(content: dict[str, Any]) -> str:
    return json.dumps(content, separators=(",", ":")) + "\n"


class _Writer:
    # Numbers call sites, datatypes and calls in the order of their use. In the file, a table
    # precedes the lines that use it.

    def __init__(
        self,
        process: Process,
        places: Places,
        parts: Sequence[sums_of.Part],
        log: OnesidedLog | None,
        past: Sequence[Side] | None,
    ) -> None:
        self._process = process
        self._past = past
        self._parts = parts
        self._where = places
        self._places: dict[Site, int] = {Site(0): 0}
        self._datatypes: dict[int, int] = {}  # by record
        self._described: list[dict[str, Any]] = []
        self._calls: dict[Hashable, int] = {}
        self._keys: dict[Hashable, int] = {}
        self._told: list[list[Any]] = []
        self.log = log.moved(self.place, self.datatype) if log is not None else None

    def lines(self) -> Iterator[str]:
        rest = list(self._objects())
        yield _line({"sums": [[part.key, part.peer, *part.sum] for part in self._parts]})
        yield _line({"constants": dict(self._process.registry.constants)})
        places = [self._where(site) if site.address else [] for site in self._places]
        yield _line({"places": places})
        for described in self._described:
            yield _line({"datatype": described})
        for told in self._told:
            yield _line({"call": told})
        if self.log is not None:
            yield _line({"log": rma_log_file.described(self.log)})
        yield from rest

    def _objects(self) -> Iterator[str]:
        registry = self._process.registry
        comms = self._comms()
        for comm in comms:
            yield _line({"comm": serialization.plain(comm, self)})
        # The ledger has a hash in place of a group, so a file of the whole process needs no groups.
        for kind in _KINDS if self._past is None else (*_KINDS, "group"):
            for found in registry.objects(kind):
                if not isinstance(found, Broken):
                    yield _line({kind: serialization.plain(found, self)})
        for thread in registry.threads():
            if not isinstance(thread, Broken):
                yield _line({"thread": serialization.plain(thread, self)})
                yield from self._passed_requests(thread.call)
        if self._past is None:
            for last in registry.last_calls():
                yield _line({"last": serialization.plain(last, self)})
            for request in registry.pending_requests():
                if not isinstance(request, Broken):
                    yield _line({"request": serialization.plain(request, self)})
        known = World([self._process])
        for number, side in self._sides(comms):
            stretches = [*self._stretches(side.channel, side.stretches)]
            # Write also a channel that adds nothing to the sums: it is compared with the channels
            # of other processes.
            key = sums_of.key_of(known, side) if side.member.comm.identity else None
            told = [key or 0, number, serialization.plain(side.channel, self), stretches]
            yield _line({"channel": told})

    def _comms(self) -> list[Comm]:
        # Freed communicators are included only if they have completed calls in `past`.
        wanted = {side.member.comm.identity for side in self._past or ()}
        every = self._process.registry.objects("comm", ended=self._past is None or bool(wanted))
        return [
            one
            for one in every
            if isinstance(one, Comm)
            and (self._past is None or not one.header.is_ended or one.identity in wanted)
        ]

    def _sides(self, comms: Sequence[Comm]) -> Iterator[tuple[int, Side]]:
        # The channels of the process, each with its communicator's number.
        for number, comm in enumerate(comms):
            if self._past is not None:
                given = (one for one in self._past if one.member.comm.identity == comm.identity)
                yield from ((number, side) for side in given)
                continue
            for channel in comm.channels:
                member = Member(self._process, comm)
                yield number, Side(member, channel, self._kept(comm, channel))

    def _kept(self, comm: Comm, channel: Channel) -> list[Stretch]:
        # Ordinals are meaningless if threads share the channel: only the different calls remain.
        registry = self._process.registry
        if not channel.shared:
            return registry.recorded_calls(comm, channel)
        kinds = tuple(registry.kinds(comm, channel))
        return [Singles(1, len(kinds), kinds)] if kinds else []

    def _passed_requests(self, call: Call | None) -> Iterator[str]:
        # The program may have unmapped the array of requests; then nothing is written.
        try:
            given = self._process.registry.passed_requests(call, _MOST_GIVEN) if call else []
        except MpippError:
            return
        if call is not None and given:
            rows = [
                [serialization.plain(one, self) for one in each if not isinstance(one, Broken)]
                for each in given
            ]
            yield _line({"given": [call.frame, call.serial, rows]})

    def _stretches(self, channel: Channel, past: Iterable[Stretch]) -> Iterator[list[Any]]:
        row: list[int] = []
        first = end = 0
        for stretch in past:
            numbers = [self._number(channel, kept) for kept in stretch.calls]
            if row and (stretch.first != end or not stretch.written_out):
                yield [first, 0, row]
                row = []
            if not stretch.written_out:
                yield [stretch.first, stretch.count, numbers]
                continue
            first = first if row else stretch.first
            end = stretch.end
            row += numbers
        if row:
            yield [first, 0, row]

    def _number(self, channel: Channel, kept: KeptCall) -> int:
        number = self._calls.get(kept.words)
        if number is None:
            number = self._calls[kept.words] = len(self._calls)
            key = self._keys.setdefault(kept.key, len(self._keys))
            call = self._named(without_channel(kept.call, channel))
            self._told.append([key, serialization.plain(call, self)])
        return number

    def _named(self, call: Call) -> Call:
        # Adds the name of an operation's function, because its address has no meaning elsewhere.
        if call.own_op is None:
            return call
        around, of = self._process.around, call.own_op
        name, file = user_ops.plain_name(around.function(of.function)), around.file(of.function)
        return replace(call, own_op=of._replace(name=name, file=file))

    def place(self, site: Site) -> int:
        return self._places.setdefault(site, len(self._places))

    def datatype(self, found: DatatypeRecord | Broken) -> int:
        record = found.record if isinstance(found, Broken) else found.header.record
        if record in self._datatypes:
            return self._datatypes[record]
        if isinstance(found, Broken):
            return self._describe(record, {"broken": found.reason})
        # Write components first, without recursion: a chain of constructors may be very long.
        pending = [found]
        while pending:
            one = pending[-1]
            origins = [part.origin for part in one.tree.components]
            parts = [part for part in origins if isinstance(part, DatatypeRecord)]
            unknown = [p for p in parts if p.header.record not in self._datatypes]
            if unknown:
                pending += unknown
                continue
            pending.pop()
            if one.header.record not in self._datatypes:
                numbers = [self._datatypes[p.header.record] for p in parts]
                self._describe(one.header.record, self._description(one, numbers))
        return self._datatypes[record]

    def _describe(self, record: int, description: dict[str, Any]) -> int:
        self._datatypes[record] = len(self._described)
        self._described.append(description)
        return self._datatypes[record]

    def _description(self, found: DatatypeRecord, components: list[int]) -> dict[str, Any]:
        tree = found.tree
        return {
            "combiner": tree.combiner,
            "arguments": serialization.plain(tree.arguments, self),
            "components": components,
            "extents": list(tree.reported) if tree.reported else None,
            "header": serialization.plain(found.header, self),
            "committed": found.committed,
            "large": found.large,
        }
