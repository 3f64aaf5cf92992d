# SPDX-License-Identifier: MIT
"""Inferiors for processes of this node, and of other nodes, each behind one gdbserver."""

from __future__ import annotations

from typing import NamedTuple

import gdb

from mpipp.gdb import console

_DEFAULT_SYSROOT = '"target:"'
_numbers: dict[str, int] = {}  # gdb's numbers of connections, by their commands


class Process(NamedTuple):
    """A process to attach to.

    Attributes:
        gdbserver: the command that starts the gdbserver of its node; "" for this node.
    """

    pid: int
    gdbserver: str = ""


def new_inferior(gdbserver: str) -> gdb.Inferior:
    """A new inferior for a process of a node, which is then selected. Raises gdb.error."""
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
    # Files are read here: nodes have the same ones, and gdb would fetch all of them by the pipe.
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
    if len(gdb.inferiors()) == 1 and not first.pid and not gdb.current_progspace().filename:
        return first
    console.output("add-inferior -no-connection")
    return _newest()


def _newest() -> gdb.Inferior:
    # It is selected.
    inferior = max(gdb.inferiors(), key=lambda inferior: inferior.num)
    console.output("inferior {}", inferior.num)
    return inferior
