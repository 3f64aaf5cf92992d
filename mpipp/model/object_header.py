# SPDX-License-Identifier: MIT
"""The data that the registry records for every MPI object.

Handles are unsigned integers of the MPI library's handle size. Names are the standard's.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from mpipp.typetree import Datatype


KINDS = (
    "datatype",
    "request",
    "comm",
    "group",
    "win",
    "op",
    "file",
    "info",
    "errhandler",
    "session",
    "message",
)


class PythonLine(NamedTuple):
    """A line of a program in Python."""

    path: str
    number: int
    function: str

    @property
    def text(self) -> str:
        """ "main.py:31 in f"."""
        return f"{os.path.basename(self.path)}:{self.number} in {self.function}"


@dataclass(frozen=True)
class Site:
    """Where an object was made, as return addresses: subtract one to look up the call's line."""

    address: int  # of the call that made it, 0 if unknown
    frames: tuple[int, ...] = ()  # further callers, innermost first; only if asked for
    python: PythonLine | None = None  # in place of the address, if the caller is in Python


class Header(NamedTuple):  # of which there may be 10^5: a named tuple is made fast
    """The data of every object. `serial` numbers the objects of a kind from 1."""

    kind: str  # one of KINDS
    handle: int
    serial: int
    flags: frozenset[str]  # "predefined" "null" "ended" "imported" "committed" "large count" ...
    references: int  # records that refer to this one
    fint: int  # the Fortran INTEGER handle
    site: Site
    name: str  # given by the user or the standard, "" if none
    record: int  # its address
    freed_at: Site | None = None  # where it was freed, if that is known
    holders: int = 0  # handles beside the first one that must be freed, too (MPI_Comm_group)

    @property
    def is_ended(self) -> bool:
        """Return whether no handle denotes it any more: it was freed or, if it is a request,
        completed.
        """
        return "ended" in self.flags

    @property
    def freed(self) -> bool:
        """It was freed. Requests mostly end otherwise, so they only have `is_ended`."""
        return self.is_ended and self.kind != "request"

    @property
    def predefined(self) -> bool:
        """Made by the MPI library, never freed."""
        return "predefined" in self.flags

    @property
    def null(self) -> bool:
        """MPI_DATATYPE_NULL and its kin."""
        return "null" in self.flags


@dataclass(frozen=True)
class Broken:
    """An object whose record cannot be decoded, to be shown in its place."""

    kind: str  # one of KINDS, or "thread"
    record: int  # its address
    reason: str  # one sentence


@dataclass(frozen=True)
class DatatypeRecord:
    """A datatype. `tree.origin` is this record, and each component's its own."""

    header: Header
    tree: Datatype = field(repr=False, compare=False)
    committed: bool
    large: bool  # made by a large-count (_c) constructor
