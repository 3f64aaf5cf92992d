# SPDX-License-Identifier: MIT
"""The messages of a process to its watcher, as wrapper/watcher_client/connection.c sends them."""

from __future__ import annotations

import array
import os
import socket
from typing import NamedTuple, Union

from mpipp.common.errors import MpippError
from mpipp.watcher.ipc.layouts import DISAGREEING, HELLO, NOTICE, End

VERSION = 4
MET, AT_WORK, LOOKED = b"m", b"w", b"."  # what it is answered
# To a question; FOUND: there is something new. The name of MPI's error class may follow.
ANSWERED, FOUND = b"a", b"f"

FINALIZED, EXITING, ABORTING, STOPPED = map(int, End)

INTERRUPTED = b"i"  # what the launcher says when the user ends the program; nothing more at its end
LAUNCHER = "launcher"  # the name of the launcher's socket in the run's directory

_START = b"MPIPPRUN"  # of what becomes the program: see launch.py


class Hello(NamedTuple):
    """A process that is to be watched; addresses are its own."""

    file: int  # its records' memory: the receiver's to close
    pid: int
    root: int  # address of the registry
    arena: int  # offset in the file of the list of regions
    strict: bool  # it compares calls before they begin


class Disagreeing(NamedTuple):
    """A collective call that is to be compared with those of others, and a process that waits."""

    pid: int
    tid: int
    number: int  # the same in all its processes; 0: it is not compared
    identity: int  # of the communicator, 0 if it has none
    here: int  # how many of the processes are on this node
    processes: int  # in all


class Strict(NamedTuple):
    """A process that waits to be told whether all of its MPI_COMM_WORLD are strict."""

    pid: int


class Late(NamedTuple):
    """A process that waits until what has been started is compared: nonblocking calls disagree."""

    call: Disagreeing  # `here` is not said; the thread is the one that asks


class Touching(NamedTuple):
    """A process that waits before it touches a pending operation's buffer: it is to be told."""

    pid: int
    tid: int


class Started(NamedTuple):
    """A process that is about to become the program."""

    rank: str = ""  # as the launcher says, "" if it does not


First = Union[Hello, Disagreeing, Strict, Late, Touching, Started]


def greeting(connection: socket.socket) -> First | None:
    """What a process says first; None if it has gone. Only the file of a `Hello` stays open.

    Raises:
        MpippError: it is not a process of this mpipp's.
    """
    room = socket.CMSG_SPACE(array.array("i").itemsize)
    data, rights, _, _ = connection.recvmsg(4096, room, socket.MSG_CMSG_CLOEXEC)
    files = array.array("i")
    for level, kind, content in rights:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            files.frombytes(content[: len(content) - len(content) % files.itemsize])
    first: First | None = None
    try:
        first = _greeting(data, files)
    finally:
        # Other messages come with no files; who sends some all the same does not use up the
        # watcher's.
        for file in files if not isinstance(first, Hello) else ():
            os.close(file)
    return first


def _greeting(data: bytes, files: array.array[int]) -> First | None:
    if not data:
        return None
    if data.startswith(_START):
        rank = data[len(_START) :]
        return Started(rank.decode() if rank.isdigit() else "")
    if len(data) == DISAGREEING.size:
        magic, *call = DISAGREEING.read(data)
        asked = Disagreeing(*call)
        if magic == b"MPIPPDIF":
            return asked
        if magic == b"MPIPPALL":
            return Strict(asked.pid)
        if magic == b"MPIPPNOW":
            return Late(asked)
        if magic == b"MPIPPTCH":
            return Touching(asked.pid, asked.tid)
    if len(data) != HELLO.size or not data.startswith(b"MPIPPHI\0") or len(files) != 1:
        raise MpippError("what has connected to the watcher is no program of MPI's")
    hello = HELLO.read(data)
    if hello.version != VERSION:
        raise MpippError("the program's wrapper is of another version of mpipp: build it again")
    return Hello(files[0], hello.pid, hello.root, hello.arena, bool(hello.strict))


def end(data: bytes) -> int | None:
    """Why the process says that it is over; None if it says something else."""
    if len(data) != NOTICE.size or not data.startswith(b"MPIPPEND"):
        return None
    return NOTICE.read(data).end


def question(data: bytes, magic: bytes = b"MPIPPASK") -> int | None:
    """The address of what the process asks; None if it says something else."""
    if len(data) != NOTICE.size or not data.startswith(magic):
        return None
    return NOTICE.read(data).end


def questions(data: bytes) -> int | None:
    """The address of the first of all that the process has still to ask, as it ends."""
    return question(data, b"MPIPPRST")
