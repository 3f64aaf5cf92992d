# SPDX-License-Identifier: MIT
"""The object that a token stands for, found by the token's key."""

from __future__ import annotations

from typing import NamedTuple

from mpipp.gdb.program import sessions
from mpipp.gdb.program.sessions import Session
from mpipp.gdb.program.tokens import Key
from mpipp.model import Broken
from mpipp.model import Object as ModelObject
from mpipp.render import object_structs, structure
from mpipp.render.datatype_structs import Constant
from mpipp.render.structure import Shown

GONE = Constant("<no longer there>")


class Object(NamedTuple):
    """The root of a token's key for an MPI object, by its record and serial number."""

    inferior: int
    kind: str
    record: int
    serial: int

    @classmethod
    def of(cls, session: Session, found: ModelObject | Broken) -> Object:
        """Create the root for an object of the session."""
        if isinstance(found, Broken):
            return cls(session.inferior.num, found.kind, found.record, 0)
        header = found.header
        return cls(session.inferior.num, header.kind, header.record, header.serial)

    def find(self, session: Session) -> Shown:
        """The object to show; GONE if the record now belongs to another object."""
        found = session.registry.at(self.kind, self.record)
        if not isinstance(found, Broken) and found.header.serial != self.serial:
            return GONE
        return object_structs.described(found, session)


def find(key: Key) -> Shown:
    """Read the current state of the part that `key` describes. Raises MpippError without a
    registry."""
    session = sessions.required()
    known = session.shown.get(key)
    if known is not None:
        return known
    if key.root.inferior != session.inferior.num:
        return GONE
    if not key.path:
        return session.shown.setdefault(key, key.root.find(session))
    above = find(key._replace(path=key.path[:-1]))
    try:
        return session.shown.setdefault(key, structure.part(above, key.path[-1]))
    except IndexError:
        return GONE


def remember(key: Key, part: Shown) -> Key:
    """Store a part that has just been read, so that `find` need not read the path to it again."""
    session = sessions.current()
    if session is not None:
        session.shown[key] = part
    return key
