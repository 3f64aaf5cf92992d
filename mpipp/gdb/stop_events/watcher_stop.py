# SPDX-License-Identifier: MIT
"""What is said where a process that gdb has stops, as a report says."""

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
        # It has done what it is for: given to the process it would stop that once more.
        console.output("queue-signal 0")
    except gdb.error:
        return  # gdb has said all that is known
    notices.post(
        "mpipp: this SIGSTOP is the report's: mpipp frame leads to the line, continue goes on.",
        gdb.STDOUT,
    )


def register() -> None:
    """Listen to gdb's stops."""
    gdb.events.stop.connect(_stopped)


def unregister() -> None:
    """Stop listening."""
    gdb.events.stop.disconnect(_stopped)
