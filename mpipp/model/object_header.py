# SPDX-License-Identifier: MIT
"""The data that the registry has for every MPI object.

Handles are unsigned integers of the MPI library's handle size. Names are the standard's.
"""

from __future__ import annotations

import os
from dataclasses import field
from typing import TYPE_CHECKING, NamedTuple

from mpipp.common.lazy_dataclass import dataclass

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
    """A line of a Python program."""

    path: str
    number: int
    function: str

    @property
    def text(self) -> str:
        """The line as text: "main.py:31 in f"."""
        return f"{os.path.basename(self.path)}:{self.number} in {self.function}"


@dataclass(frozen=True)
class Site:
    """The place of a call, as return addresses. Subtract 1 from an address to look up its line."""

    address: int  # return address of the call; 0: unknown
    frames: tuple[int, ...] = ()  # return addresses of callers, innermost first, if recorded
    python: PythonLine | None = None  # replaces the address if the caller is Python code


class Header(NamedTuple):  # a named tuple is fast to create, and there may be 10^5
    """The data that all kinds of objects have. `serial` numbers the objects of a kind from 1."""

    kind: str  # an item of KINDS
    handle: int
    serial: int
    flags: frozenset[str]  # "predefined" "null" "ended" "imported" "committed" "large count" ...
    references: int  # number of records that refer to this one
    fint: int  # the Fortran INTEGER handle
    site: Site
    name: str  # from the user or the standard, else ""
    record: int  # address of the record
    freed_at: Site | None = None  # place of the free, if known
    holders: int = 0  # more handles that the program must free, too (MPI_Comm_group)

    @property
    def is_ended(self) -> bool:
        """Return whether the object was freed or, for a request, completed.

        No handle denotes the object any more.
        """
        return "ended" in self.flags

    @property
    def freed(self) -> bool:
        """True if the object was freed. Requests have `is_ended`: most are completed, not freed."""
        return self.is_ended and self.kind != "request"

    @property
    def predefined(self) -> bool:
        """True for objects of the MPI library, which are never freed."""
        return "predefined" in self.flags

    @property
    def null(self) -> bool:
        """True for MPI_DATATYPE_NULL and other null handles."""
        return "null" in self.flags


@dataclass(frozen=True)
class Broken:
    """The substitute for an object whose record cannot be decoded."""

    kind: str  # an item of KINDS, or "thread"
    record: int  # address of the record
    reason: str  # one sentence


@dataclass(frozen=True)
class DatatypeRecord:
    """A datatype. `tree.origin` is this record; the components' trees have their own records."""

    header: Header
    tree: Datatype = field(repr=False, compare=False)
    committed: bool
    large: bool  # created with a large-count procedure (_c)
