# SPDX-License-Identifier: MIT
"""The message when a process under gdb stops at a finding of a report."""

from __future__ import annotations

import gdb

from mpipp.gdb import console, notices
from mpipp.gdb.program import calling_frame, symbol_names


def _stopped(event: gdb.StopEvent) -> None:
    if not isinstance(event, gdb.SignalEvent) or event.stop_signal != "SIGSTOP":
        return
    try:
        wrapper = calling_frame.wrapper()
        newer = wrapper.newer() if wrapper is not None else None
        if newer is None or "raise" not in symbol_names.function(newer):
            return  # another's
        # The signal has done its work: if delivered, it would stop the process again.
        console.output("queue-signal 0")
    except gdb.error:
        return  # gdb has said all that is known
    notices.post(
        "mpipp: this SIGSTOP is the report's: mpipp frame leads to the line, continue resumes.",
        gdb.STDOUT,
    )


def register() -> None:
    """Listen to gdb's stops."""
    gdb.events.stop.connect(_stopped)


def unregister() -> None:
    """Stop listening."""
    gdb.events.stop.disconnect(_stopped)
