# SPDX-License-Identifier: MIT
"""gdb's own commands in a gdb that debugs a job: their hooks say how they differ from mpipp's.

gdb runs the user-defined command "hook-X" before its command X, and leaves X out if the hook fails.
"""

from __future__ import annotations

import sys

import gdb

from mpipp.common.text import wording
from mpipp.gdb import console, output
from mpipp.gdb.debug_session import session
from mpipp.gdb.debug_session.session import DebugSession

_RUNNING = ("next", "step", "finish", "continue")  # mpipp has commands of the same names
_STARTING = ("run", "start", "starti")
_QUIT = "quit"
_HOOK = "define hook-{0}\nmpipp-before {0}\nend"
_has_hinted = False


def register() -> None:
    """Define the hooks."""
    _Before("mpipp-before", gdb.COMMAND_OBSCURE)
    for word in (*_RUNNING, *_STARTING, _QUIT):
        console.typed(_HOOK.format(word))


class _Before(gdb.Command):
    """Only for the hooks of mpipp debug."""

    def invoke(self, word: str, _from_tty: bool) -> None:
        """Act before a command of gdb. gdb calls this."""
        found = session.required()
        if word in _RUNNING:
            _before_running(word, found)
        elif word in _STARTING:
            raise gdb.GdbError(
                f"{word} would start one process: mpipp restart starts the whole job again"
            )
        elif found.ends_job and found.group.alive:
            _before_quit(found)


def _before_running(word: str, found: DebugSession) -> None:
    # Say once that a plain command runs one rank only.
    global _has_hinted
    group = found.group
    if _has_hinted or found.is_running_ranks or len(group.alive) < 2:
        return
    _has_hinted = True
    focus = wording.ranks(group.focus) if group.focus else "no rank"
    output.write([f"{word} runs rank {found.selected} only: mpipp {word} runs the focus, {focus}"])


def _before_quit(found: DebugSession) -> None:
    # gdb would ask whether to detach from the ranks, but they end.
    is_terminal = sys.stdin is not None and sys.stdin.isatty()
    if gdb.parameter("confirm") and is_terminal and not _is_tui_active():
        alive = found.group.alive
        output.write([f"quit ends the job: {wording.verb(alive, 'has', 'have')} not ended"])
        gdb.flush()
        if not input("End the job? (y or n) ").strip().lower().startswith("y"):
            raise gdb.GdbError("Not confirmed.")
    elif gdb.parameter("confirm") and is_terminal:
        return  # in this mode gdb itself asks
    found.end_job()


def _is_tui_active() -> bool:
    # In that mode, only gdb itself can ask the user.
    try:
        return "not active" not in console.output("info win")
    except gdb.error:  # this gdb has no terminal interface
        return False
