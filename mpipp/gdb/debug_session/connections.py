# SPDX-License-Identifier: MIT
"""Inferiors for processes on this node and on others. gdb reaches each other node through one
gdbserver."""

from __future__ import annotations

from typing import NamedTuple

import gdb

from mpipp.gdb import console
from mpipp.gdb.program import symbol_names

_DEFAULT_SYSROOT = '"target:"'
# gdb's numbers of the connections, by the commands that start the gdbservers.
_numbers: dict[str, int] = {}


class Process(NamedTuple):
    """A process that gdb attaches to.

    Attributes:
        gdbserver: the command that starts the gdbserver of the process's node; "" for this node.
    """

    pid: int
    gdbserver: str = ""


def new_inferior(gdbserver: str) -> gdb.Inferior:
    """Create and select an inferior for a process, on the node of `gdbserver`. Raises gdb.error."""
    if not gdbserver:
        return _local()
    number = _numbers.get(gdbserver)
    holders = [one for one in gdb.inferiors() if one.connection_num == number]
    if number is not None and holders:
        console.output("inferior {}", holders[0].num)
        console.output("add-inferior")
        return _newest()
    console.output("add-inferior -no-connection")
    inferior = _newest()
    # All nodes have the same files: gdb reads them here instead of fetching them through the pipe.
    if _DEFAULT_SYSROOT in console.output("show sysroot"):
        console.output("set sysroot /")
    console.output("target extended-remote | {}", gdbserver)
    _numbers[gdbserver] = inferior.connection_num
    return inferior


def is_remote(inferior: gdb.Inferior) -> bool:
    """Return whether a process runs on another node."""
    number = getattr(inferior, "connection_num", None)
    return number is not None and number in _numbers.values()


def _local() -> gdb.Inferior:
    first = gdb.selected_inferior()
    if len(gdb.inferiors()) == 1 and not first.pid and not symbol_names.program():
        return first
    console.output("add-inferior -no-connection")
    return _newest()


def _newest() -> gdb.Inferior:
    # Return the inferior that was added last, and select it.
    inferior = max(gdb.inferiors(), key=lambda inferior: inferior.num)
    console.output("inferior {}", inferior.num)
    return inferior
