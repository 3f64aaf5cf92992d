# SPDX-License-Identifier: MIT
"""Lines for the user that no command was asked for, where they are in nobody's way."""

from __future__ import annotations

import gdb

from mpipp.common.errors import MpippError
from mpipp.gdb import output

_said: set[tuple[int, int]] = set()  # inferiors and their processes
_waiting: list[tuple[int, str]] = []  # lines, with the streams they go to
_prompts = False  # whether there is a user who is asked for commands


def register() -> None:
    """Listen to gdb's prompts: a line amid what gdb writes would be in the way."""
    gdb.events.before_prompt.connect(_before_prompt)


def unregister() -> None:
    """Stop listening."""
    gdb.events.before_prompt.disconnect(_before_prompt)


def missing(error: MpippError) -> None:
    """Tell once for each process why its handles are shown as gdb shows them."""
    inferior = gdb.selected_inferior()
    if inferior.pid and (inferior.num, inferior.pid) not in _said:
        _said.add((inferior.num, inferior.pid))
        post(f"mpipp: {error}.", gdb.STDERR)


def post(line: str, stream: int) -> None:
    """Write a line before the next prompt or, if there are none, at once."""
    _waiting.append((stream, line))
    if not _prompts:
        write()


def _before_prompt() -> None:
    global _prompts
    _prompts = True
    write()


def write() -> None:
    """Write the waiting lines now."""
    while _waiting:
        output.write_to(*_waiting.pop(0))
