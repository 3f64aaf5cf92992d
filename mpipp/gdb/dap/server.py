# SPDX-License-Identifier: MIT
"""Answers the client's requests, and reports the events of the job."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gdb

from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain
from mpipp.dap import messages, stop_events
from mpipp.dap.arguments import Arguments
from mpipp.dap.stop_events import ThreadStop
from mpipp.gdb.browser_server import gdb_thread
from mpipp.gdb.dap.breakpoints import Breakpoints
from mpipp.gdb.dap.client import JOB, Client
from mpipp.gdb.dap.rank_sessions import RankSessions
from mpipp.gdb.dap.stops import Stops
from mpipp.gdb.dap.view import Handler, View
from mpipp.gdb.debug_session.observer import Observer
from mpipp.gdb.debug_session.session import DebugSession
from mpipp.gdb.program import abandoned_frames, sessions
from mpipp.ranks.stops import Stop

_RUNS = ("continue", "next", "stepIn", "stepOut")


class Server(Observer):
    """The side that talks to the client, for the session of the job and those of its ranks.

    Args:
        session: a job that gdb debugs.
        is_attached: whether the job was running before gdb attached to it.
        stops: whether the ranks of such a job stay stopped.
        by_rank: whether each rank has a session of its own.
    """

    def __init__(
        self, session: DebugSession, is_attached: bool, stops: bool, by_rank: bool
    ) -> None:
        self._session, self._is_attached, self._stops_at_attach = session, is_attached, stops
        self._proceed: Callable[[], None] | None = None  # lets the ranks begin
        self._is_configured = False
        self._stops = Stops(self._report)
        self._breakpoints = Breakpoints(session.group, by_rank)
        self._ranks = RankSessions(
            session, self._stops, self._breakpoints, by_rank, self._show_in_job
        )
        self._job = View(session, self._stops, self._breakpoints, JOB, self._ranks.is_without)
        self._handlers: dict[str, Handler] = {
            **self._job.handlers,
            "configurationDone": self._configured,
            "restart": self._restart,
            "detach": self._detach,
            "kill": self._kill,
        }

    def request(self, message: Mapping[str, Any]) -> None:
        """Answer a request."""
        request = dict(message)
        rank = request.pop(messages.SESSION, None)
        client = JOB if rank is None else Client(rank)
        try:
            handler = self._handler(request, rank)
            arguments = request.get("arguments") or {}
            if not isinstance(arguments, dict):
                raise MpippError("the arguments of a request must be an object")
            with abandoned_frames.any_thread(), sessions.at_prompt():
                body = handler(arguments)
        except Exception as error:  # also exceptions of gdb: each request gets a response
            client.send(messages.failure(request, _sentence(error)))
            self._update(request, rank, {})
            return
        client.send(messages.response(request, body))
        self._update(request, rank, body or {})

    def _handler(self, request: messages.Message, rank: int | None) -> Handler:
        command = str(request.get("command", ""))
        if rank is None:
            handler = self._handlers.get(command)
        else:
            handler = self._ranks.handler(rank, command)
        if handler is None:
            raise MpippError(f"mpipp does not know the request {command}")
        return handler

    @property
    def _views(self) -> list[View]:
        return [self._job, *self._ranks.views]

    def _update(self, request: messages.Message, rank: int | None, body: Mapping[str, Any]) -> None:
        # Any request may have let ranks run, even a command that the user typed in the console.
        told: tuple[int, ...] = ()
        if request.get("command") in _RUNS and isinstance(request.get("arguments"), dict):
            told = (request["arguments"].get("threadId"),)
        for view in self._views:
            if view.client.rank == rank:
                view.update(told, bool(body.get("allThreadsContinued")))
            else:
                view.update()

    def attached(self, proceed: Callable[[], None]) -> None:
        """Tell the client that all ranks wait, so that it sets its breakpoints before
        they begin."""
        self._proceed = proceed
        for view in self._views:
            view.update()
        if self._is_configured:  # the job was restarted: the client has already set its breakpoints
            self._begin()
        else:
            JOB.send_event("initialized")

    def _configured(self, _arguments: Arguments) -> None:
        if self._proceed is None:
            raise MpippError("the ranks have not started yet")
        self._is_configured = True
        gdb_thread.post(self._begin)

    def _begin(self) -> None:
        proceed, self._proceed = self._proceed, None
        if proceed is None:
            return
        self._ranks.offer()
        proceed()
        if self._is_attached and self._stops_at_attach:
            for view in self._views:
                view.threads.report_stopped()
        elif self._is_attached:
            self._session.run(self._session.group.alive, "continue", None)
        for view in self._views:
            view.update(told_all=True)

    def stopped(
        self,
        stop: Stop,
        thread: gdb.InferiorThread,
        event: gdb.StopEvent,
        hit: Sequence[gdb.Breakpoint],
    ) -> None:
        """Tell the client that a thread has stopped."""
        self._stops.note(thread, stop, event, hit)
        for body, users in self._breakpoints.changes():
            for user in users:
                Client(user).send_event("breakpoint", reason="changed", breakpoint=body)

    def _show_in_job(self, rank: int) -> None:
        self._job.threads.report_stopped([rank])

    def _report(self, stops: Sequence[ThreadStop]) -> None:
        for view in self._views:
            view.threads.report(stops)
        every = (thread for one in gdb.inferiors() for thread in one.threads())
        stopped = {thread.global_num for thread in every if thread.is_stopped()}
        there = [one.stop for one in stops if one.thread in stopped]
        if there:
            JOB.send_event("mpipp/stops", groups=stop_events.groups(there))

    def exited(self, stop: Stop) -> None:
        """Tell the client that a rank has ended."""
        gdb_thread.post(self._refresh)
        gdb_thread.post(lambda: self._ranks.end(stop.rank))
        JOB.send_event("mpipp/stops", groups=stop_events.groups([stop]))

    def _refresh(self) -> None:
        for view in self._views:
            view.update()

    def ended(self, sentence: str, status: int | None) -> None:
        """Tell the client that the job has ended."""
        self._refresh()
        self._ranks.end_all()
        if status is not None:
            JOB.send_event("exited", exitCode=status)
        JOB.send_event("terminated")

    def _restart(self, _arguments: Arguments) -> None:
        if self._is_attached:
            raise MpippError("mpipp has attached to this job and cannot start it again")
        self._session.restart()

    def _detach(self, _arguments: Arguments) -> None:
        self._session.detach_ranks()

    def _kill(self, _arguments: Arguments) -> None:
        self._session.kill_ranks()


def _sentence(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return "there is not enough memory for that"
    if isinstance(error, RecursionError):
        return "this is nested too deeply"
    text = plain(" ".join(str(error).split()), "").rstrip(".")
    if isinstance(error, (MpippError, gdb.error, RuntimeError)):
        return text
    return f"mpipp cannot answer this: {type(error).__name__}: {text}"
