# SPDX-License-Identifier: MIT
"""`set mpipp summary on`: a line about MPI at every stop of the program."""

from __future__ import annotations

import gdb

from mpipp.common.errors import MpippError
from mpipp.common.text import wording
from mpipp.gdb import notices, settings
from mpipp.gdb.commands.info import process
from mpipp.gdb.printers import buffer_lookup
from mpipp.gdb.program import calling_frame, sessions
from mpipp.gdb.program.sessions import Session
from mpipp.gdb.selected_thread import selected_thread
from mpipp.model import Broken, Header, Object, Request


def register() -> None:
    """Call this module at each stop of the program."""
    gdb.events.stop.connect(_stopped)


def unregister() -> None:
    """Print no more lines about MPI at stops."""
    gdb.events.stop.disconnect(_stopped)


def _stopped(_event: gdb.Event) -> None:
    if settings.summary_shown():
        session = sessions.current()
        if session is not None:
            notices.post(_summary(session), gdb.STDOUT)


def _summary(session: Session) -> str:
    try:
        call = buffer_lookup.active_call(session)
        where = "not in MPI"
        thread = selected_thread()
        if call is not None and thread is not None:
            place = calling_frame.place(call.site, thread.ptid[1], session)
            where = f"in {call.procedure}, called at {place}"
        types = sum(map(_is_made, session.registry.headers("datatype")))
        requests = sum(map(_is_pending, session.registry.objects("request")))
        counts = f"{wording.counted(types, 'type')}, {wording.counted(requests, 'pending request')}"
        return f"mpipp: {process(session.registry.info)}, {where}; {counts}"
    except MpippError as error:
        return f"mpipp: {error}"


def _is_made(found: Header | Broken) -> bool:
    # The number of objects that the program created and has not freed.
    if isinstance(found, Broken):
        return False
    return not (found.predefined or found.null or found.is_ended)


def _is_pending(found: Object | Broken) -> bool:
    return isinstance(found, Request) and found.pending
