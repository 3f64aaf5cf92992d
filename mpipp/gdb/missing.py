# SPDX-License-Identifier: MIT
"""Says once for each process why its handles are plain numbers: the wrapper is missing."""

from __future__ import annotations

import gdb

from mpipp.errors import MpippError

_said: set[tuple[int, int]] = set()  # inferiors and their processes
_waiting: list[str] = []
_prompts = False  # whether there is a user who is asked for commands


def register() -> None:
    """Listen to gdb's prompts: a line between the parts of a value would be in the way."""
    gdb.events.before_prompt.connect(_before_prompt)


def unregister() -> None:
    """Stop listening."""
    gdb.events.before_prompt.disconnect(_before_prompt)


def tell(error: MpippError) -> None:
    """Have the user told, before the next prompt or, where there is none, at once."""
    inferior = gdb.selected_inferior()
    if inferior.pid == 0 or (inferior.num, inferior.pid) in _said:
        return
    _said.add((inferior.num, inferior.pid))
    _waiting.append(f"mpipp: {error}.\n")
    if not _prompts:
        _write()


def _before_prompt() -> None:
    global _prompts
    _prompts = True
    _write()


def _write() -> None:
    while _waiting:
        gdb.write(_waiting.pop(0), gdb.STDERR)
