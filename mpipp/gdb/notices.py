# SPDX-License-Identifier: MIT
"""Lines that mpipp writes without a command, at a time when they do not disturb other output."""

from __future__ import annotations

import gdb

from mpipp.common.errors import MpippError
from mpipp.gdb import output

_said: set[tuple[int, int]] = set()  # inferiors, and their process ids
_waiting: list[tuple[int, str]] = []  # streams, and the lines to write to them
_prompts = False  # whether gdb reads commands from a user


def register() -> None:
    """Connect to gdb's prompts: lines are written before a prompt, not amid other output."""
    gdb.events.before_prompt.connect(_before_prompt)


def unregister() -> None:
    """Stop printing notices before gdb's prompt."""
    gdb.events.before_prompt.disconnect(_before_prompt)


def missing(error: MpippError) -> None:
    """Report why mpipp cannot show a process's handles, once for each process."""
    inferior = gdb.selected_inferior()
    if inferior.pid and (inferior.num, inferior.pid) not in _said:
        _said.add((inferior.num, inferior.pid))
        post(f"mpipp: {error}.", gdb.STDERR)


def post(line: str, stream: int) -> None:
    """Write a line before the next prompt. If gdb never prompts, write it at once."""
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
