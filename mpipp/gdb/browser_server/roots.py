# SPDX-License-Identifier: MIT
"""The roots of a tree: a datatype, a buffer, or the whole process, each as an outline."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from mpipp.common.errors import MpippError
from mpipp.gdb.program import call_sites, calling_frame
from mpipp.gdb.program.sessions import Session
from mpipp.model import KINDS, Broken, Buffer, Call, DatatypeRecord, Object, Request
from mpipp.render import buffers, object_structs, outline
from mpipp.render.datatype_structs import Constant
from mpipp.render.outline import Item, Line, Tree
from mpipp.render.structure import Struct

_MOST_OBJECTS = 1000  # objects of one kind in the tree


class Root(Protocol):
    """A root of the tree: an object of one inferior that the user browses."""

    @property
    def inferior(self) -> int:
        """The inferior's number."""
        ...

    @property
    def text(self) -> str:
        """The title of the root."""
        ...

    @property
    def words(self) -> dict[str, str] | None:
        """For a buffer, the words before ("type") and after ("rest") an element address. None for
        other objects."""
        ...

    def item(self, session: Session) -> Item:
        """The root as an outline. Raises MpippError."""
        ...


class Type(NamedTuple):
    """A datatype to browse. The object keeps the record, because MPI may reuse the handle."""

    inferior: int
    text: str
    record: int
    serial: int
    words: None = None

    def item(self, session: Session) -> Item:
        """The datatype as an outline."""
        return Tree(self.text, _datatype(session, self.record, self.serial).tree)


class Data(NamedTuple):
    """A buffer to browse: `entries` of a datatype at an address, from the user's words TYPE and
    REST."""

    inferior: int
    type: str
    rest: str
    record: int
    serial: int
    address: int
    entries: int

    @property
    def text(self) -> str:
        """The text that the user typed."""
        return f"{self.type} {self.rest}"

    @property
    def words(self) -> dict[str, str]:
        """The words before and after an element address."""
        return {"type": self.type, "rest": self.rest}

    def item(self, session: Session) -> Item:
        """The buffer as an outline."""
        known = _datatype(session, self.record, self.serial)
        return _entries(self.text, session, self.address, self.entries, known)


class Process(NamedTuple):
    """A whole process to browse: the calls its threads are inside of, and its MPI objects."""

    inferior: int
    text: str
    words: None = None

    def item(self, session: Session) -> Item:
        """The process as an outline."""
        calls = [Tree(name, Struct(members)) for name, members in _calls(session)]
        groups: list[Item] = [_group("calls", calls, str(len(calls)))] if calls else []
        groups += [
            _Kind(session, kind) for kind in KINDS if any(True for _ in _live(session, kind))
        ]
        return _group(self.text, groups, rank(session) or "MPI objects")


def _datatype(session: Session, record: int, serial: int) -> DatatypeRecord:
    found = session.registry.at("datatype", record)
    if isinstance(found, Broken):
        raise MpippError(found.reason)
    if not isinstance(found, DatatypeRecord) or found.header.serial != serial:
        raise MpippError("no longer there: the datatype was freed")
    return found


def _entries(
    name: str, session: Session, address: int, count: int, known: DatatypeRecord | Broken | None
) -> Item:
    # `count` entries of a datatype, or the reason why there are none.
    found = buffers.entries(address, count, known, session.memory)
    if isinstance(found, str):
        return Tree(name, Constant(found))
    assert isinstance(known, DatatypeRecord)
    return outline.data(name, session.memory, address, count, known.tree)


def _group(name: str, items: Sequence[Item], value: str) -> Item:
    return outline.Group(Line(name, value, "", None, None, 0), items)


class _Kind:
    # The live objects of one kind that the program created. The registry is read on demand.

    def __init__(self, session: Session, kind: str) -> None:
        self._session = session
        self._kind = kind
        self._found: list[Object | Broken] | None = None

    @property
    def count(self) -> int:
        return len(self._objects())

    def line(self) -> Line:
        count = self.count
        value = f"the first {count}" if count == _MOST_OBJECTS else str(count)
        return Line(f"{self._kind}s", value, "", None, None, count)

    def child(self, i: int) -> Item:
        return _object(self._objects()[i], self._session)

    def _objects(self) -> list[Object | Broken]:
        if self._found is None:
            self._found = list(itertools.islice(_live(self._session, self._kind), _MOST_OBJECTS))
        return self._found


def _calls(session: Session) -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    numbers = {thread.ptid[1]: thread.num for thread in session.inferior.threads()}
    for thread in session.registry.threads():
        if not isinstance(thread, Broken) and thread.call is not None:
            name = f"thread {numbers.get(thread.tid, thread.tid)}"
            place = calling_frame.place(thread.call.site, thread.tid, session)
            yield name, _call_members(thread.call, place, session)


def _call_members(call: Call, place: str, session: Session) -> list[tuple[str, Any]]:
    # The arguments of a call. A buffer has a member with its values.
    found: list[tuple[str, Any]] = [("call", Constant(call.procedure))]
    found.append(("called_at", Constant(place)))
    roles = {buffer.role: buffer for buffer in call.buffers}
    for name, value in object_structs.call_members(call, session):
        if name in roles and isinstance(value, Struct):
            value = Struct([*value.members, ("data", _buffer(call, roles[name], session))])
        found.append((name, value))
    return found


def _buffer(call: Call, buffer: Buffer, session: Session) -> Item:
    # The values in a buffer. The buffer of a v or w call, or of several peers, has a part for each
    # peer.
    shown = buffers.data(call, buffer, session.memory, session)
    if isinstance(shown, str):
        return Tree("data", Constant(shown))
    if not isinstance(shown, Struct):
        return _entries("data", session, buffer.address, buffer.total_count, buffer.datatype)
    count = len(shown.members)
    peers = f"{count} peer{'s' * (count != 1)}"
    return outline.Group(
        Line("data", "", peers, None, None, 0),
        _Peers(buffer, session),
    )


class _Peers(Sequence[Item]):
    # The part of a buffer for each peer, created on demand.

    def __init__(self, buffer: Buffer, session: Session) -> None:
        self._buffer = buffer
        self._session = session

    def __len__(self) -> int:
        return self._buffer.share_count

    def __getitem__(self, i: int) -> Item:  # type: ignore[override]
        share = self._buffer.share(i)
        address = self._buffer.address + (share.displacement or 0)
        return _entries(f"r{i}", self._session, address, share.count, share.datatype)


def _live(session: Session, kind: str) -> Iterator[Object | Broken]:
    # The objects of a kind that the program created, and the predefined communicators.
    for found in session.registry.objects(kind):
        if not isinstance(found, Broken):
            header = found.header
            if header.null or (header.predefined and kind != "comm"):
                continue
        yield found


def _object(found: Object | Broken, session: Session) -> Item:
    if isinstance(found, Broken):
        return Tree("?", Constant(f"<{found.reason}>"))
    name = f"#{found.header.serial}"
    if isinstance(found, DatatypeRecord):
        return Tree(name, found.tree)
    if isinstance(found, Request):
        state = ("state", Constant(found.state))
        site = found.call.site
        place = site.python.text if site.python else call_sites.call(site.address)
        return Tree(name, Struct([state, *_call_members(found.call, place, session)]))
    return Tree(name, object_structs.described(found, session))


def rank(session: Session) -> str:
    """The rank of the process in MPI_COMM_WORLD, "rank 0 of 4"; "" if unknown."""
    info = session.registry.info
    size = "" if info.world_size is None else f" of {info.world_size}"
    return "" if info.world_rank is None else f"rank {info.world_rank}{size}"
