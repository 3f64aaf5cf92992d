# SPDX-License-Identifier: MIT
"""The watcher does not block on a connection without a first message."""

from __future__ import annotations

import selectors
import socket
from pathlib import Path

from mpipp.watcher.ipc.new_connections import NewConnections


def test_who_says_something_later_is_heard_then(tmp_path: Path) -> None:
    path = str(tmp_path / "socket")
    kind = socket.AF_UNIX, socket.SOCK_SEQPACKET
    with socket.socket(*kind) as listener, selectors.EpollSelector() as selector:
        listener.bind(path)
        listener.listen()
        coming = NewConnections(listener, selector)
        with socket.socket(*kind) as late, socket.socket(*kind) as soon:
            late.connect(path)
            soon.connect(path)
            soon.send(b"soon")
            (heard,) = coming.ready_connections()
            assert heard.recv(10) == b"soon" and coming
            heard.close()
            assert list(coming.ready_connections()) == []
            late.send(b"late")
            assert [one.recv(10) for one in coming.ready_connections()] == [b"late"]
            assert not coming and selector.select(0) == []
