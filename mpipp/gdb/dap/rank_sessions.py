# SPDX-License-Identifier: MIT
"""Sessions of single ranks, which the client starts on request."""

from __future__ import annotations

import functools
from collections.abc import Callable

from mpipp.common.errors import MpippError
from mpipp.dap import messages
from mpipp.dap.arguments import Arguments
from mpipp.gdb.browser_server import gdb_thread
from mpipp.gdb.dap.breakpoints import Breakpoints
from mpipp.gdb.dap.client import JOB, Client
from mpipp.gdb.dap.stops import Stops
from mpipp.gdb.dap.view import Handler, View
from mpipp.gdb.debug_session.session import DebugSession

_View = Callable[[Client, Callable[[int], bool]], View]


class RankSessions:
    """The sessions of single ranks. The session of the job shows the ranks without one.

    Args:
        is_wanted: whether the client starts a session for each rank.
        returned: is called with a rank that the session of the job shows from now on.
    """

    def __init__(
        self,
        session: DebugSession,
        stops: Stops,
        points: Breakpoints,
        is_wanted: bool,
        returned: Callable[[int], None],
    ) -> None:
        self._session, self._stops, self._points = session, stops, points
        self._new_view: _View = functools.partial(View, session, stops, points)
        self._is_wanted, self._returned = is_wanted, returned
        self._views: dict[int, View] = {}
        self._configured: set[int] = set()  # ranks whose sessions show their state
        self._left: set[int] = set()  # ranks whose sessions the client has ended or not started

    @property
    def views(self) -> list[View]:
        """Return the sessions that show the state of their rank."""
        return [view for rank, view in self._views.items() if rank in self._configured]

    def is_without(self, rank: int) -> bool:
        """Return whether a rank has no session, and the client will not start one."""
        return not self._is_wanted or rank in self._left

    def offer(self) -> None:
        """Request a session for each rank that has none."""
        for rank in self._session.group.alive if self._is_wanted else ():
            if rank not in self._views:
                self._left.discard(rank)
                JOB.send(messages.session_request(rank))

    def handler(self, rank: int, command: str) -> Handler | None:
        """Return the function that answers a request of a rank's session; None for an unknown
        request. Raises MpippError."""
        if command == "attach":
            return functools.partial(self._attach, rank)
        if command == messages.LEAVE:
            return functools.partial(self._leave, rank)
        view = self._views.get(rank)
        if view is None:
            raise MpippError(f"rank {rank} has ended")
        if command == "configurationDone":
            return functools.partial(self._configure, rank)
        return view.handlers.get(command)

    def _attach(self, rank: int, _arguments: Arguments) -> None:
        if rank not in self._session.group.alive:
            raise MpippError(f"rank {rank} has ended, or the job has no such rank")
        self._left.discard(rank)
        self._views[rank] = self._new_view(Client(rank), lambda one: one == rank)
        Client(rank).send_event("initialized")

    def _configure(self, rank: int, _arguments: Arguments) -> None:
        gdb_thread.post(functools.partial(self._show, rank))

    def _show(self, rank: int) -> None:
        view = self._views.get(rank)
        if view is not None:
            self._stops.report_all()  # to the other sessions: this one reports the rank's last stop
            self._configured.add(rank)
            view.update(told_all=True)
            view.threads.report_stopped()

    def _leave(self, rank: int, _arguments: Arguments) -> None:
        self._forget(rank)
        self._left.add(rank)
        gdb_thread.post(functools.partial(self._returned, rank))

    def _forget(self, rank: int) -> None:
        self._views.pop(rank, None)
        self._configured.discard(rank)
        self._points.forget(rank)

    def end(self, rank: int) -> None:
        """End the session of a rank that has ended."""
        if rank in self._views:
            self._forget(rank)
            Client(rank).send_event("terminated")

    def end_all(self) -> None:
        """End all sessions of ranks."""
        for rank in list(self._views):
            self.end(rank)
