# SPDX-License-Identifier: MIT
"""`mpipp restart`, `kill`, `detach`, `input`: for the job that this gdb debugs."""

from __future__ import annotations

from collections.abc import Iterable

from mpipp.common.errors import MpippError
from mpipp.gdb.commands.base import Command
from mpipp.gdb.debug_session import session


class _JobCommand(Command):
    def lines(self, argument: str) -> Iterable[str]:
        """Perform the command, and yield a sentence about the result."""
        if argument:
            raise MpippError(f"{self.name} takes no argument")
        return self.act()

    def act(self) -> Iterable[str]:
        """Perform the command. Raises MpippError."""
        raise NotImplementedError


class Restart(_JobCommand):
    """End the job, and start it again.

    mpipp restart

    gdb keeps the breakpoints. The ranks stop at the beginning of their main programs.
    """

    name = "mpipp restart"

    def act(self) -> Iterable[str]:
        """End the job and start it again."""
        session.required().restart()
        return ()


class Kill(_JobCommand):
    """End the job.

    mpipp kill

    "mpipp restart" starts it again.
    """

    name = "mpipp kill"

    def act(self) -> Iterable[str]:
        """End the job."""
        session.required().end_job()
        return ["the job has ended"]


class Detach(_JobCommand):
    """Let all ranks run without gdb.

    mpipp detach

    When you leave gdb, "mpipp debug" waits for the job, and passes its output on.
    """

    name = "mpipp detach"

    def act(self) -> Iterable[str]:
        """Detach from all ranks."""
        found = session.required()
        found.required_link().send(detach=True)
        found.detach_ranks()
        return ["all ranks run without gdb"]


class Input(Command):
    """Pass a line to the standard input of the job.

    mpipp input [TEXT]
    mpipp input --end

    --end  end the input: the program then reads end-of-file

    Rank 0 reads it, or the rank that "mpipp debug --stdin" names.
    """

    name = "mpipp input"

    def lines(self, argument: str) -> Iterable[str]:
        """Pass the input, and print nothing."""
        link = session.required().required_link()
        if argument == "--end":
            link.send(end_input=True)
        else:
            link.send(input=argument)
        return ()
