# SPDX-License-Identifier: MIT
"""The breakpoints that the client sets. Each of them applies to all ranks."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from typing import Any

import gdb

from mpipp.common.errors import MpippError
from mpipp.dap import breakpoints as described
from mpipp.dap.arguments import Arguments
from mpipp.gdb import console
from mpipp.gdb.commands.break_ import CallBreakpoint
from mpipp.gdb.dap import client
from mpipp.gdb.debug_session.group import Group
from mpipp.model.procedures import PROCEDURES

_PLACE = re.compile(r"(?m) at (.+):(\d+)(?: inf [\d, ]+)?$")


class CountedBreakpoint(gdb.Breakpoint):
    """A breakpoint that stops only at some hits of each rank, or writes a message instead of
    stopping.

    gdb calls `stop` before it would evaluate a condition that gdb itself stores, so `stop`
    evaluates the condition.
    """

    def __init__(self, wanted: described.Breakpoint, group: Group, **place: Any) -> None:
        self._wanted, self._group = wanted, group
        self._counts: dict[int, int] = {}
        self.has_stopped = False  # whether the rank that reached it last has stopped
        super().__init__(**place)

    def stop(self) -> bool:
        """Return whether the program stops here. gdb calls this function."""
        rank = self._group.rank(gdb.selected_inferior())
        try:
            self.has_stopped = rank is not None and self._stops(rank)
        except (gdb.error, MpippError) as error:
            client.write([f"rank {rank}: breakpoint {self.number}: {error}"])
            self.has_stopped = True
        return self.has_stopped

    def _stops(self, rank: int) -> bool:
        if self._wanted.condition and not console.value(self._wanted.condition):
            return False
        self._counts[rank] = self._counts.get(rank, 0) + 1
        if not described.is_hit(self._wanted.hits, self._counts[rank]):
            return False
        if not self._wanted.log:
            return True
        parts = described.parts(self._wanted.log)
        text = "".join(_logged(part) if is_value else part for part, is_value in parts)
        client.write([f"rank {rank}: {line}" for line in text.splitlines()], "stdout")
        return False


def _logged(expression: str) -> str:
    try:
        return console.decoded(lambda: console.value(expression).format_string())
    except (gdb.error, MpippError) as error:
        return f"<{error}>"


class Breakpoints:
    """The breakpoints that the client has set, by their source file."""

    def __init__(self, group: Group) -> None:
        self._group = group
        self._set: dict[str, dict[described.Breakpoint, gdb.Breakpoint]] = {}
        self._pending: set[int] = set()

    def set_source(self, arguments: Arguments) -> dict[str, Any]:
        """Return the answer to `setBreakpoints`. Raises MpippError."""
        path, wanted = described.source(arguments)
        return self._replace(path, wanted, lambda one: {"source": path, "line": one.line})

    def set_functions(self, arguments: Arguments) -> dict[str, Any]:
        """Return the answer to `setFunctionBreakpoints`. Raises MpippError."""
        wanted = described.functions(arguments)
        return self._replace("", wanted, lambda one: {"function": one.function})

    def changes(self) -> Iterable[dict[str, Any]]:
        """Return the breakpoints that gdb has placed since the last call, for example in a library
        that was loaded."""
        for known in self._set.values():
            for point in known.values():
                if point.number in self._pending and not point.pending:
                    self._pending.discard(point.number)
                    yield _body(point)

    def _replace(
        self,
        key: str,
        wanted: list[described.Breakpoint],
        place: Callable[[described.Breakpoint], dict[str, Any]],
    ) -> dict[str, Any]:
        before, found = self._set.get(key, {}), []
        now: dict[described.Breakpoint, gdb.Breakpoint] = {}
        for one in dict.fromkeys(before):
            if one not in wanted and before[one].is_valid():
                before[one].delete()
        for one in wanted:
            kept = now.get(one) or before.get(one)
            try:
                point = kept if kept is not None and kept.is_valid() else self._made(one, place)
            except (gdb.error, MpippError) as error:
                message = " ".join(str(error).split()).rstrip(".")
                found.append({"verified": False, "message": message})
                continue
            now[one] = point
            if point.pending:
                self._pending.add(point.number)
            found.append(_body(point))
        self._set[key] = now
        return {"breakpoints": found}

    def _made(
        self,
        wanted: described.Breakpoint,
        place: Callable[[described.Breakpoint], dict[str, Any]],
    ) -> gdb.Breakpoint:
        described.is_hit(wanted.hits, 0)
        list(described.parts(wanted.log))
        name = wanted.function
        if name in PROCEDURES and not (wanted.hits or wanted.log):
            return console.quietly(lambda: CallBreakpoint(name, wanted.condition))
        if wanted.hits or wanted.log:
            return console.quietly(lambda: CountedBreakpoint(wanted, self._group, **place(wanted)))
        point = console.quietly(lambda: gdb.Breakpoint(**place(wanted)))
        if wanted.condition:
            try:
                point.condition = wanted.condition
            except gdb.error:
                point.delete()
                raise
        return point


def _body(point: gdb.Breakpoint) -> dict[str, Any]:
    body: dict[str, Any] = {"id": point.number, "verified": not point.pending}
    if point.pending:
        return {**body, "message": "no rank has code there yet"}
    found = _PLACE.search(console.output("info breakpoints {}", point.number))
    if found is not None:
        body["line"] = int(found[2])
        body["source"] = {"name": os.path.basename(found[1])}
    return body
