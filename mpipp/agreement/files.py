# SPDX-License-Identifier: MIT
"""The file that a process leaves: what it sent, received and joined, and what that is made of.

The first line is a head in JSON, by which a file is known without reading all of it. The rest is
compressed by zlib: lines of JSON, each an object with one member that says what it is:

    constants   the standard's constants by name
    places      of each place the calls, as `reports.sources.Frame`; the first is not known
    datatype    combiner, arguments, components (numbers of datatypes before), extents, header
    call        a number that is the same for calls that differ by place, peer and tag, and the call
    comm, op, win, file, thread, request   one object, as in `plain`
    last        the last call of a thread
    channel     a communicator's number among the lines `comm`, the channel, and its stretches:
                lists of first ordinal, count and the numbers of the calls that take turns;
                of single calls in a row [first, 0, numbers]

What is read is checked as it is read; of a damaged file one sentence is said.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from mpipp.agreement import plain
from mpipp.agreement.written import Written, without_channel
from mpipp.checks.process import Process
from mpipp.errors import MpippError
from mpipp.model import Broken, Channel, Comm, DatatypeRecord, Kept, ProcessInfo, Site, Stretch
from mpipp.reports.sources import Frame

FORMAT, VERSION = "process", 1
_KINDS = ("comm", "op", "win", "file")
_MOST_HEAD = 1 << 20  # bytes
_LEVEL = 3  # of compression

Places = Callable[[Site], list[Frame]]


class Head(NamedTuple):
    """What the first line says."""

    node: str
    calls: int  # of MPI, that the process has made
    info: ProcessInfo
    bytes: int  # of the rest


def written(process: Process, places: Places, node: str) -> bytes:
    """The file of a process. Raises MpippError when its records make no sense."""
    rest = zlib.compress("".join(_Writer(process, places).lines()).encode(), _LEVEL)
    registry = process.registry
    head = {
        "mpipp": FORMAT,
        "version": VERSION,
        "node": node,
        "calls": registry.count_of_calls,
        "info": plain.plain(registry.info, _NoTables()),
        "bytes": len(rest),
    }
    return _line(head).encode() + rest


def head(path: str) -> Head:
    """The head of a file. Raises MpippError when it cannot be read, or is none."""
    try:
        with open(path, "rb") as file:
            return _head(file.readline(_MOST_HEAD), path)
    except OSError as error:
        raise MpippError(f"cannot read {path}: {error.strerror}") from None


def read(path: str) -> Written:
    """The process that a file is of. Raises MpippError when it cannot be read, or is damaged."""
    try:
        with open(path, "rb") as file:
            known = _head(file.readline(_MOST_HEAD), path)
            rest = file.read()
    except OSError as error:
        raise MpippError(f"cannot read {path}: {error.strerror}") from None
    if len(rest) != known.bytes:
        raise MpippError(f"{path} has {len(rest)} bytes of {known.bytes}: it is not whole")
    found = Written(known.node, known.calls, known.info)
    try:
        for line in zlib.decompress(rest).splitlines():
            found.take(json.loads(line))
    except (zlib.error, ValueError, RecursionError, MpippError) as error:
        raise MpippError(f"{path} is damaged: {error}") from None
    return found


def _head(line: bytes, path: str) -> Head:
    try:
        said = json.loads(line)
        if said.get("mpipp") != FORMAT:
            raise ValueError
    except (ValueError, AttributeError, RecursionError):
        raise MpippError(f"{path} is no file of a process that mpipp has written") from None
    if said.get("version") != VERSION:
        raise MpippError(f"{path} is of another version of mpipp: compare it with that")
    try:
        node, calls, size = said["node"], said["calls"], said["bytes"]
        if not (type(node) is str and type(calls) is int and type(size) is int):
            raise TypeError
        return Head(node, calls, plain.model("ProcessInfo", said["info"], _NoTables()), size)
    except (KeyError, TypeError, MpippError):
        raise MpippError(f"{path} is damaged: its head makes no sense") from None


class _NoTables:
    def place(self, site: Site) -> int:
        return 0

    def datatype(self, found: DatatypeRecord | Broken) -> int:
        return 0

    def site(self, number: int) -> Site:
        raise IndexError

    def known_datatype(self, number: int) -> DatatypeRecord | Broken:
        raise IndexError


def _line(content: dict[str, Any]) -> str:
    return json.dumps(content, separators=(",", ":")) + "\n"


class _Writer:
    # Numbers places, datatypes and calls as they are met; the tables come before what uses them.

    def __init__(self, process: Process, places: Places) -> None:
        self._process = process
        self._where = places
        self._places: dict[Site, int] = {Site(0): 0}
        self._datatypes: dict[int, int] = {}  # by record
        self._described: list[dict[str, Any]] = []
        self._calls: dict[tuple[int, ...], int] = {}
        self._keys: dict[tuple[int, ...], int] = {}
        self._told: list[list[Any]] = []

    def lines(self) -> Iterator[str]:
        rest = list(self._objects())
        yield _line({"constants": dict(self._process.registry.constants)})
        places = [self._where(site) if site.address else [] for site in self._places]
        yield _line({"places": places})
        for described in self._described:
            yield _line({"datatype": described})
        for told in self._told:
            yield _line({"call": told})
        yield from rest

    def _objects(self) -> Iterator[str]:
        registry = self._process.registry
        comms: list[Comm] = []
        for kind in _KINDS:
            for found in registry.objects(kind, ended=kind == "comm"):
                if not isinstance(found, Broken):
                    yield _line({kind: plain.plain(found, self)})
                    if isinstance(found, Comm):
                        comms.append(found)
        for thread in self._process.threads:
            yield _line({"thread": plain.plain(thread, self)})
        for last in registry.last_calls():
            yield _line({"last": plain.plain(last, self)})
        for request in registry.pending_requests():
            if not isinstance(request, Broken):
                yield _line({"request": plain.plain(request, self)})
        for number, comm in enumerate(comms):
            for channel in comm.channels:
                past = registry.past(comm, channel)
                told = [number, plain.plain(channel, self), [*self._stretches(channel, past)]]
                yield _line({"channel": told})

    def _stretches(self, channel: Channel, past: Iterable[Stretch]) -> Iterator[list[Any]]:
        row: list[int] = []
        first = end = 0
        for stretch in past:
            numbers = [self._number(channel, kept) for kept in stretch.calls]
            if row and (stretch.first != end or stretch.count != 1):
                yield [first, 0, row]
                row = []
            if stretch.count != 1:
                yield [stretch.first, stretch.count, numbers]
                continue
            first = first if row else stretch.first
            end = stretch.first + 1
            row.append(numbers[0])
        if row:
            yield [first, 0, row]

    def _number(self, channel: Channel, kept: Kept) -> int:
        number = self._calls.get(kept.words)
        if number is None:
            number = self._calls[kept.words] = len(self._calls)
            key = self._keys.setdefault(kept.key, len(self._keys))
            call = without_channel(kept.call, channel)
            self._told.append([key, plain.plain(call, self)])
        return number

    def place(self, site: Site) -> int:
        return self._places.setdefault(site, len(self._places))

    def datatype(self, found: DatatypeRecord | Broken) -> int:
        record = found.record if isinstance(found, Broken) else found.header.record
        if record in self._datatypes:
            return self._datatypes[record]
        if isinstance(found, Broken):
            return self._describe(record, {"broken": found.reason})
        # Components first and without recursion: a chain of constructors may be very long.
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
            "arguments": plain.plain(tree.arguments, self),
            "components": components,
            "extents": list(tree.reported) if tree.reported else None,
            "header": plain.plain(found.header, self),
            "committed": found.committed,
            "large": found.large,
        }
