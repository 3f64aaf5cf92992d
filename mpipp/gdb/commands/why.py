# SPDX-License-Identifier: MIT
"""`mpipp why`: why the processes hang, of all inferiors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mpipp.checks.hangs import Report, explain
from mpipp.checks.processes import worlds
from mpipp.errors import MpippError
from mpipp.gdb.checked import Checked
from mpipp.gdb.commands.base import Command
from mpipp.gdb.words import operands


class Why(Command):
    """Tell why the processes hang: who waits for whom, and what would have to happen.

    mpipp why

    Looks at the MPI calls that all inferiors are inside of, their pending requests, and what each
    has sent and received so far. Processes that can never go on are named with what they lack, and
    with near misses: a message with another tag, on another communicator, to another rank.

    The processes only stand still for it, and none is changed.
    """

    name = "mpipp why"

    def lines(self, argument: str) -> Iterable[str]:
        """What to write."""
        _, rest = operands.options(argument, ())
        if rest:
            raise MpippError(f'mpipp why takes no argument: "{rest}"')
        return list(_report(Checked()))


def _report(checked: Checked) -> Iterator[str]:
    for world in worlds(checked.processes):
        yield from Report(explain(world), checked).lines()
    yield from checked.failures
