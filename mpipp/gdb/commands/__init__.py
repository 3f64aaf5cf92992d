# SPDX-License-Identifier: MIT
"""The command `mpipp` and its subcommands."""

from __future__ import annotations

from collections.abc import Iterable

import gdb

from mpipp.gdb import console
from mpipp.gdb.commands import (
    attach,
    blocks,
    break_,
    browse,
    check,
    compare,
    frame,
    guard,
    info,
    make,
    match,
    overlap,
    print_,
    py,
    rank,
    watch,
    why,
)
from mpipp.gdb.commands.all_ranks import compare_ranks, messages, status, where
from mpipp.gdb.commands.base import Command
from mpipp.gdb.commands.debug_session import focus, job, on, run_control
from mpipp.gdb.commands.list import command

SUBCOMMANDS: tuple[type[Command], ...] = (
    print_.Print,
    command.List,
    info.Info,
    py.Py,
    frame.Frame,
    rank.Rank,
    attach.Attach,
    break_.Break,
    watch.Watch,
    guard.Guard,
    browse.Browse,
    check.Check,
    why.Why,
    where.Where,
    messages.Messages,
    status.Status,
    compare_ranks.CompareRanks,
    match.Typesig,
    match.Match,
    blocks.Blocks,
    overlap.Overlap,
    compare.Compare,
    make.Make,
    focus.Focus,
    on.On,
    run_control.Continue,
    run_control.Next,
    run_control.Step,
    run_control.Finish,
    run_control.RunTo,
    run_control.Interrupt,
    job.Restart,
    job.Kill,
    job.Detach,
    job.Input,
)


def register() -> None:
    """Register the commands with gdb."""
    print_.Mpipp()
    names = []
    for subcommand in SUBCOMMANDS:
        subcommand()
        names.append(subcommand.name.split()[-1])
    # gdb would take "mpipp t" for any subcommand that begins with t. The user rather means the
    # variable t, so each prefix of a subcommand becomes a command for the variable of that name.
    beginnings = {name[:length] for name in names for length in range(1, len(name))}
    for word in sorted(beginnings.difference(names)):
        _Variable(word)


class _Variable(Command):
    """The variable of this name."""

    completes = gdb.COMPLETE_EXPRESSION

    def __init__(self, word: str) -> None:
        self.name = f"mpipp {word}"
        self._word = word
        self._ready = False
        super().__init__()
        # gdb leaves deprecated commands out of help and completion. gdb warns only at the first use
        # of such a command, and this call is the first use.
        console.execute("maintenance deprecate {}", self.name)
        console.output("{}", self.name)
        self._ready = True

    def lines(self, argument: str) -> Iterable[str]:
        """Yield the lines of output."""
        # gdb removes the blanks between command and argument, so restore one.
        blank = "" if argument.startswith(("[", "(", "%", ".", "->")) else " "
        return print_.show(self._word + blank + argument) if self._ready else ()
