# SPDX-License-Identifier: MIT
"""The message when the watcher stops a process under gdb because of a finding."""

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
            return  # another sender's signal
        # Drop the signal: if gdb delivered it, it would stop the process again.
        console.output("queue-signal 0")
    except gdb.error:
        return  # gdb's own message must suffice
    notices.post(
        "mpipp: this SIGSTOP is for an error that mpipp reports: mpipp frame selects the line, "
        "continue resumes.",
        gdb.STDOUT,
    )


def register() -> None:
    """Call this module at each stop of the program."""
    gdb.events.stop.connect(_stopped)


def unregister() -> None:
    """Do not call this module at stops any more."""
    gdb.events.stop.disconnect(_stopped)
