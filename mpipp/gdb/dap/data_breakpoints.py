# SPDX-License-Identifier: MIT
"""Breakpoints that stop a rank when one of its variables changes, or is read."""

from __future__ import annotations

from typing import Any, NamedTuple

import gdb

from mpipp.common.errors import MpippError
from mpipp.dap.arguments import Arguments, optional, required
from mpipp.gdb import console
from mpipp.gdb.dap.stack import Frames
from mpipp.gdb.dap.threads import Threads
from mpipp.gdb.dap.variables import Variables
from mpipp.gdb.debug_session.breakpoints import MemoryWatchpoint
from mpipp.gdb.debug_session.group import Group
from mpipp.gdb.parser import expressions

# The processor watches at most 8 bytes with one register. gdb compares values of these types.
_TYPES = {1: "char", 2: "short", 4: "int", 8: "long"}
_FLOATS = {4: "float", 8: "double"}
_ACCESS = {"write": gdb.WP_WRITE, "readWrite": gdb.WP_ACCESS}


class _Variable(NamedTuple):
    rank: int
    process: int
    name: str
    expression: str
    value: gdb.Value


class DataBreakpoints:
    """The data breakpoints of one session. Each belongs to one rank."""

    def __init__(self, group: Group, threads: Threads, values: Variables, frames: Frames) -> None:
        self._group, self._threads = group, threads
        self._values, self._frames = values, frames
        self._known: dict[str, _Variable] = {}  # by the identity for the client
        self._set: list[MemoryWatchpoint] = []

    def describe(self, arguments: Arguments) -> dict[str, Any]:
        """Return the answer to `dataBreakpointInfo`. Raises MpippError."""
        name = required(arguments, "name", str)
        if "variablesReference" in arguments:
            value, thread = self._child(arguments)
        else:
            thread = self._frames.select(required(arguments, "frameId", int)).thread
            value = expressions.evaluate(name)
        rank, _ = self._threads.find(thread)
        reason = _reason(value)
        if reason:
            return {"dataId": None, "description": f"{name} cannot be watched: {reason}"}
        inferior = gdb.selected_inferior()
        kind = _c_type(value)
        variable = _Variable(
            rank, inferior.pid, name, f"*({kind} *) {int(value.address):#x}", value
        )
        identity = f"{variable.process}:{variable.expression}:{name}"
        self._known[identity] = variable
        return {
            "dataId": identity,
            "description": f"{name} in rank {rank}",
            "accessTypes": list(_ACCESS),
            "canPersist": False,
        }

    def _child(self, arguments: Arguments) -> tuple[Any, int]:
        node, child = self._values.named(arguments)
        return child.value, node.thread

    def set(self, arguments: Arguments) -> dict[str, Any]:
        """Return the answer to `setDataBreakpoints`. Raises MpippError."""
        wanted = required(arguments, "breakpoints", list)
        for point in self._set:
            if point.is_valid():
                point.delete()
        self._set.clear()
        return {"breakpoints": [self._placed(one) for one in wanted]}

    def _placed(self, wanted: Arguments) -> dict[str, Any]:
        try:
            point = self._made(wanted)
        except (gdb.error, MpippError) as error:
            message = " ".join(str(error).split()).rstrip(".")
            return {"verified": False, "message": message}
        self._set.append(point)
        return {"id": point.number, "verified": True}

    def _made(self, wanted: Arguments) -> MemoryWatchpoint:
        variable = self._known.get(required(wanted, "dataId", str))
        access = _ACCESS.get(optional(wanted, "accessType", "write"))
        if access is None:
            raise MpippError("accessType must be write or readWrite")
        inferior = self._group.inferior(variable.rank) if variable is not None else None
        if variable is None or inferior is None or inferior.pid != variable.process:
            raise MpippError("the process of this variable has ended")
        if not self._group.select(variable.rank):
            raise MpippError(f"rank {variable.rank} runs: pause it first")
        with console.language_c():
            point = console.quietly(
                lambda: MemoryWatchpoint(variable.expression, variable.name, variable.value, access)
            )
        condition = optional(wanted, "condition", "").strip()
        if condition:
            point.condition = condition
        return point


def _reason(value: Any) -> str:
    # The reason why a value cannot be watched; "" if it can.
    if not isinstance(value, gdb.Value) or value.address is None:
        return "it is not in memory"
    if value.type.strip_typedefs().sizeof not in _TYPES:
        return "it has not 1, 2, 4 or 8 bytes: watch a part of it"
    return ""


def _c_type(value: gdb.Value) -> str:
    kind = value.type.strip_typedefs()
    is_float = kind.code == gdb.TYPE_CODE_FLT and kind.sizeof in _FLOATS
    return _FLOATS[kind.sizeof] if is_float else _TYPES[kind.sizeof]
