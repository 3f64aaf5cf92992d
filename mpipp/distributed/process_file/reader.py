# SPDX-License-Identifier: MIT
"""A process that was read from its file, for checks (`context.records_protocol.Records`)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from mpipp.common.errors import MpippError
from mpipp.distributed.process_file import rma_log_file, serialization
from mpipp.model import (
    Breach,
    Broken,
    Call,
    Channel,
    Comm,
    DatatypeRecord,
    Header,
    KeptCall,
    KeyvalPlace,
    Object,
    ProcessInfo,
    Request,
    ReturnedCode,
    Singles,
    Site,
    Stretch,
    Thread,
    ThreadCall,
    Touch,
)
from mpipp.registry.rma_log.log import Log
from mpipp.symbolizer.source_frames import Frame
from mpipp.typetree import Datatype, Extents

_CLASSES = {
    "comm": "Comm",
    "group": "Group",
    "op": "Op",
    "win": "Win",
    "file": "File",
    "request": "Request",
}


def _has_peer(channel: Channel) -> bool:
    # Channels of other sequences use the fields `peer` and `tag` for other numbers.
    return "send" in channel.sequence or "receive" in channel.sequence


def without_channel(call: Call, channel: Channel) -> Call:
    """Return a completed call without the arguments that its channel contains."""
    if not _has_peer(channel):
        return replace(call, comm=None)
    return replace(call, comm=None, dest=None, source=None, tag=None)


def _in_channel(call: Call, channel: Channel, comm: Comm) -> Call:
    # The inverse of `without_channel`.
    handle = None if "unlisted" in comm.header.flags else comm.header.handle
    if not _has_peer(channel):
        return replace(call, comm=handle)
    if "send" in channel.sequence:
        return replace(call, comm=handle, tag=channel.tag, dest=channel.peer)
    return replace(call, comm=handle, tag=channel.tag, source=channel.peer)


class Written:
    """One process, read from the file at `path`. `take` gets the file's lines in their order."""

    def __init__(self, path: str, node: str, calls: int, info: ProcessInfo) -> None:
        self.path = path
        self.node = node
        self.info = info
        self.count_of_calls = calls
        self._constants: dict[str, int] = {}
        self._places: list[list[Frame]] = [[]]
        self._datatypes: list[DatatypeRecord | Broken] = []
        self._calls: list[tuple[int, Any]] = []  # not yet decoded
        self._made: dict[int, Call] = {}
        self._objects: dict[str, list[Object]] = defaultdict(list)
        self._channels: dict[int, list[Channel]] = defaultdict(list)  # by the communicator's number
        self._numbers: dict[int, int] = {}  # numbers of communicators, by serial
        self._stretches: dict[tuple[int | None, Channel], list[Any]] = {}
        self._joined: dict[int, int] = {}  # communicators' numbers, by the keys of their calls
        self._threads: list[Thread] = []
        self._last: list[ThreadCall] = []
        self._given: dict[tuple[int, int], list[tuple[Object | Broken, ...]]] = {}
        self._takers = {
            "constants": self._take_constants,
            "places": self._take_places,
            "datatype": self._take_datatype,
            "call": self._take_call,
            "thread": lambda said: self._threads.append(serialization.model("Thread", said, self)),
            "last": lambda said: self._last.append(serialization.model("ThreadCall", said, self)),
            "channel": self._take_channel,
            "given": self._take_passed_requests,
            "log": self._take_log,
        }
        self.log: rma_log_file.RmaLogFile | None = None

    # Reading.

    def take(self, line: Any) -> None:
        """Take a line of the file. Raises MpippError if the line is invalid."""
        try:
            ((what, said),) = line.items()
            if what in _CLASSES:
                self._objects[what].append(serialization.model(_CLASSES[what], said, self))
            else:
                self._takers[what](said)
        except (AttributeError, KeyError, IndexError, TypeError, ValueError):
            raise MpippError("it has an invalid line") from None

    def _take_constants(self, said: Any) -> None:
        if not all(type(value) is int for value in said.values()):
            raise TypeError
        self._constants = said

    def _take_places(self, said: Any) -> None:
        self._places = [[_frame(frame) for frame in place] for place in said]

    def _take_datatype(self, said: Any) -> None:
        if "broken" in said:
            self._datatypes.append(Broken("datatype", 0, str(said["broken"])))
            return
        parts = [self._datatypes[serialization.number(part)] for part in said["components"]]
        trees = tuple(part.tree for part in parts if isinstance(part, DatatypeRecord))
        arguments = {str(name): _argument(value) for name, value in said["arguments"].items()}
        header: Header = serialization.model("Header", said["header"], self)
        extents = said["extents"]
        if extents is not None:
            extents = Extents(*(serialization.integer(number) for number in extents))
        tree = Datatype(said["combiner"], arguments, trees, header.name, extents)
        committed, large = said["committed"] is True, said["large"] is True
        tree.origin = record = DatatypeRecord(header, tree, committed, large)
        self._datatypes.append(record)

    def _take_call(self, said: Any) -> None:
        key, call = said
        self._calls.append((serialization.number(key), call))

    def _take_channel(self, said: Any) -> None:
        key, number, channel, stretches = said
        if not 0 <= serialization.number(number) < len(self._objects["comm"]):
            raise IndexError
        found: Channel = serialization.model("Channel", channel, self)
        if found.sequence == "collectives":
            self._joined[serialization.number(key)] = number
        self._channels[number].append(found)
        self._stretches[number, found] = stretches

    def _take_passed_requests(self, said: Any) -> None:
        frame, serial, rows = said
        self._given[serialization.number(frame), serialization.number(serial)] = [
            tuple(serialization.model("Request", one, self) for one in each) for each in rows
        ]

    def _take_log(self, said: Any) -> None:
        self.log = rma_log_file.description(said)

    def called_by(self, key: int) -> set[int]:
        """Return the ranks in MPI_COMM_WORLD that make the collective calls of a communicator.

        Args:
            key: key of the channel. The result is empty for other channels, and if the ranks are
                unknown.
        """
        comm = self._objects["comm"][self._joined[key]] if key in self._joined else None
        if not isinstance(comm, Comm):
            return set()
        return {*(comm.world_ranks or ()), *(comm.remote_world_ranks or ())}

    def site(self, number: int) -> Site:
        """Return a call site by its number, which replaces its address."""
        return Site(number if self._places[number] else 0)

    def datatype_by_number(self, number: int) -> DatatypeRecord | Broken:
        """Return a datatype by its number."""
        return self._datatypes[number]

    def frames(self, site: Site) -> list[Frame]:
        """Return the frames of a place, innermost first."""
        return self._places[site.address] if site.address < len(self._places) else []

    # Queries of the checks.

    @property
    def constants(self) -> Mapping[str, int]:
        """The standard's constants that are not handles, by name."""
        return self._constants

    def constant_name(self, value: int, *names: str) -> str | None:
        """Return the first of `names` with this value; addresses and signed values are equal."""
        for name in names:
            known = self._constants.get(name)
            if known is not None and (known - value) % (1 << 64) == 0:
                return name
        return None

    def objects(self, kind: str, ended: bool = False) -> Iterator[Object | Broken]:
        """Return the objects of a kind."""
        return (one for one in self._objects_of_kind(kind) if ended or not one.header.is_ended)

    def _objects_of_kind(self, kind: str) -> Sequence[Object]:
        if kind == "comm":
            self._with_channels()
        return self._objects[kind]

    def _with_channels(self) -> None:
        for number, channels in self._channels.items():
            comm = self._objects["comm"][number]
            assert isinstance(comm, Comm)
            self._objects["comm"][number] = replace(comm, channels=channels)
            self._numbers[comm.header.serial] = number
        self._channels.clear()

    def find(self, kind: str, handle: int, place: int | None = None) -> Object | Broken | None:
        """Return the object that has the handle, or had it last."""
        wanted = (handle, handle % (1 << 64), handle % (1 << 32))
        listed = (one for one in self._objects_of_kind(kind) if "unlisted" not in one.header.flags)
        found = [one for one in listed if one.header.handle in wanted]
        return max(found, key=lambda one: one.header.serial, default=None)

    def at(self, kind: str, address: int) -> Object | Broken:
        """Return the object whose record was at an address."""
        for found in self._objects_of_kind(kind):
            if found.header.record == address:
                return found
        return Broken(kind, address, "it is not a file that a process leaves")

    def headers(self, kind: str, ended: bool = False) -> Iterator[Header | Broken]:
        """Return the headers of the objects that `objects` yields."""
        for found in self.objects(kind, ended):
            assert not isinstance(found, Broken)
            yield found.header

    def broken_headers(self, kind: str) -> Iterator[Broken]:
        """Return nothing: `failures` has the unreadable objects."""
        yield from ()

    def pending_requests(self) -> Iterator[Request | Broken]:
        """Return the requests whose operation was not completed."""
        for found in self._objects["request"]:
            assert isinstance(found, Request)
            yield found

    def threads(self) -> Iterator[Thread | Broken]:
        """Return the threads that have called MPI."""
        return iter(self._threads)

    def last_calls(self) -> Iterator[ThreadCall]:
        """Return the last call of each thread."""
        return iter(self._last)

    def times(self, channel: Channel) -> dict[int, int]:
        """Return nothing: the times are those of another node's clock."""
        return {}

    def recorded_calls(self, comm: Comm, channel: Channel) -> list[Stretch]:
        """Return the counted calls in a channel of a communicator, as far as they are kept."""
        number = self._numbers.get(comm.header.serial)
        kept: dict[int, KeptCall] = {}

        def make(words: tuple[int, ...]) -> Call:
            return _in_channel(self._call(words[-1]), channel, comm)

        def one(number: int) -> KeptCall:
            if number not in kept:
                key = self._calls[number][0]
                kept[number] = KeptCall((key, number), key, make)
            return kept[number]

        try:
            return list(_stretches(self._stretches.get((number, channel), ()), one))
        except (IndexError, TypeError, ValueError):
            raise MpippError("a process has left an invalid channel") from None

    def kinds(self, comm: Comm, channel: Channel) -> list[KeptCall]:
        """Return the different calls of a channel, also if their ordinals are uncertain."""
        past = self.recorded_calls(comm, channel)
        return list({kept.words: kept for stretch in past for kept in stretch.calls}.values())

    def outline(self, comm: Comm, channel: Channel) -> None:
        """Return None: the file has no outline."""
        return

    def _call(self, number: int) -> Call:
        found = self._made.get(number)
        if found is None:
            found = self._made[number] = serialization.model("Call", self._calls[number][1], self)
        return found

    # The queries below return nothing: only a running process has these facts.

    def is_zero(self, address: int) -> bool:
        """Return False: the file has no memory of the process."""
        return False

    def combiner(self, address: int) -> str:
        """Raise MpippError: the file has only the datatypes of calls."""
        raise MpippError("a process has left no such datatype")

    def passed_requests(self, call: Call, most: int) -> list[tuple[Object | Broken, ...]]:
        """Return the requests that a call waits for; none if their handles were unreadable."""
        return self._given.get((call.frame, call.serial), [])

    def passed_handles(self, call: Call, most: int) -> tuple[int, ...]:
        """Return nothing: the file does not have the handles."""
        return ()

    def stale_requests(self, call: Call, most: int) -> Iterator[tuple[int, Request]]:
        """Return nothing: the file does not have the handles."""
        return iter(())

    def freed_active_requests(self) -> Iterator[Request]:
        """Return nothing: the file does not have these requests."""
        return iter(())

    def breaches(self) -> Iterator[Breach]:
        """Return nothing: the watcher has reported the violations."""
        return iter(())

    def record_count(self, kind: str) -> int:
        """Return 0: the file does not have all objects that existed."""
        return 0

    def returned_codes(self) -> Iterator[ReturnedCode]:
        """Return nothing: the watcher has reported the error codes."""
        return iter(())

    def keyval_places(self) -> Iterator[KeyvalPlace]:
        """Return nothing: the watcher has reported their growth."""
        return iter(())

    def touches(self) -> Iterator[Touch]:
        """Return nothing: the watcher has reported the accesses."""
        return iter(())

    def onesided(self) -> Log | None:
        """Return the RMA log; None if there is none.

        Raises MpippError if it is unreadable.
        """
        rank, size = self.info.world_rank, self.info.world_size
        if self.log is None or rank is None or size is None:
            return None
        around = rma_log_file.Process(
            rank, size, self._logged_datatype, partial(self.find, "op"), Site
        )
        return rma_log_file.read(self.log, rma_log_file.path_of(self.path), around)

    def _logged_datatype(self, number: int) -> DatatypeRecord | Broken:
        if 0 < number <= len(self._datatypes):
            return self._datatypes[number - 1]
        return Broken("datatype", 0, "a log refers to a datatype that does not exist")

    def function(self, address: int) -> str:
        """Return a name for the function at an address: the address itself, because the file has no
        names."""
        return f"{address:#x}"

    def file(self, address: int) -> str:
        """Return "": checks of this process need no paths of files."""
        return ""


def _stretches(said: Any, one: Callable[[int], KeptCall]) -> Iterator[Stretch]:
    for first, count, numbers in said:
        if not (numbers and serialization.number(first) and serialization.number(count) < 1 << 63):
            raise ValueError
        if count:
            yield Stretch(
                first, count, tuple(one(serialization.number(number)) for number in numbers)
            )
            continue
        calls = tuple(one(serialization.number(number)) for number in numbers)
        yield Singles(first, len(calls), calls)


def _frame(said: Any) -> Frame:
    text, path, line, function, library = said
    if not all(type(one) is str for one in (text, path, function, library)):
        raise TypeError
    return Frame(text, path, serialization.number(line), function, library)


def _argument(value: Any) -> Any:
    # Reads an argument of a datatype's constructor.
    if isinstance(value, list):
        return tuple(_argument(one) for one in value)
    if value is None or type(value) in (int, str):
        return value
    raise TypeError
