# SPDX-License-Identifier: MIT
"""The tree of a browser, without a user interface. Nodes are read when they are opened.

More than a page of parts is shown as groups, `[0 .. 999]`, which can be opened in turn.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import field
from typing import Any, Protocol

from mpipp.browser.client import Client, Message
from mpipp.common.lazy_dataclass import dataclass
from mpipp.common.text.sanitize import plain

PAGE = 1000  # parts shown below one node
_PAUSE = 0.1  # seconds between two refreshes at least


@dataclass(eq=False)
class Node:
    """A part, or (if `is_group`) the parts [start, stop) of another. `path` names the part in gdb.

    `words` are, at the root of a buffer, its datatype and its place as gdb reads them. `children`
    is None until the node is opened. `widget` belongs to the user interface.
    """

    path: tuple[int, ...]
    above: Node | None
    name: str
    value: str = ""
    type: str = ""
    displacement: int | None = None
    size: int | None = None
    start: int = 0
    stop: int = 0
    is_group: bool = False
    words: tuple[str, str] | None = None
    children: list[Node] | None = None
    is_open: bool = False
    widget: Any = None
    loading: int = field(default=0, repr=False)  # number of the last request for its children

    @property
    def can_open(self) -> bool:
        """Return whether the node has parts."""
        return self.stop > self.start

    @property
    def text(self) -> tuple[str, str, str, str, str]:
        """Name, value, type, displacement and size as they are shown."""
        displacement = "" if self.displacement is None else f"{self.displacement:+d}"
        size = "" if self.size is None else f"{self.size}"
        name, value, kind = (plain(one, "") for one in (self.name, self.value, self.type))
        return name, value, kind, displacement, size

    @property
    def address(self) -> str:
        """The names from the root down; in a buffer's tree, an argument for gdb's command mpipp."""
        names = []
        node = self
        while node.above is not None and node.above.path:
            if not node.is_group:
                names.append(node.name if node.name.startswith("[") else f".{node.name}")
            node = node.above
        way = "".join(reversed(names))
        if node.words is not None:
            return f"mpipp {node.words[0]}{way} {node.words[1]}"
        return node.name + way


class View(Protocol):
    """The interface of a front end."""

    def replace(self, node: Node) -> None:
        """Show new children of `node`. None means that they were dropped."""
        ...

    def change(self, node: Node, gone: list[Node], more: list[Node]) -> None:
        """Replace the last children of `node`: remove `gone`, append `more`."""
        ...

    def update(self, node: Node) -> None:
        """Show new texts of `node`."""
        ...

    def show_status(self, status: str) -> None:
        """Show the state of gdb and the process in a few words."""
        ...

    def end(self) -> None:
        """Close the browser, because gdb ends."""
        ...


class Tree:
    """The nodes of one browser, kept up to date with gdb."""

    def __init__(self, client: Client, view: View) -> None:
        self.root = Node((), None, "", is_open=True)
        self._client = client
        self._view = view
        self._requests = 0
        self._stale = False
        self._next = 0.0

    def poll(self) -> None:
        """Receive messages, and refresh the tree after a change. A user interface calls
        this often."""
        self._client.poll()
        # During steps, changes come faster than they can be read, so refresh only after a pause.
        now = time.monotonic()
        if self._stale and not self._client.is_waiting and now >= self._next:
            self._next = now + _PAUSE
            self.refresh()

    def event(self, message: Message) -> None:
        """Handle a message from the client."""
        event = message["event"]
        if event in ("hello", "changed"):
            self._stale = True
        elif event == "bye":
            self._view.end()
        elif event == "gone":
            self._stale = False
            self._view.show_status("gdb has ended: the values are as last read")
        elif event == "foreign":
            self._view.show_status(
                "this gdb has another version of mpipp: start the browser of that version"
            )

    def refresh(self) -> None:
        """Read all open nodes again."""
        self._stale = False
        self._client.ask({"do": "status"}, self._status)
        self._load(self.root)
        self._refresh(self.root)

    def open(self, node: Node) -> None:
        """Show the parts of `node`."""
        node.is_open = True
        if node.children is not None or not node.can_open:
            return
        parts = list(groups(node.start, node.stop))
        if not parts:
            self._load(node)
            return
        node.children = [
            Node(node.path, node, f"[{a} .. {b - 1}]", start=a, stop=b, is_group=True)
            for a, b in parts
        ]
        self._view.replace(node)

    def close(self, node: Node) -> None:
        """Close `node`. Its parts are read again when it is opened."""
        node.is_open = False

    def _refresh(self, node: Node) -> None:
        # Read the open parts below `node` again, and drop the closed ones.
        for child in node.children or ():
            if not child.is_open:
                if child.children is not None:
                    child.children = None
                    self._view.replace(child)
            elif child.children is not None:
                if not any(grandchild.is_group for grandchild in child.children):
                    self._load(child)
                self._refresh(child)

    def _load(self, node: Node) -> None:
        self._requests += 1
        node.loading = number = self._requests
        request = {"do": "children", "path": node.path, "start": node.start}
        if node.path:
            request["stop"] = node.stop

        def done(reply: Message) -> None:
            if node.loading == number:  # otherwise a later request replaces this one
                self._loaded(node, reply)

        self._client.ask(request, done)

    def _loaded(self, node: Node, reply: Message) -> None:
        if "error" in reply:
            if node.children is None and node.can_open:  # otherwise the last known children stay
                node.children = [Node(node.path, node, "", f"<{reply['error']}>")]
                self._view.replace(node)
            return
        fresh = [_node(node, node.start + i, line) for i, line in enumerate(reply.get("lines", ()))]
        if not node.children:
            node.children = fresh
            self._view.replace(node)
            return
        # Update the nodes in place, so that open ones stay open.
        common = min(len(node.children), len(fresh))
        gone, more = node.children[common:], fresh[common:]
        for child, new in zip(node.children, fresh):
            if child.text != new.text:
                child.name, child.value, child.type = new.name, new.value, new.type
                child.displacement, child.size = new.displacement, new.size
                self._view.update(child)
            if child.stop != new.stop:
                self._resize(child, new.stop)
        node.children[common:] = more
        if gone or more:
            self._view.change(node, gone, more)

    def _resize(self, node: Node, stop: int) -> None:
        node.stop, node.children = stop, None
        self._view.replace(node)
        if node.is_open:
            self.open(node)

    def _status(self, reply: Message) -> None:
        if "error" in reply:
            self._view.show_status(plain(reply["error"], ""))
            return
        state = {"none": "no process", "running": "running (values as last read)"}.get(
            reply["state"], "stopped"
        )
        if reply["place"]:
            state += f" in {reply['place']}"
        self._view.show_status(plain(" - ".join(filter(None, [reply["process"], state])), ""))


def groups(start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Divide the parts [start, stop) into at most a page of groups; none if they fit a page."""
    if stop - start <= PAGE:
        return
    step = PAGE
    while (stop - start) > step * PAGE:
        step *= PAGE
    for first in range(start, stop, step):
        yield first, min(first + step, stop)


def _node(above: Node, index: int, line: Message) -> Node:
    words = line.get("words")
    return Node(
        (*above.path, index),
        above,
        line["name"],
        line["value"],
        line["type"],
        line["displacement"],
        line["size"],
        stop=line["parts"],
        words=None if words is None else (words["type"], words["rest"]),
    )


def details(node: Node) -> str:
    """All data of a node, in one line."""
    if node.is_group or not node.path:
        return ""
    words = [node.address, node.type]
    if node.displacement is not None:
        words.append(f"displacement {_bytes(node.displacement)}")
    if node.size is not None:
        words.append(f"size {_bytes(node.size)}")
    return "   ".join(filter(None, words))


def _bytes(number: int) -> str:
    return f"{number} byte" if number == 1 else f"{number} bytes"
