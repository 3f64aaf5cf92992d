# SPDX-License-Identifier: MIT
"""`mpipp on`: run one gdb command in several ranks."""

from __future__ import annotations

from collections.abc import Iterable

import gdb

from mpipp.common.errors import MpippError
from mpipp.gdb import console
from mpipp.gdb.commands.base import Command
from mpipp.gdb.commands.debug_session import run_control
from mpipp.gdb.commands.debug_session.focus import chosen
from mpipp.gdb.debug_session import session
from mpipp.gdb.debug_session.session import DebugSession
from mpipp.ranks import merged_output

# Commands of gdb that let threads run, and the names of mpipp's commands for them.
_RUNNING = {
    **dict.fromkeys(("c", "continue", "fg"), "continue"),
    **dict.fromkeys(("n", "next"), "next"),
    **dict.fromkeys(("s", "step"), "step"),
    **dict.fromkeys(("fin", "finish"), "finish"),
}


class On(Command):
    """Run one command in several ranks. Equal output is printed once, with its ranks.

    mpipp on RANKS COMMAND

    RANKS    as in "mpipp focus": all, 0,2-3, stopped, in:FUNCTION, at:FILE:LINE
    COMMAND  any command of gdb: print, backtrace, info locals ...

    continue, next, step and finish let these ranks run, and wait for them.
    """

    name = "mpipp on"

    def lines(self, argument: str) -> Iterable[str]:
        """The output of the command, merged."""
        found = session.required()
        words = argument.split(None, 1)
        if len(words) < 2:
            raise MpippError("write mpipp on RANKS COMMAND, as in: mpipp on 0,2-3 print x")
        ranks = chosen(found.group, words[0])
        first, _, rest = words[1].strip().partition(" ")
        if first in _RUNNING:
            return _run(found, ranks, _RUNNING[first], rest.strip())
        return merged_output.lines(_outputs(found, ranks, words[1].strip()))


def _run(found: DebugSession, ranks: list[int], word: str, argument: str) -> Iterable[str]:
    with found.group.focused(ranks):
        run_control.run(found, word, argument)
    return ()


def _outputs(found: DebugSession, ranks: Iterable[int], command: str) -> dict[int, str]:
    selected = found.group.rank(gdb.selected_inferior())
    outputs = {}
    for rank in ranks:
        if not found.group.select(rank):
            outputs[rank] = "runs: stop it with mpipp interrupt"
            continue
        try:
            outputs[rank] = console.typed(command)
        except gdb.error as error:
            outputs[rank] = str(error)
    found.group.select_one_of(found.group.stopped, selected or 0)
    return outputs
