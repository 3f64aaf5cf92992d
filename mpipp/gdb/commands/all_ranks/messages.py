# SPDX-License-Identifier: MIT
"""`mpipp messages`: the messages between all ranks so far, and those on their way."""

from __future__ import annotations

from collections.abc import Iterable

from mpipp.common.errors import MpippError
from mpipp.gdb.commands import print_
from mpipp.gdb.commands.base import Command
from mpipp.gdb.parser import operands


class Messages(Command):
    """Count the messages between the ranks so far, and show the messages on their way.

    mpipp messages [--matrix | --json]

    --matrix  show the numbers of messages and bytes as two matrices
    --json    print one JSON object (docs/reference/json.md)

    A message is on its way if it was sent and no receive is posted for it. mpipp counts messages
    of all communicators between the processes in this gdb, without those of partitioned and
    collective communication. The bytes come from the call history.
    """

    name = "mpipp messages"

    def lines(self, argument: str) -> Iterable[str]:
        """Yield the lines of output."""
        if argument.startswith("["):  # the user means a variable of this name
            return print_.show(f"messages{argument}")
        options, rest = operands.options(argument, ("--matrix", "--json"))
        if rest or len(options) > 1:
            raise MpippError("write mpipp messages, with one of --matrix and --json")
        from mpipp.gdb.all_ranks import messages_text  # takes some time to load

        return messages_text.lines(options)
