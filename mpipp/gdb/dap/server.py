# SPDX-License-Identifier: MIT
"""Answers the client's requests, and reports the events of the job."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional

import gdb

from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain
from mpipp.dap import messages, stop_events
from mpipp.dap.arguments import Arguments
from mpipp.gdb.browser_server import gdb_thread
from mpipp.gdb.dap import client, mpipp_requests
from mpipp.gdb.dap.breakpoints import Breakpoints
from mpipp.gdb.dap.evaluate import Evaluations
from mpipp.gdb.dap.run_control import RunControl
from mpipp.gdb.dap.stack import Frames
from mpipp.gdb.dap.threads import Threads
from mpipp.gdb.dap.variables import Variables
from mpipp.gdb.debug_session.observer import Observer
from mpipp.gdb.debug_session.session import DebugSession
from mpipp.gdb.program import abandoned_frames, sessions
from mpipp.ranks.stops import Stop

Handler = Callable[[Arguments], Optional[dict[str, Any]]]


class Server(Observer):
    """The side of a session that talks to the client."""

    def __init__(self) -> None:
        self._session: DebugSession | None = None
        self._threads: Threads | None = None
        self._handlers: dict[str, Handler] = {}
        self._proceed: Callable[[], None] | None = None  # lets the ranks begin
        self._is_configured = False

    def begin(self, session: DebugSession, is_attached: bool, stops: bool) -> None:
        """Follow a session.

        Args:
            session: a job that gdb debugs.
            is_attached: whether the job was running before gdb attached to it.
            stops: whether the ranks of such a job stay stopped.
        """
        group = session.group
        self._session, self._is_attached, self._stops = session, is_attached, stops
        self._threads = threads = Threads(group)
        self._frames = frames = Frames(threads)
        self._variables = values = Variables(frames)
        self._breakpoints = points = Breakpoints(group)
        evaluations, running = (
            Evaluations(group, threads, frames, values),
            RunControl(session, threads),
        )
        self._handlers = {
            "configurationDone": self._configured,
            "exceptionInfo": threads.exception,
            "threads": lambda _: {"threads": threads.named()},
            "setBreakpoints": points.set_source,
            "setFunctionBreakpoints": points.set_functions,
            "setExceptionBreakpoints": lambda _: {"breakpoints": []},
            "continue": running.proceed,
            "next": functools.partial(running.step, word="next"),
            "stepIn": functools.partial(running.step, word="step"),
            "stepOut": functools.partial(running.step, word="finish"),
            "pause": running.pause,
            "stackTrace": frames.trace,
            "scopes": values.scopes,
            "variables": values.variables,
            "setVariable": values.set,
            "evaluate": evaluations.evaluate,
            "setExpression": evaluations.set_expression,
            "completions": evaluations.complete,
            "restart": self._restart,
            "detach": self._detach,
            "kill": self._kill,
            "mpipp/focus": functools.partial(mpipp_requests.focus, group),
            **mpipp_requests.REQUESTS,
        }

    def request(self, message: Mapping[str, Any]) -> None:
        """Answer a request."""
        request = dict(message)
        command = str(request.get("command", ""))
        arguments = request.get("arguments") or {}
        try:
            handler = self._handlers.get(command)
            if handler is None:
                raise MpippError(f"mpipp does not know the request {command}")
            if not isinstance(arguments, dict):
                raise MpippError("the arguments of a request must be an object")
            with abandoned_frames.any_thread(), sessions.at_prompt():
                body = handler(arguments)
        except Exception as error:  # also exceptions of gdb: each request gets a response
            client.send(messages.failure(request, _sentence(error)))
            self._update(request, {})
            return
        client.send(messages.response(request, body))
        self._update(request, body or {})

    def _update(self, request: Mapping[str, Any], body: Mapping[str, Any]) -> None:
        # Any request may have let ranks run, even a command that the user typed in the console.
        if self._threads is None:
            return
        told: tuple[int, ...] = ()
        if request.get("command") in ("continue", "next", "stepIn", "stepOut"):
            told = (request["arguments"].get("threadId"),)
        begun = self._threads.update(told, bool(body.get("allThreadsContinued")))
        self._frames.forget(begun)
        self._variables.forget(begun)

    def attached(self, proceed: Callable[[], None]) -> None:
        """Tell the client that all ranks wait, so that it sets its breakpoints before
        they begin."""
        self._proceed = proceed
        if self._threads is not None:
            self._threads.update()
        if self._is_configured:  # the job was restarted: the client has already set its breakpoints
            self._begin()
        else:
            client.send_event("initialized")

    def _configured(self, _arguments: Arguments) -> None:
        if self._proceed is None:
            raise MpippError("the ranks have not started yet")
        self._is_configured = True
        gdb_thread.post(self._begin)

    def _begin(self) -> None:
        proceed, self._proceed = self._proceed, None
        if proceed is None or self._session is None or self._threads is None:
            return
        proceed()
        if self._is_attached and self._stops:
            self._threads.note_attached()
        elif self._is_attached:
            self._session.run(self._session.group.alive, "continue", None)
        self._threads.update(told_all=True)

    def stopped(
        self,
        stop: Stop,
        thread: gdb.InferiorThread,
        event: gdb.StopEvent,
        hit: Sequence[gdb.Breakpoint],
    ) -> None:
        """Tell the client that a thread has stopped."""
        if self._threads is None:
            return
        self._threads.note_stop(thread, stop, event, hit)
        for body in self._breakpoints.changes():
            client.send_event("breakpoint", reason="changed", breakpoint=body)

    def exited(self, stop: Stop) -> None:
        """Tell the client that a rank has ended."""
        if self._threads is not None:
            gdb_thread.post(self._refresh)
        client.send_event("mpipp/stops", groups=stop_events.groups([stop]))

    def _refresh(self) -> None:
        if self._threads is not None:
            self._threads.update()

    def ended(self, sentence: str, status: int | None) -> None:
        """Tell the client that the job has ended."""
        if self._threads is not None:
            self._threads.update()
        if status is not None:
            client.send_event("exited", exitCode=status)
        client.send_event("terminated")

    def _restart(self, _arguments: Arguments) -> None:
        if self._session is None or self._is_attached:
            raise MpippError("mpipp has attached to this job and cannot start it again")
        self._session.restart()

    def _detach(self, _arguments: Arguments) -> None:
        if self._session is not None:
            self._session.detach_ranks()

    def _kill(self, _arguments: Arguments) -> None:
        if self._session is not None:
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
