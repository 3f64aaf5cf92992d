# SPDX-License-Identifier: MIT
"""`mpipp why`: the reason why processes hang, from all inferiors."""

from __future__ import annotations

from collections.abc import Iterable

from mpipp.gdb.commands import print_
from mpipp.gdb.commands.base import Command
from mpipp.gdb.parser import operands


class Why(Command):
    """Explain a hang: the ranks that wait for each other, and the missing calls.

    mpipp why [--picture | --svg FILE | --json]

    --picture   print the wait-for graph, one line for each group of ranks in the same state
    --svg FILE  write the wait-for graph as SVG
    --json      print one JSON object (docs/reference/json.md)

    mpipp compares active MPI calls, pending requests, and the messages so far, in all inferiors.
    For processes that can never continue it names the missing call. It also names near misses: a
    message with another tag, on another communicator, or to another rank.

    The processes stay stopped meanwhile, and mpipp changes nothing in them.
    """

    name = "mpipp why"

    def lines(self, argument: str) -> Iterable[str]:
        """Yield the lines of output."""
        if argument.startswith("["):  # the user means a variable of this name
            return print_.show(f"why{argument}")
        usage = "mpipp why, with one of --picture, --svg FILE and --json"
        file, options = operands.file_and_options(argument, ("--picture", "--json"), usage)
        from mpipp.gdb.analysis import why_text  # takes some time to load

        return why_text.lines(file, options)
