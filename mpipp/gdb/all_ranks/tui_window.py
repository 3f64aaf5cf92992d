# SPDX-License-Identifier: MIT
"""A window of gdb's terminal interface with the states of all ranks: "layout mpipp"."""

from __future__ import annotations

import contextlib

import gdb

from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain
from mpipp.gdb import console
from mpipp.gdb.all_ranks import status_text
from mpipp.gdb.all_ranks.status_text import Row
from mpipp.gdb.debug_session import session
from mpipp.gdb.debug_session.frames import own_frame
from mpipp.gdb.program import abandoned_frames, ranks, sessions
from mpipp.ranks import stack_tree

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
    # gdb calls the methods by these names. These methods must not raise.

    def __init__(self, window: gdb.TuiWindow) -> None:
        self._window = window
        self._first = 0  # the first visible line
        self._rows: list[Row] = []
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
            self._rows, self._is_stale = _rows(), False
        self._draw()

    def vscroll(self, number: int) -> None:
        # gdb calls this for the arrow and page keys, if the window has the keyboard.
        of_ranks = [i for i, row in enumerate(self._rows) if row.ranks]
        if of_ranks:
            self._choose(min(max(of_ranks[0], self._line() + number), of_ranks[-1]))
        else:
            last = max(0, len(self._rows) - 1)
            self._first = min(max(0, self._first + number), last)
        self._draw()

    def hscroll(self, number: int) -> None:
        # gdb calls this for the left and right keys: choose another rank of the line.
        line = self._line()
        members = list(stack_tree.members(self._rows[line].ranks)) if self._rows else []
        rank = _selected()
        if rank in members:
            place = min(max(0, members.index(rank) + number), len(members) - 1)
            with contextlib.suppress(MpippError, gdb.error):
                _select(members[place])
        self._draw()

    def click(self, _column: int, line: int, _button: int) -> None:
        # gdb calls this from version 12 on.
        self._choose(self._first + line)
        self._draw()

    def _line(self) -> int:
        # The number of the line with the selected rank; 0, the title, if there is none.
        bit = 1 << rank if (rank := _selected()) is not None else 0
        return next((i for i, row in enumerate(self._rows) if row.ranks & bit), 0)

    def _choose(self, number: int) -> None:
        # Select the lowest rank of a line.
        of_line = self._rows[number].ranks if 0 <= number < len(self._rows) else 0
        if not of_line:
            return
        with contextlib.suppress(MpippError, gdb.error):
            _select(next(stack_tree.members(of_line)))
        self._first = min(self._first, number)
        self._first = max(self._first, number - self._window.height + 1)

    def _changed(self, _event: object) -> None:
        self._is_stale = True

    def _refresh(self) -> None:
        if self._window.is_valid():
            self.render()

    def _draw(self) -> None:
        width, height, selected = self._window.width, self._window.height, self._line()
        shown = list(enumerate(self._rows))[self._first : self._first + height]
        self._window.title = _title()
        self._window.erase()
        # gdb would wrap a full line.
        lines = (
            plain(f">{row.text[1:]}" if 0 < selected == number else row.text, "")[: width - 1]
            for number, row in shown
        )
        self._window.write("\n".join(lines))


def _title() -> str:
    with contextlib.suppress(MpippError):
        return f"ranks (focus: {session.required().group.focus_text})"
    return "ranks"


def _select(number: int) -> None:
    # Select the program's frame of a rank, unless all its threads run. gdb shows its line
    # before the next prompt.
    inferior = next((one for one in ranks.inferiors() if ranks.rank(one) == number), None)
    every = inferior.threads() if inferior is not None else ()
    stopped = [thread for thread in every if thread.is_stopped()]
    if stopped:
        min(stopped, key=lambda thread: thread.num).switch()
        frame = own_frame()
        if frame is not None:
            frame.select()


def _selected() -> int | None:
    with contextlib.suppress(MpippError, gdb.error):
        return ranks.rank(gdb.selected_inferior())
    return None


def _rows() -> list[Row]:
    try:
        with abandoned_frames.any_thread(), sessions.at_prompt():
            return status_text.rows()
    except (MpippError, gdb.error) as error:
        return [Row(text, 0) for text in str(error).splitlines()]
