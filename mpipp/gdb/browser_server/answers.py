# SPDX-License-Identifier: MIT
"""gdb's messages to browsers: the state of the process, and the parts of the tree.

This code runs on gdb's thread. The path of a part is the number of its root, then the index at each
level below.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

import gdb

from mpipp.common import browser_socket
from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain
from mpipp.gdb.browser_server import roots as browse_roots
from mpipp.gdb.browser_server.gdb_thread import post
from mpipp.gdb.browser_server.roots import Root
from mpipp.gdb.browser_server.server import Message, Server
from mpipp.gdb.printers import buffer_lookup
from mpipp.gdb.program import (
    abandoned_frames,
    calling_frame,
    inferior_memory,
    sessions,
    symbol_names,
)
from mpipp.gdb.program.sessions import Session
from mpipp.gdb.selected_thread import selected_thread
from mpipp.render import outline
from mpipp.render.outline import Item, Line

MOST_LINES = 1000  # lines in one reply
_MOST_FRAMES = 20
_EVENTS = ("stop", "cont", "exited", "new_objfile", "memory_changed", "new_inferior")


class BrowsedInferior:
    """The roots of the tree, and the server that shows it; created with the first root."""

    def __init__(self) -> None:
        """Raises MpippError if no socket can be created."""
        self._roots: list[Root] = []
        self.server = Server(browser_socket.new_path(), post, self.answer)
        for name in _EVENTS:
            registry = getattr(gdb.events, name, None)
            if registry is not None:
                registry.connect(self._changed)
        atexit.register(self.close)

    def add(self, roots: Sequence[Root]) -> None:
        """Add roots to the tree."""
        self._roots += [root for root in roots if root not in self._roots]
        self.server.changed()

    def close(self) -> None:
        """Stop serving."""
        atexit.unregister(self.close)
        for name in _EVENTS:
            registry = getattr(gdb.events, name, None)
            if registry is not None:
                registry.disconnect(self._changed)
        self.server.close()

    def _changed(self, _event: object = None) -> None:
        self.server.changed()

    def answer(self, request: Message) -> Message:
        """The reply to a browser's request. Raises MpippError."""
        what = request.get("do")
        if what == "status":
            return status()
        if what == "children":
            path = request.get("path")
            start, stop = request.get("start", 0), request.get("stop", MOST_LINES)
            if not (
                isinstance(path, list) and all(isinstance(i, int) for i in [*path, start, stop])
            ):
                raise MpippError(
                    "children needs path, a list of numbers, and the numbers start and stop"
                )
            return self._children(tuple(path), start, min(stop, start + MOST_LINES))
        raise MpippError(f"a browser cannot ask for {what!r}: ask for status or children")

    def _children(self, path: tuple[int, ...], start: int, stop: int) -> Message:
        if not path:
            chosen = range(len(self._roots))[max(0, start) : max(0, stop)]
            lines = [self._root_line(i) for i in chosen]
            return {"count": len(self._roots), "start": start, "lines": lines}
        with self._session(path[0]) as session:
            item = self._item(path, session)
            lines = [_message(line) for line in outline.lines(item, start, stop)]
            return {"count": item.count, "start": start, "lines": lines}

    def _root_line(self, number: int) -> Message:
        root = self._roots[number]
        try:
            with self._session(number) as session:
                line = self._item((number,), session).line()
        except MpippError as error:
            line = Line(root.text, f"<{error}>", "", None, None, 0)
        return {**_message(line), "words": root.words}

    def _item(self, path: tuple[int, ...], session: Session) -> Item:
        # Items stay in the cache until the program runs: then the session drops all that it has
        # read.
        known: dict[tuple[int, ...], Item] = session.derived.setdefault("browsing", {})
        if path not in known:
            if len(path) == 1:
                known[path] = self._roots[path[0]].item(session)
            else:
                above = self._item(path[:-1], session)
                if not 0 <= path[-1] < above.count:
                    raise MpippError(f"there is no part {path[-1]} any more")
                known[path] = above.child(path[-1])
        return known[path]

    def _session(self, number: int) -> AbstractContextManager[Session]:
        if not 0 <= number < len(self._roots):
            raise MpippError(f"nothing browsed has the number {number}")
        return _of_inferior(self._roots[number].inferior)


def _message(line: Line) -> Message:
    # A terminal browser could obey control characters, so remove them.
    return {
        name: plain(part, "") if isinstance(part, str) else part
        for name, part in line._asdict().items()
    }


@contextmanager
def _of_inferior(number: int) -> Iterator[Session]:
    # Select the inferior within this context, and yield its session.
    inferior = next((i for i in gdb.inferiors() if i.num == number), None)
    if inferior is None:
        raise MpippError(f"there is no inferior {number} any more")
    with inferior_memory.selected(inferior):
        session = sessions.required()
        if _running(inferior):
            session.refresh()
        yield session


def status() -> Message:
    """The selected inferior: its state, process and source line.

    `state` is "stopped", "running" or "none"; `process` the rank and process id; `place` the source
    line where it stopped, or "".
    """
    inferior = gdb.selected_inferior()
    session = sessions.current()
    rank = "" if session is None else browse_roots.rank(session)
    process = ", ".join(filter(None, [rank, f"pid {inferior.pid}" if inferior.pid else ""]))
    if not inferior.pid:
        return {"state": "none", "process": process, "place": ""}
    if _running(inferior):
        return {"state": "running", "process": process, "place": ""}
    return {"state": "stopped", "process": process, "place": _place(session)}


def _running(inferior: gdb.Inferior) -> bool:
    return any(thread.is_running() for thread in inferior.threads())


def _place(session: Session | None) -> str:
    # The innermost frame with a source line. In an MPI call, search from the frame that called MPI.
    if selected_thread() is None:
        return ""
    call = buffer_lookup.active_call(session) if session is not None else None
    frame: gdb.Frame | None = (
        calling_frame.user(call.site) if call is not None else abandoned_frames.newest_frame()
    )
    for _ in range(_MOST_FRAMES):
        if frame is None:
            break
        line = frame.find_sal()
        name = symbol_names.function(frame)
        if line.symtab is not None and line.line and name:
            return f"{name} at {os.path.basename(symbol_names.file(line.symtab))}:{line.line}"
        frame = frame.older()
    return ""
