# SPDX-License-Identifier: MIT
"""The message when gdb stops right before an access to a guarded buffer."""

from __future__ import annotations

from collections.abc import Iterator

import gdb

from mpipp.common.errors import MpippError
from mpipp.gdb import console, notices

_ADDRESS = "$_siginfo._sifields._sigfault.si_addr"


def _stopped(event: gdb.StopEvent) -> None:
    if not isinstance(event, gdb.SignalEvent) or event.stop_signal != "SIGSEGV":
        return
    try:
        address = int(console.value(_ADDRESS))
        for line in _about(address):
            notices.post(line, gdb.STDOUT)
    except (MpippError, gdb.error):
        return  # gdb's own message must suffice


def _about(address: int) -> Iterator[str]:
    # The lines about the access in the stopped process.
    from mpipp.gdb.analysis.inferior_processes import CheckedInferiors  # takes some time to load

    checked = CheckedInferiors()
    for element, operation in checked.holding(address):
        if operation.process.registry.info.guard == "there":
            yield (
                f"mpipp: this SIGSEGV is an access to {element}, in the buffer of the "
                f"pending {operation.call.procedure} (called at {checked.place(operation)}). "
                "The access has not happened yet: continue performs it."
            )
            return


def register() -> None:
    """Look for a guarded access at each stop of the program."""
    gdb.events.stop.connect(_stopped)


def unregister() -> None:
    """Look no more for guarded accesses at stops."""
    gdb.events.stop.disconnect(_stopped)
