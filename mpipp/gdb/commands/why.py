# SPDX-License-Identifier: MIT
"""`mpipp why`: why the processes hang, of all inferiors."""

from __future__ import annotations

import re
from collections.abc import Iterable

from mpipp.common.errors import MpippError
from mpipp.gdb.commands import print_
from mpipp.gdb.commands.base import Command
from mpipp.gdb.parser import operands

_FILE = re.compile(r"(?:^|\s)--svg\s+(\S+)")


class Why(Command):
    """Tell why the processes hang: who waits for whom, and what would have to happen.

    mpipp why [--picture | --svg FILE | --json]

    Looks at the MPI calls that all inferiors are inside of, their pending requests, and what each
    has sent and received so far. Processes that can never go on are named with what they lack, and
    with near misses: a message with another tag, on another communicator, to another rank.

    --picture   processes in the same state as a line, and whom they wait for
    --svg FILE  the same, drawn
    --json      one JSON object, for scripts

    The processes only stand still for it, and none is changed.
    """

    name = "mpipp why"

    def lines(self, argument: str) -> Iterable[str]:
        """What to write."""
        if argument.startswith("["):  # a variable of this name
            return print_.show(f"why{argument}")
        file = _FILE.search(argument)
        rest = _FILE.sub("", argument, count=1)
        options, rest = operands.options(rest, ("--picture", "--json", "--svg"))
        if rest or "--svg" in options or len(options) + (file is not None) > 1:
            raise MpippError("write mpipp why, with one of --picture, --svg FILE and --json")
        from mpipp.gdb.analysis import why_text  # takes some time to load

        return why_text.lines(file.group(1) if file else "", options)
