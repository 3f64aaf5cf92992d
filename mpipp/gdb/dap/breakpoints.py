# SPDX-License-Identifier: MIT
"""The breakpoints that the client sets: in all ranks, or in the rank of a session."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Optional

import gdb

from mpipp.common.errors import MpippError
from mpipp.dap import breakpoints as described
from mpipp.dap.arguments import Arguments
from mpipp.gdb import console
from mpipp.gdb.commands.break_ import CallBreakpoint
from mpipp.gdb.dap import client
from mpipp.gdb.debug_session.group import Group
from mpipp.model.procedures import PROCEDURES

Users = set[Optional[int]]  # ranks that have sessions; None stands for the session of the job
_Place = Callable[[described.Breakpoint], dict[str, Any]]  # returns arguments of gdb.Breakpoint
_PLACE = re.compile(r"(?m) at (.+):(\d+)(?: inf [\d, ]+)?$")


class ChosenBreakpoint(gdb.Breakpoint):
    """A breakpoint that stops only some ranks, only at some hits of each rank, or that writes a
    message instead of stopping.

    gdb calls `stop` before it would evaluate a condition that gdb itself stores, so `stop`
    evaluates the condition.

    Args:
        users: the sessions that have set the breakpoint.
    """

    def __init__(
        self, wanted: described.Breakpoint, group: Group, users: Users, **place: Any
    ) -> None:
        self._wanted, self._group, self._users = wanted, group, users
        self._counts: dict[int, int] = {}
        self.has_stopped = False  # whether the rank that reached it last has stopped
        super().__init__(**place)

    def stop(self) -> bool:
        """Return whether the program stops here. gdb calls this function."""
        rank = self._group.rank(gdb.selected_inferior())
        try:
            self.has_stopped = rank is not None and self._stops(rank)
        except (gdb.error, MpippError) as error:
            client.JOB.write([f"rank {rank}: breakpoint {self.number}: {error}"])
            self.has_stopped = True
        return self.has_stopped

    def _stops(self, rank: int) -> bool:
        if self._users.isdisjoint((None, rank)):
            return False
        if self._wanted.condition and not console.value(self._wanted.condition):
            return False
        self._counts[rank] = self._counts.get(rank, 0) + 1
        if not described.is_hit(self._wanted.hits, self._counts[rank]):
            return False
        if not self._wanted.log:
            return True
        parts = described.parts(self._wanted.log)
        text = "".join(_logged(part) if is_value else part for part, is_value in parts)
        client.JOB.write([f"rank {rank}: {line}" for line in text.splitlines()], "stdout")
        return False


class ChosenCallBreakpoint(CallBreakpoint):
    """A breakpoint at the calls of one MPI procedure in the ranks whose sessions have set it."""

    def __init__(self, wanted: described.Breakpoint, group: Group, users: Users) -> None:
        self._group, self._users = group, users
        self.has_stopped = False
        super().__init__(wanted.function, wanted.condition)

    def stop(self) -> bool:
        """Return whether the program stops here. gdb calls this function."""
        rank = self._group.rank(gdb.selected_inferior())
        self.has_stopped = not self._users.isdisjoint((None, rank)) and super().stop()
        return self.has_stopped


def _logged(expression: str) -> str:
    try:
        return console.decoded(lambda: console.value(expression).format_string())
    except (gdb.error, MpippError) as error:
        return f"<{error}>"


class _Placed(NamedTuple):
    # A breakpoint that at least one session has set.
    point: gdb.Breakpoint
    users: Users


class Breakpoints:
    """The breakpoints that the client has set.

    The sessions of the job and of its ranks share equal breakpoints: clients set each breakpoint
    in all sessions.

    Args:
        is_shared: whether ranks have sessions of their own.
    """

    def __init__(self, group: Group, is_shared: bool) -> None:
        self._group, self._is_shared = group, is_shared
        # By the source file, or "" for functions.
        self._set: dict[str, dict[described.Breakpoint, _Placed]] = {}
        self._pending: set[int] = set()

    def set_source(self, arguments: Arguments, user: int | None) -> dict[str, Any]:
        """Return the answer to `setBreakpoints`. Raises MpippError.

        Args:
            user: the rank of the session; None for the session of the job.
        """
        path, wanted = described.source(arguments)
        place = functools.partial(_line_in, path)
        return {"breakpoints": list(self._replace(path, wanted, user, place))}

    def set_functions(self, arguments: Arguments, user: int | None) -> dict[str, Any]:
        """Return the answer to `setFunctionBreakpoints`. Raises MpippError."""
        wanted = described.functions(arguments)
        return {"breakpoints": list(self._replace("", wanted, user, _function))}

    def forget(self, user: int) -> None:
        """Delete the breakpoints that only the session of this rank has set."""
        for key in self._set:
            self._remove(key, user, ())

    def changes(self) -> Iterable[tuple[dict[str, Any], Users]]:
        """Return the breakpoints that gdb has placed since the last call, for example in a library
        that was loaded, with their sessions."""
        for known in self._set.values():
            for point, users in known.values():
                if point.number in self._pending and not point.pending:
                    self._pending.discard(point.number)
                    yield _body(point), users

    def _remove(self, key: str, user: int | None, kept: Sequence[described.Breakpoint]) -> None:
        known = self._set.get(key, {})
        for one in [one for one in known if one not in kept]:
            point, users = known[one]
            users.discard(user)
            if not users:
                del known[one]
                if point.is_valid():
                    point.delete()

    def _replace(
        self, key: str, wanted: list[described.Breakpoint], user: int | None, place: _Place
    ) -> Iterator[dict[str, Any]]:
        self._remove(key, user, wanted)
        known = self._set.setdefault(key, {})
        for one in wanted:
            if one in known and not known[one].point.is_valid():  # deleted in the console
                del known[one]
            try:
                placed = known[one] if one in known else self._made(one, place)
            except (gdb.error, MpippError) as error:
                message = " ".join(str(error).split()).rstrip(".")
                yield {"verified": False, "message": message}
                continue
            known[one] = placed
            placed.users.add(user)
            if placed.point.pending:
                self._pending.add(placed.point.number)
            yield _body(placed.point)

    def _made(self, wanted: described.Breakpoint, place: _Place) -> _Placed:
        described.is_hit(wanted.hits, 0)
        list(described.parts(wanted.log))
        users: Users = set()
        return _Placed(console.quietly(lambda: self._point(wanted, users, place)), users)

    def _point(self, wanted: described.Breakpoint, users: Users, place: _Place) -> gdb.Breakpoint:
        is_counted = bool(wanted.hits or wanted.log)
        if wanted.function in PROCEDURES and not is_counted:
            if self._is_shared:
                return ChosenCallBreakpoint(wanted, self._group, users)
            return CallBreakpoint(wanted.function, wanted.condition)
        if is_counted or self._is_shared:
            return ChosenBreakpoint(wanted, self._group, users, **place(wanted))
        point = gdb.Breakpoint(**place(wanted))
        if wanted.condition:
            try:
                point.condition = wanted.condition
            except gdb.error:
                point.delete()
                raise
        return point


def _line_in(path: str, wanted: described.Breakpoint) -> dict[str, Any]:
    return {"source": path, "line": wanted.line}


def _function(wanted: described.Breakpoint) -> dict[str, Any]:
    return {"function": wanted.function}


def _body(point: gdb.Breakpoint) -> dict[str, Any]:
    body: dict[str, Any] = {"id": point.number, "verified": not point.pending}
    if point.pending:
        return {**body, "message": "no rank has code there yet"}
    found = _PLACE.search(console.output("info breakpoints {}", point.number))
    if found is not None:
        body["line"] = int(found[2])
        body["source"] = {"name": os.path.basename(found[1])}
    return body
