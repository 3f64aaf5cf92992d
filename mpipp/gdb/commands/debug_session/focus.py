# SPDX-License-Identifier: MIT
"""`mpipp focus`: the ranks that run control applies to."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator

import gdb

from mpipp.common.errors import MpippError
from mpipp.common.text import wording
from mpipp.gdb import console
from mpipp.gdb.commands.base import Command
from mpipp.gdb.debug_session import session
from mpipp.gdb.debug_session.group import Group
from mpipp.gdb.printers import buffer_lookup
from mpipp.gdb.program import sessions, symbol_names
from mpipp.ranks import rank_set

_FORMS = "write all, stopped, a set such as 0,2-3, in:FUNCTION, at:FILE:LINE or where:EXPRESSION"
_MOST = 1000  # frames


class Focus(Command):
    """Choose the ranks that mpipp continue, next and similar commands act on.

    mpipp focus [all | SET | stopped | in:FUNCTION | at:FILE:LINE | where:EXPR]

    all           all ranks, also ranks that start later
    SET           numbers and ranges of numbers: 0,2-3
    stopped       the ranks that have stopped
    in:FUNCTION   the stopped ranks that are in this MPI call, or in this function
    at:FILE:LINE  the stopped ranks that are at this line, also if it has called another function
    where:EXPR    the stopped ranks in which this expression is true

    mpipp evaluates the argument once: the focus is then a set of ranks, which the prompt shows.
    Without an argument the command prints the focus. It needs a gdb that "mpipp debug" has started.
    """

    name = "mpipp focus"

    def lines(self, argument: str) -> Iterable[str]:
        """The ranks in the focus, and which of them run."""
        group = session.required().group
        if argument:
            group.set_focus(None if argument == rank_set.ALL else chosen(group, argument))
        group.select_one_of(group.focus, group.rank(gdb.selected_inferior()) or 0)
        return _described(group)


def _described(group: Group) -> Iterator[str]:
    stopped = set(group.stopped)
    running = [rank for rank in group.focus if rank not in stopped]
    focus = wording.ranks(group.focus) if group.focus else "no rank"
    yield f"focus: {focus}" + (f" ({wording.verb(running, 'runs', 'run')})" if running else "")


def chosen(group: Group, argument: str) -> list[int]:
    """The ranks that match the user's words. Raises MpippError, also if no rank matches."""
    kind, colon, text = argument.partition(":")
    if not colon and argument.isalpha() and argument not in ("stopped", rank_set.ALL):
        raise MpippError(f"{argument} does not choose ranks: {_FORMS}")
    if not colon:
        found = group.stopped if argument == "stopped" else rank_set.parse(argument, group.alive)
        if not found:
            raise MpippError("all ranks run: stop them with mpipp interrupt")
        return found
    tests: dict[str, Callable[[str], bool]] = {"in": _is_in, "at": _is_at, "where": _is_true}
    if kind not in tests or not text.strip():
        raise MpippError(f"{argument} does not choose ranks: {_FORMS}")
    return _matching(group, argument, lambda: tests[kind](text.strip()))


def _matching(group: Group, argument: str, test: Callable[[], bool]) -> list[int]:
    selected = group.rank(gdb.selected_inferior())
    found, problems = [], {}
    stopped = group.stopped
    for rank in stopped:
        group.select(rank)
        try:
            if test():
                found.append(rank)
        except (gdb.error, MpippError) as error:
            problems[rank] = str(error)
    group.select_one_of(stopped, selected or 0)
    if not found and problems:
        raise MpippError(f"{wording.ranks(problems)}: {next(iter(problems.values()))}")
    if not found:
        running = [rank for rank in group.alive if rank not in stopped]
        note = f" ({wording.verb(running, 'runs', 'run')})" if running else ""
        raise MpippError(f"no stopped rank fits {argument}: the focus is unchanged{note}")
    return found


def _is_in(name: str) -> bool:
    known = sessions.current()
    call = buffer_lookup.active_call(known) if known is not None else None
    if call is not None and call.procedure.lower() == name.lower():
        return True
    return any(symbol_names.function(frame) == name for frame in _frames())


def _is_at(text: str) -> bool:
    found = re.fullmatch(r"(.+):(\d{1,9})", text)
    if found is None:
        raise MpippError(f"{text} is not a line: write FILE:LINE")
    for frame in _frames():
        line = frame.find_sal()
        if line.symtab is not None and line.line == int(found[2]):
            path = symbol_names.file(line.symtab)
            if path == found[1] or os.path.basename(path) == found[1]:
                return True
    return False


def _is_true(expression: str) -> bool:
    return bool(console.value(expression))


def _frames() -> Iterator[gdb.Frame]:
    frame: gdb.Frame | None = gdb.newest_frame()
    for _ in range(_MOST):
        if frame is None:
            return
        yield frame
        frame = frame.older()
