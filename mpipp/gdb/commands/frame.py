# SPDX-License-Identifier: MIT
"""`mpipp frame`: select the frame that called MPI."""

from __future__ import annotations

from collections.abc import Iterable

import gdb

from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain
from mpipp.gdb import console, output
from mpipp.gdb.commands import print_
from mpipp.gdb.commands.base import Command
from mpipp.gdb.printers import buffer_lookup
from mpipp.gdb.program import calling_frame, sessions
from mpipp.gdb.selected_thread import selected_thread


class Frame(Command):
    """Select the frame that called MPI, where the program's variables are.

    mpipp frame [TID]

    TID   the system's ID of a thread (LWP), in any inferior

    Front ends then show the source line of the call. If a library makes the call in one of its
    headers, mpipp selects the frame that called the library. For mpi4py it also prints the line of
    Python. Use it instead of "frame function", which crashes gdb 13 with several inferiors.
    """

    name = "mpipp frame"

    def lines(self, argument: str) -> Iterable[str]:
        """The line of Python, if the caller is a Python program. gdb itself prints the frame."""
        if argument.startswith("["):  # the user means a variable of this name
            return print_.show(f"frame{argument}")
        if argument.isdigit():
            _thread(int(argument)).switch()
        elif argument:
            raise MpippError(
                "mpipp frame takes only the number of a thread: for other frames, write "
                '"frame" or "up"'
            )
        session = sessions.required()
        call, thread = buffer_lookup.active_call(session), selected_thread()
        stopped = _stopped_by_wrapper() if call is None else None
        if stopped is not None:
            show_frame(stopped)
            return ()
        if call is None or thread is None:
            raise MpippError('this thread is in no MPI call: see "mpipp list calls"')
        show_frame(calling_frame.user(call.site))
        python = calling_frame.python_line(thread.ptid[1], session)
        return [f"in Python: {python}"] if python else ()


def show_frame(frame: gdb.Frame) -> None:
    """Select a frame of the selected thread, and show it as gdb does."""
    before = gdb.selected_frame()
    frame.select()
    said = console.output("frame")
    # With annotations on, gdb marks source lines for some front ends by two \x1a characters.
    kept = "\n\t\x1a" if gdb.parameter("annotate") else "\n\t"
    if plain(said, kept) == said:
        before.select()
        # gdb then notifies the front ends.
        console.execute("frame level {}", calling_frame.level(frame))
    else:
        output.write(line.expandtabs() for line in said.rstrip("\n").split("\n"))


def _stopped_by_wrapper() -> gdb.Frame | None:
    # mpipp may stop the program outside a call. If the wrapper stopped in a call of free(), show
    # the caller of free(). At an access to a guarded buffer, show the code that the signal handler
    # of the guard interrupted.
    frame = calling_frame.wrapper()
    while frame is not None and calling_frame.is_wrapper(frame):
        frame = frame.older()
    is_handler = frame is not None and frame.type() == gdb.SIGTRAMP_FRAME
    return frame.older() if frame is not None and is_handler else frame


def _thread(tid: int) -> gdb.InferiorThread:
    every = (thread for inferior in gdb.inferiors() for thread in inferior.threads())
    found = next((thread for thread in every if thread.ptid[1] == tid), None)
    if found is None:
        raise MpippError(f"there is no thread {tid}: info threads lists them")
    return found
