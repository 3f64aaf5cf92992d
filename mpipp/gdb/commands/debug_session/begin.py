# SPDX-License-Identifier: MIT
"""The first command of a gdb that `mpipp debug` started."""

from __future__ import annotations

from collections.abc import Mapping

from mpipp.gdb.browser_server import gdb_thread
from mpipp.gdb.commands.debug_session import plain_breakpoints, plain_commands
from mpipp.gdb.debug_session import session


def begin(path: str) -> None:
    """Connect to the socket of `mpipp debug`, and start the job."""
    plain_breakpoints.register()
    session.create().connect(path)
    plain_commands.register()


def attach(processes: Mapping[int, tuple[int, str]]) -> None:
    """Attach to the ranks of a running job: each a process, and the gdbserver of its node."""
    plain_breakpoints.register()
    start = session.create().start
    plain_commands.register()
    start.begin()
    gdb_thread.post(lambda: start.attach(processes))
