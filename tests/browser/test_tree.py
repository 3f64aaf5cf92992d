# SPDX-License-Identifier: MIT
"""The browser's tree and its connection, without gdb or a screen."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mpipp.browser.client import Client, Message
from mpipp.browser.tree import Node, Tree, details, groups
from mpipp.common import browser_socket


class Canned:
    """A client with prepared numbers of parts by path. It stores each request."""

    def __init__(self, parts: dict[tuple[int, ...], int]) -> None:
        self.parts = parts
        self.value = "1"
        self.asked: list[Message] = []
        self.error = ""
        self.is_waiting = False

    def poll(self) -> None:
        pass

    def ask(self, request: Message, done: Callable[[Message], None]) -> None:
        self.asked.append(request)
        if self.error:
            done({"error": self.error})
        elif request["do"] == "status":
            done({"state": "stopped", "process": "rank 0 of 1, pid 5", "place": "main at x.c:3"})
        else:
            path = tuple(request["path"])
            stop = min(request.get("stop", 1000), self.parts.get(path, 0))
            lines = [self._line(path, i) for i in range(request["start"], stop)]
            done({"count": self.parts.get(path, 0), "start": request["start"], "lines": lines})

    def _line(self, path: tuple[int, ...], i: int) -> Message:
        return {
            "name": f"[{i}]" if path else "vec data",
            "value": self.value,
            "type": "MPI_INT",
            "displacement": 8 * i,
            "size": 1,
            "parts": self.parts.get((*path, i), 0),
            "words": None if path else {"type": "vec", "rest": "data"},
        }


class Screen:
    def __init__(self) -> None:
        self.replaced: list[Node] = []
        self.updated: list[Node] = []
        self.changed: list[tuple[Node, int, int]] = []
        self.status = ""
        self.ended = False

    def replace(self, node: Node) -> None:
        self.replaced.append(node)

    def change(self, node: Node, gone: list[Node], more: list[Node]) -> None:
        self.changed.append((node, len(gone), len(more)))

    def update(self, node: Node) -> None:
        self.updated.append(node)

    def show_status(self, status: str) -> None:
        self.status = status

    def end(self) -> None:
        self.ended = True


def browsing(parts: dict[tuple[int, ...], int]) -> tuple[Tree, Canned, Screen]:
    """A tree after its first message."""
    client, screen = Canned(parts), Screen()
    tree = Tree(client, screen)  # type: ignore[arg-type]
    tree.event({"event": "hello", "protocol": 1})
    tree.poll()
    return tree, client, screen


def opened(tree: Tree, node: Node) -> list[Node]:
    """Open a node, and return its children."""
    tree.open(node)
    assert node.children is not None
    return node.children


@pytest.mark.parametrize(
    ("count", "number", "first", "last"),
    [
        (1001, 2, (0, 1000), (1000, 1001)),
        (1_000_000, 1000, (0, 1000), (999_000, 1_000_000)),
        (1_000_001, 2, (0, 1_000_000), (1_000_000, 1_000_001)),
        (2**40, 2, (0, 10**12), (10**12, 2**40)),
    ],
)
def test_groups(count: int, number: int, first: tuple[int, int], last: tuple[int, int]) -> None:
    found = list(groups(0, count))
    assert (len(found), found[0], found[-1]) == (number, first, last)


def test_a_page_needs_no_groups() -> None:
    assert list(groups(0, 1000)) == []
    assert list(groups(5000, 6000)) == []


def test_only_what_is_opened_is_read() -> None:
    tree, client, screen = browsing({(): 1, (0,): 10**6})
    assert screen.status == "rank 0 of 1, pid 5 - stopped in main at x.c:3"
    assert tree.root.children is not None
    (root,) = tree.root.children
    del client.asked[:]
    pages = opened(tree, root)
    assert (len(pages), client.asked) == (1000, [])
    assert pages[500].text[0] == "[500000 .. 500999]"
    numbers = opened(tree, pages[500])
    request = {"do": "children", "path": (0,), "start": 500_000, "stop": 501_000}
    assert client.asked == [request]
    assert numbers[2].text == ("[500002]", "1", "MPI_INT", "+4000016", "1")
    assert numbers[2].address == "mpipp vec[500002] data"
    assert details(numbers[2]) == (
        "mpipp vec[500002] data   MPI_INT   displacement 4000016 bytes   size 1 byte"
    )
    assert details(pages[500]) == ""


def test_a_stop_updates_what_is_open_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    tree, client, screen = browsing({(): 1, (0,): 3, (0, 1): 2, (0, 2): 2})
    assert tree.root.children is not None
    (root,) = tree.root.children
    parts = opened(tree, root)
    inner = opened(tree, parts[1])
    opened(tree, parts[2])
    tree.close(parts[2])
    del client.asked[:], screen.replaced[:]
    client.value = "2"
    for _ in range(3):  # several changes cause one read
        client.is_waiting = True
        tree.event({"event": "changed"})
        tree.poll()
    assert client.asked == []
    client.is_waiting = False
    later = time.monotonic() + 1
    monkeypatch.setattr(time, "monotonic", lambda: later)
    tree.poll()
    tree.poll()
    assert [request.get("path") for request in client.asked] == [None, (), (0,), (0, 1)]
    assert root.children is parts
    assert {node.value for node in (root, *parts, *inner)} == {"2"}
    assert screen.updated == [root, *parts, *inner]
    # A closed node is dropped, and read again when it is opened.
    assert screen.replaced == [parts[2]]
    assert [node.value for node in opened(tree, parts[2])] == ["2", "2"]


def test_another_number_of_parts_is_another_subtree() -> None:
    tree, client, screen = browsing({(): 1, (0,): 3})
    assert tree.root.children is not None
    (root,) = tree.root.children
    assert len(opened(tree, root)) == 3
    client.parts[()] = 3
    tree.refresh()
    assert root.children is not None
    assert tree.root.children[0] is root
    client.parts[()] = 1
    tree.refresh()
    assert tree.root.children == [root]
    assert screen.changed == [(tree.root, 0, 2), (tree.root, 2, 0)]
    client.parts[0,] = 0
    tree.refresh()
    assert not root.children
    client.parts[0,] = 5
    tree.refresh()
    assert root.children is not None
    assert len(root.children) == 5


def test_errors_leave_what_was_last_seen() -> None:
    tree, client, screen = browsing({(): 1, (0,): 3})
    assert tree.root.children is not None
    (root,) = tree.root.children
    client.error = "gdb is busy"
    (message,) = opened(tree, root)
    assert message.text[:2] == ("", "<gdb is busy>")
    tree.refresh()
    assert tree.root.children == [root]
    assert screen.status == "gdb is busy"
    client.error = ""
    tree.refresh()
    assert len(root.children or ()) == 3


def test_goodbyes() -> None:
    tree, _, screen = browsing({})
    tree.event({"event": "bye"})
    assert screen.ended
    tree.event({"event": "gone"})
    assert screen.status == "gdb has ended: the values are as last read"
    tree.event({"event": "foreign"})
    assert "another version of mpipp" in screen.status


@pytest.fixture
def listener(tmp_path: Path) -> Any:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
        server.listen()
        yield server


def test_client_pairs_replies_and_survives_the_end(listener: Any, tmp_path: Path) -> None:
    events: list[Message] = []
    replies: list[Message] = []
    client = Client(lambda: tmp_path / "s", events.append)
    client.ask({"do": "status"}, replies.append)
    assert replies.pop() == {"error": "there is no connection to gdb"}
    client.poll()
    server, _ = listener.accept()
    server.sendall(b'{"event": "hello", "protocol": 1}\n')
    for name in ("a", "b"):
        client.ask({"do": name}, replies.append)
    asked = [json.loads(line) for line in server.recv(4096).splitlines()]
    for request in reversed(asked):
        server.sendall(json.dumps({"id": request["id"], "was": request["do"]}).encode() + b"\n")
    client.poll()
    assert events == [{"event": "hello", "protocol": 1}]
    assert replies == [{"was": "b", "id": asked[1]["id"]}, {"was": "a", "id": asked[0]["id"]}]
    client.ask({"do": "c"}, replies.append)
    server.close()
    client.poll()
    assert replies[-1] == {"error": "there is no connection to gdb"}
    assert events[-1] == {"event": "gone"}


def test_client_refuses_another_protocol(listener: Any, tmp_path: Path) -> None:
    events: list[Message] = []
    client = Client(lambda: tmp_path / "s", events.append)
    client.poll()
    server, _ = listener.accept()
    server.sendall(b'{"event": "hello", "protocol": 99}\n')
    client.poll()
    assert events == [{"event": "foreign"}]


def test_client_gives_up(listener: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mpipp.browser.client._PATIENCE", -1.0)
    replies: list[Message] = []
    client = Client(lambda: tmp_path / "s", lambda event: None)
    client.poll()
    client.ask({"do": "status"}, replies.append)
    client.poll()
    assert replies == [{"error": "gdb does not answer"}]


def test_rendezvous(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert browser_socket.newest() is None
    listening = []
    paths = []
    for _ in range(2):
        paths.append(browser_socket.new_path())
        server = socket.socket(socket.AF_UNIX)
        server.bind(str(paths[-1]))
        server.listen()
        listening.append(server)
    # The kernel's clock may give both sockets the same time.
    os.utime(paths[1], ns=(1, 1))
    assert browser_socket.newest() == paths[0]
    os.utime(paths[0], ns=(0, 0))
    assert browser_socket.newest() == paths[1]
    # A socket that others may open does not count. A socket without a listener is a leftover.
    paths[1].parent.chmod(0o755)
    assert browser_socket.newest() == paths[0]
    listening[0].close()
    assert browser_socket.newest() is None
    fresh = browser_socket.new_path()
    assert not paths[0].parent.exists()
    assert (fresh.parent.stat().st_mode & 0o777, paths[1].exists()) == (0o700, True)
    listening[1].close()
