# SPDX-License-Identifier: MIT
"""The messages of a process to its watcher, sent by wrapper/watcher_client/connection.c."""

from __future__ import annotations

import array
import os
import socket
from typing import NamedTuple, Union

from mpipp.common.errors import MpippError
from mpipp.watcher.ipc.layouts import DISAGREEING, DYING, HELLO, NOTICE, Dying, End

VERSION = 4
MET, AT_WORK, LOOKED, RELEASED = b"m", b"w", b".", b"r"  # answers to a process
# Answers to a query. FOUND means a new finding. The name of MPI's error class may follow.
ANSWERED, FOUND = b"a", b"f"

FINALIZED, EXITING, ABORTING, STOPPED = map(int, End)

# From the launcher when the user ends the program. An empty message means that the program ended.
INTERRUPTED = b"i"
LAUNCHER = "launcher"  # name of the launcher's socket in the run's directory

_START = b"MPIPPRUN"  # magic bytes of a process that is about to become the program: see launch.py


class Hello(NamedTuple):
    """A process to watch. Addresses belong to its address space."""

    file: int  # descriptor of the memory file with its records; the receiver closes it
    pid: int
    root: int  # address of the registry
    arena: int  # offset in the file of the list of regions
    strict: bool  # True if it compares collective calls before they begin


class CollectiveQuery(NamedTuple):
    """A process that waits in a collective call until it is compared with those of others."""

    pid: int
    tid: int
    number: int  # equal in all processes of the call; 0: do not compare
    identity: int  # identity of the communicator, 0 if it has none
    here: int  # number of its processes on this node
    processes: int  # number of all its processes


class StrictQuery(NamedTuple):
    """A process that waits to learn whether its whole MPI_COMM_WORLD uses --strict."""

    pid: int


class NonblockingQuery(NamedTuple):
    """A process that waits until nonblocking calls with different fingerprints are compared."""

    call: CollectiveQuery  # `here` is not set; `tid` is the thread that asks


class AccessQuery(NamedTuple):
    """A process that waits before an illegal access to the buffer of a pending operation."""

    pid: int
    tid: int


class ProgramStart(NamedTuple):
    """A process that is about to become the program."""

    rank: str = ""  # from the launcher, else ""


FirstMessage = Union[
    Hello, CollectiveQuery, StrictQuery, NonblockingQuery, AccessQuery, ProgramStart, Dying
]


def greeting(connection: socket.socket) -> FirstMessage | None:
    """The first message of a process; None if the process has closed the connection.

    Only the file of a `Hello` stays open.

    Raises:
        MpippError: the process does not belong to this mpipp.
    """
    room = socket.CMSG_SPACE(array.array("i").itemsize)
    data, rights, _, _ = connection.recvmsg(4096, room, socket.MSG_CMSG_CLOEXEC)
    files = array.array("i")
    for level, kind, content in rights:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            files.frombytes(content[: len(content) - len(content) % files.itemsize])
    first: FirstMessage | None = None
    try:
        first = _greeting(data, files)
    finally:
        # Other messages come without files. Close any files, or they would use up the watcher's
        # limit.
        for file in files if not isinstance(first, Hello) else ():
            os.close(file)
    return first


def _greeting(data: bytes, files: array.array[int]) -> FirstMessage | None:
    if not data:
        return None
    if data.startswith(_START):
        rank = data[len(_START) :]
        return ProgramStart(rank.decode() if rank.isdigit() else "")
    if len(data) == DISAGREEING.size:
        magic, *call = DISAGREEING.read(data)
        asked = CollectiveQuery(*call)
        if magic == b"MPIPPDIF":
            return asked
        if magic == b"MPIPPALL":
            return StrictQuery(asked.pid)
        if magic == b"MPIPPNOW":
            return NonblockingQuery(asked)
        if magic == b"MPIPPTCH":
            return AccessQuery(asked.pid, asked.tid)
    if len(data) == DYING.size and data.startswith(b"MPIPPSIG"):
        return DYING.read(data)
    if len(data) != HELLO.size or not data.startswith(b"MPIPPHI\0") or len(files) != 1:
        raise MpippError("the process that connected to the watcher is not an MPI program")
    hello = HELLO.read(data)
    if hello.version != VERSION:
        raise MpippError(
            "the program's wrapper was built by another version of mpipp: build it again"
        )
    return Hello(files[0], hello.pid, hello.root, hello.arena, bool(hello.strict))


def end(data: bytes) -> int | None:
    """The way in which the process ends, from an end message; None for other messages."""
    if len(data) != NOTICE.size or not data.startswith(b"MPIPPEND"):
        return None
    return NOTICE.read(data).end


def exits(data: bytes) -> bool:
    """Return whether the process announces that it exits now, and waits until it may."""
    return question(data, b"MPIPPEXT") is not None


def question(data: bytes, magic: bytes = b"MPIPPASK") -> int | None:
    """The address of the process's query; None for other messages."""
    if len(data) != NOTICE.size or not data.startswith(magic):
        return None
    return NOTICE.read(data).end


def questions(data: bytes) -> int | None:
    """The address of the first open query of a process that ends; None for other messages."""
    return question(data, b"MPIPPRST")
