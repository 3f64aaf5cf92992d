# SPDX-License-Identifier: MIT
"""A window of gdb's terminal interface with the states of all ranks: "layout mpipp"."""

from __future__ import annotations

import contextlib

import gdb

from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain
from mpipp.gdb import console
from mpipp.gdb.all_ranks import status_text
from mpipp.gdb.program import abandoned_frames, sessions

_NAME = "mpipp"
# Events that change the states; the window is drawn again before the next prompt.
_EVENTS = ("stop", "cont", "exited", "new_inferior", "inferior_deleted")


def register() -> None:
    """Register the window and its layout, if this gdb has a terminal interface."""
    if not hasattr(gdb, "register_window_type"):
        return
    gdb.register_window_type(_NAME, _Window)
    with contextlib.suppress(gdb.error):  # the layout exists already
        console.output("tui new-layout mpipp src 2 mpipp 1 status 0 cmd 1")


class _Window:
    # gdb calls the methods by these names. They must not raise.

    def __init__(self, window: gdb.TuiWindow) -> None:
        self._window = window
        self._window.title = "ranks"
        self._first = 0  # the first visible line
        self._lines: list[str] = []
        self._is_stale = True
        for name in _EVENTS:
            getattr(gdb.events, name).connect(self._changed)
        gdb.events.before_prompt.connect(self._refresh)

    def close(self) -> None:
        for name in _EVENTS:
            getattr(gdb.events, name).disconnect(self._changed)
        gdb.events.before_prompt.disconnect(self._refresh)

    def render(self) -> None:
        if self._is_stale:
            self._lines, self._is_stale = _lines(), False
        self._draw()

    def vscroll(self, number: int) -> None:
        last = max(0, len(self._lines) - 1)
        self._first = min(max(0, self._first + number), last)
        self._draw()

    def _changed(self, _event: object) -> None:
        self._is_stale = True

    def _refresh(self) -> None:
        if self._is_stale and self._window.is_valid():
            self.render()

    def _draw(self) -> None:
        width, height = self._window.width, self._window.height
        shown = self._lines[self._first : self._first + height]
        self._window.erase()
        # gdb would wrap a full line.
        self._window.write("\n".join(plain(line, "")[: width - 1] for line in shown))


def _lines() -> list[str]:
    try:
        with abandoned_frames.any_thread(), sessions.at_prompt():
            return list(status_text.lines())
    except (MpippError, gdb.error) as error:
        return str(error).splitlines()
