# SPDX-License-Identifier: MIT
"""`mpipp break`: breakpoints that stop in MPI calls after mpipp has recorded the call."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import gdb

from mpipp.common.errors import MpippError
from mpipp.gdb import console, output
from mpipp.gdb.commands import convenience_functions, print_
from mpipp.gdb.commands.base import Command
from mpipp.gdb.printers import buffer_lookup
from mpipp.gdb.program import call_sites, calling_frame, sessions, symbol_names
from mpipp.model import Call
from mpipp.model.procedures import NAMES, PROCEDURES

_ARGUMENT = re.compile(r"(\w+)(?:\s+if\b\s*(\S.*))?$", re.DOTALL)
_ASKED = re.compile(r'\$mpi_arg\s*\(\s*"(.*?)"\s*\)')
_NEAR = 0.8  # similarity from difflib at which a name is suggested: MPI_Bcsat for MPI_Bcast
_LAST = "MPI_Finalize"
_BY_LOWER_CASE = {name.lower(): name for name in NAMES}


class Break(Command):
    """Stop in calls of an MPI procedure, after mpipp has recorded the call.

    mpipp break MPI_X [if CONDITION]

    The program stops in calls from C, C++, Fortran and mpi4py, not in calls that MPI itself makes.
    mpipp selects the frame of the caller and evaluates CONDITION there. $mpi_arg("dest") is an
    argument of the call: mpipp break MPI_Send if $mpi_arg("dest") == 0 && step > 10

    You can set the breakpoint before MPI is loaded. "info breakpoints" and "delete" work as usual.
    Large-count forms are separate procedures: mpi4py may call MPI_Send_c.
    """

    name = "mpipp break"
    completes = None

    def lines(self, argument: str) -> Iterable[str]:
        """Yield the lines of output."""
        if argument.startswith("["):  # the user means a variable of this name
            return print_.show(f"break{argument}")
        words = _ARGUMENT.match(argument)
        if words is None:
            raise MpippError("write mpipp break MPI_X [if CONDITION]")
        procedure, condition = _procedure(words.group(1)), words.group(2) or ""
        for name in _ASKED.findall(condition):
            arguments = PROCEDURES[procedure].arguments
            if name not in arguments:
                raise convenience_functions.no_argument(procedure, name, arguments)
        CallBreakpoint(procedure, condition)
        return ()

    def complete(self, text: str, word: str | None) -> Sequence[str]:
        """Complete the next word."""
        if word is None or text.split()[1:]:
            return []
        return [name for name in NAMES if name.lower().startswith(word.lower())]


def _procedure(name: str) -> str:
    # Accept the name with or without MPI_, in upper or lower case.
    low = name.lower()
    found = _BY_LOWER_CASE.get(low) or _BY_LOWER_CASE.get(f"mpi_{low}")
    if found:
        return found
    # "mpi_" or a part of it fits all names, so it suggests none.
    known = [name[len("mpi_") :] for name in _BY_LOWER_CASE]
    import difflib  # loading this module takes some time

    near = difflib.get_close_matches(re.sub("^p?mpi_", "", low), known, 1, _NEAR)
    hint = "see docs/reference/procedures.md"
    if near:
        hint = f"did you mean {_BY_LOWER_CASE[f'mpi_{near[0]}']}?"
    raise MpippError(f"{name} is not an MPI procedure that mpipp records: {hint}")


class CallBreakpoint(gdb.Breakpoint):
    """A breakpoint at the calls of one MPI procedure, on its function in the MPI library."""

    def __init__(self, procedure: str, condition: str) -> None:
        self.procedure = procedure
        self.only_if = condition
        super().__init__(function=procedure, qualified=True)
        self.end = _End(self) if procedure == _LAST else None

    def stop(self) -> bool:
        """Return whether to stop at this breakpoint. gdb calls this."""
        try:
            return self._is_call()
        except (MpippError, gdb.error) as error:
            output.write([f"Breakpoint {self.number} at {self.procedure}: {error}"])
            return True

    def _is_call(self) -> bool:
        # The breakpoint also has a location in the wrapper, which has not recorded the call there.
        # MPI itself may also call the function, inside another call or this one.
        session = sessions.reread()
        if self.procedure == _LAST and session.registry.info.end_awaited:
            return False  # for MPI_Finalize, _End stops the program
        call = buffer_lookup.active_call(session)
        if call is None or call.state != "active" or call.procedure != self.procedure:
            return False
        frame = gdb.newest_frame()
        older = frame.older()
        if older is None or symbol_names.library(older.pc()) != symbol_names.library(
            session.address
        ):
            return False
        return self.is_wanted(call)

    def is_wanted(self, call: Call) -> bool:
        """Return whether the condition is true in the frame that made the call."""
        if not self.only_if:
            return True
        frame = gdb.newest_frame()
        caller = calling_frame.user(call.site)
        try:
            caller.select()
            return bool(console.value(self.only_if))
        finally:
            frame.select()


class _End(gdb.Breakpoint):
    """A breakpoint late in MPI_Finalize: after the callbacks that delete attributes of
    MPI_COMM_SELF."""

    def __init__(self, entry: CallBreakpoint) -> None:
        self.entry = entry
        super().__init__(function="mpipp_finalizing", qualified=True, internal=True)

    def stop(self) -> bool:
        """Return whether to stop here, in place of the breakpoint at the call. gdb calls this."""
        if not self.entry.is_valid() or not self.entry.enabled:
            return False
        try:
            call = buffer_lookup.active_call(sessions.reread())
            return call is not None and self.entry.is_wanted(call)
        except (MpippError, gdb.error) as error:
            output.write([f"Breakpoint {self.entry.number} at {_LAST}: {error}"])
            return True


def _stopped(event: gdb.Event) -> None:
    # Select the caller, which has the user's variables, and print its line.
    if not isinstance(event, gdb.BreakpointEvent):
        return
    for breakpoint in event.breakpoints:
        if isinstance(breakpoint, (CallBreakpoint, _End)):
            session = sessions.current()
            call = buffer_lookup.active_call(session) if session is not None else None
            if call is not None:
                caller = calling_frame.user(call.site)
                caller.select()
                output.write([f"{call.procedure}, called at {call_sites.call(caller.pc())}"])
            return


def register() -> None:
    """Call this module at each stop of the program."""
    gdb.events.stop.connect(_stopped)


def unregister() -> None:
    """Disconnect, and delete the breakpoints, because they use code that gdb is about to unload."""
    gdb.events.stop.disconnect(_stopped)
    for breakpoint in gdb.breakpoints():
        if isinstance(breakpoint, CallBreakpoint):
            output.write([f"Breakpoint {breakpoint.number} at {breakpoint.procedure} is deleted."])
            breakpoint.delete()
            if breakpoint.end is not None:
                breakpoint.end.delete()
