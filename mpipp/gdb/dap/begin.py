# SPDX-License-Identifier: MIT
"""The first command of a gdb that `mpipp dap` has started."""

from __future__ import annotations

from collections.abc import Mapping

from mpipp.gdb import console
from mpipp.gdb.browser_server import gdb_thread
from mpipp.gdb.commands.debug_session import plain_breakpoints
from mpipp.gdb.dap.client import ConsoleFront
from mpipp.gdb.dap.server import Server
from mpipp.gdb.debug_session import session

# mpipp sends the output of gdb's commands to the client. Nobody can answer a question of gdb.
_SETTINGS = (
    "set confirm off",
    "set width 0",
    "set height 0",
    "set prompt",
    "set style enabled off",
)


def begin(
    path: str,
    stops: bool,
    by_rank: bool,
    processes: Mapping[int, tuple[int, str]] | None = None,
) -> None:
    """Start the job, or attach to the processes of a job that runs already.

    Args:
        path: the socket of `mpipp dap`.
        processes: by rank, the process ID and the command that starts the gdbserver of its node
            ("" for this node).
        stops: whether the ranks of a started job stop at the entry of their main programs, or
            those of a running job stay stopped.
        by_rank: whether each rank has a session of its own.
    """
    for setting in _SETTINGS:
        console.output("{}", setting)
    plain_breakpoints.register()
    found = session.create(ConsoleFront())
    found.start.stops_at_entry = stops
    found.observer = Server(found, processes is not None, stops, by_rank)
    found.connect(path, is_attached=processes is not None)
    if processes is not None:
        gdb_thread.post(lambda: found.start.attach(processes))
