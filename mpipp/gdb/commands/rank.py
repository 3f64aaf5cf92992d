# SPDX-License-Identifier: MIT
"""`mpipp rank`: select the process of a rank."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import gdb

from mpipp.common.errors import MpippError
from mpipp.gdb import console, job_ranks, output
from mpipp.gdb.commands import print_
from mpipp.gdb.commands.base import Command
from mpipp.gdb.commands.frame import show_frame
from mpipp.gdb.commands.info import process
from mpipp.gdb.printers import buffer_lookup
from mpipp.gdb.program import abandoned_frames, calling_frame, sessions
from mpipp.gdb.program.inferior_memory import selected
from mpipp.gdb.program.ranks import inferiors, rank

_NONE = 'there is no process of rank {} in this gdb: see "mpipp attach"'


class Rank(Command):
    """Select the process of a rank in MPI_COMM_WORLD, and the frame that called MPI in it.

    mpipp rank N

    mpipp selects the first thread of the process that is in an MPI call, or else its first thread.
    In non-stop mode it selects only stopped threads.
    """

    name = "mpipp rank"

    def lines(self, argument: str) -> Iterable[str]:
        """The line about the process. gdb itself prints the frame."""
        # A word or bracket after "rank" belongs to an expression with a variable of this name.
        if argument.startswith("[") or re.match(r"at\b|packed\b", argument):
            return print_.show(f"rank {argument}")
        if not argument.isdigit():
            raise MpippError("write mpipp rank N, with a rank in MPI_COMM_WORLD")
        inferior = _of_rank(int(argument))
        with_call = _select(inferior)
        info = sessions.required().registry.info
        output.write([f"inferior {inferior.num}, {process(info)}"])
        if with_call is not None:
            show_frame(with_call)
        elif (newest := abandoned_frames.newest_frame()) is not None:
            show_frame(newest)
        return ()


def _of_rank(number: int) -> gdb.Inferior:
    every = inferiors()
    if not every:
        sessions.required()  # raises an error with advice
    found = [inferior for inferior in every if rank(inferior) == number]
    if not found:
        raise MpippError("; ".join([_NONE.format(number), *_unknown(every)]))
    if len(found) > 1:
        names = " and ".join(str(inferior.num) for inferior in found)
        raise MpippError(f'inferiors {names} have rank {number}: choose one with "inferior N"')
    return found[0]


def _unknown(every: Iterable[gdb.Inferior]) -> Iterator[str]:
    # Say why ranks are unknown: the threads run, or there is no wrapper.
    for inferior in every:
        with selected(inferior):
            try:
                sessions.required()
            except MpippError as error:
                yield f"{job_ranks.words([inferior.num])}: {error}"


def _select(inferior: gdb.Inferior) -> gdb.Frame | None:
    # gdb's own command notifies the front ends. Then select the frame that called MPI, if any.
    with output.quiet():
        console.output("inferior {}", inferior.num)
    every = sorted(inferior.threads(), key=lambda thread: thread.num)
    stopped = [thread for thread in every if thread.is_stopped()]
    for thread in stopped:
        thread.switch()
        call = buffer_lookup.active_call(sessions.required())
        if call is not None:
            return calling_frame.user(call.site)
    if stopped:
        stopped[0].switch()
    return None
