# SPDX-License-Identifier: MIT
"""Files that come with messages to the watcher. Only those of watched processes stay open."""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterator

import pytest

from mpipp.common.errors import MpippError
from mpipp.watcher.ipc import protocol
from mpipp.watcher.processes.process import WatchedProcess

DISAGREEING = struct.Struct("=8sQQQQII")
HELLO = struct.Struct("=8sIIQQQQQ")
PID = os.getpid()

WITHOUT_FILES = {
    "a program that starts": b"MPIPPRUN",
    "a collective call": DISAGREEING.pack(b"MPIPPDIF", PID, 1, 2, 3, 4, 5),
    "a question": DISAGREEING.pack(b"MPIPPALL", PID, 0, 0, 0, 0, 0),
    "a nonblocking call": DISAGREEING.pack(b"MPIPPNOW", PID, 1, 2, 3, 4, 5),
    "a touch": DISAGREEING.pack(b"MPIPPTCH", PID, 1, 2, 3, 4, 5),
}
REFUSED = {
    "nonsense": b"nonsense",
    "another version": HELLO.pack(b"MPIPPHI", 1, HELLO.size, PID, 0, 0, 0, 0),
    "a hello that is cut": HELLO.pack(b"MPIPPHI", 4, HELLO.size, PID, 0, 0, 0, 0)[:-1],
}
FINE = HELLO.pack(b"MPIPPHI", protocol.VERSION, HELLO.size, PID, 0, 0, 0, 0)


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    """The process's end of a connection, and the watcher's end."""
    process, watcher = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with process, watcher:
        yield process, watcher


def opened() -> list[str]:
    """The open files of this process."""
    return sorted(os.listdir("/proc/self/fd"))


def send(process: socket.socket, data: bytes, count: int) -> None:
    """Send a message with `count` files."""
    file = os.open("/dev/null", os.O_RDONLY)
    socket.send_fds(process, [data], [file] * count)
    os.close(file)


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("data", WITHOUT_FILES.values(), ids=WITHOUT_FILES)
def test_files_of_messages_without(
    ends: tuple[socket.socket, socket.socket], data: bytes, count: int
) -> None:
    before = opened()
    send(ends[0], data, count)
    assert protocol.greeting(ends[1]) is not None
    assert opened() == before


@pytest.mark.parametrize("count", [0, 1, 2, 5])
@pytest.mark.parametrize("data", REFUSED.values(), ids=REFUSED)
def test_files_of_what_is_refused(
    ends: tuple[socket.socket, socket.socket], data: bytes, count: int
) -> None:
    before = opened()
    send(ends[0], data, count)
    with pytest.raises(MpippError):
        protocol.greeting(ends[1])
    assert opened() == before


@pytest.mark.parametrize("count", [0, 2, 5])
def test_a_hello_has_one_file(ends: tuple[socket.socket, socket.socket], count: int) -> None:
    before = opened()
    send(ends[0], FINE, count)
    with pytest.raises(MpippError):
        protocol.greeting(ends[1])
    assert opened() == before


def test_a_process_whose_records_cannot_be_read(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    before = opened()
    send(ends[0], FINE, 1)
    hello = protocol.greeting(ends[1])
    assert isinstance(hello, protocol.Hello)
    assert len(opened()) == len(before) + 1
    with pytest.raises(MpippError):
        WatchedProcess(ends[1], hello)
    assert opened() == before
