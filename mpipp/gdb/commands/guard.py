# SPDX-License-Identifier: MIT
"""`mpipp guard`: guard buffers that --budget leaves out."""

from __future__ import annotations

from collections.abc import Iterable

import gdb

from mpipp.common.errors import MpippError
from mpipp.gdb.commands import print_
from mpipp.gdb.commands.base import Command
from mpipp.gdb.parser import expressions
from mpipp.gdb.program import call_sites, sessions
from mpipp.gdb.program.inferior_memory import core_file
from mpipp.gdb.program.sessions import Session
from mpipp.model import Request

_ALL = "all"
_NOT = {
    "none": "mpipp has guarded no buffer in this process yet: start it with mpipp run "
    "--check=buffers, and stop after a nonblocking call",
    "failed": "buffers cannot be guarded in this process: see docs/reference/guarded-buffers.md",
    "memcheck": "valgrind checks all buffers of this process",
}
# 1 as a 32-bit integer: only x86-64 guards buffers, and it is little-endian.
_ON = (1).to_bytes(4, "little")


class Guard(Command):
    """Guard the buffers of pending operations without the limit of --budget.

    mpipp guard REQUEST   buffers of the call that made this request
    mpipp guard all       buffers of all calls

    For runs with --check=buffers, which guard only some operations if all would take too long
    (--budget). The command affects operations that start later; for a pending operation use
    "mpipp watch". It does not affect existing persistent requests beyond the first 64 of a source
    line.
    """

    name = "mpipp guard"
    completes = gdb.COMPLETE_EXPRESSION

    def lines(self, argument: str) -> Iterable[str]:
        """Yield the lines of output."""
        if argument.startswith("["):  # the user means a variable of this name
            return print_.show(f"guard{argument}")
        if not argument:
            raise MpippError("write mpipp guard REQUEST, or mpipp guard all")
        session = sessions.required()
        if core_file() is not None:
            raise MpippError(
                "mpipp cannot guard buffers in a core file: use it in a running process"
            )
        guard = session.registry.info.guard
        if guard in _NOT:
            raise MpippError(_NOT[guard])
        if argument == _ALL:
            return _switch(session, 0, "")
        found = expressions.numbered("request", argument, session)
        found = found or expressions.target(argument, session).found
        if not isinstance(found, Request):
            raise MpippError(f"{argument} is a handle of kind {found.header.kind}: write a request")
        if found.header.null:
            raise MpippError(f"{argument} is MPI_REQUEST_NULL: it belongs to no operation")
        call = found.call
        if call is None:
            raise MpippError(f"{argument} belongs to an operation without buffers")
        return _switch(session, call.site.address, call.procedure)


def _switch(session: Session, caller: int, procedure: str) -> list[str]:
    # `caller` is the return address of the call to guard; 0 means all calls.
    which = f"{procedure}, called at {call_sites.call(caller)}," if caller else "all calls"
    for switch in session.registry.guard_switches():
        if (switch.caller, switch.procedure) == (caller, procedure):
            session.inferior.write_memory(switch.address, _ON)
            return [f"mpipp now guards the buffers of {which.rstrip(',')}"]
    raise MpippError(
        f"mpipp cannot guard the buffers of {which} see docs/reference/guarded-buffers.md"
    )
