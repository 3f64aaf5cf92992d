# SPDX-License-Identifier: MIT
"""One session of the client: the requests for the ranks that it shows."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, Optional

from mpipp.dap.arguments import Arguments
from mpipp.gdb.dap import mpipp_requests
from mpipp.gdb.dap.breakpoints import Breakpoints
from mpipp.gdb.dap.client import Client
from mpipp.gdb.dap.data_breakpoints import DataBreakpoints
from mpipp.gdb.dap.evaluate import Evaluations
from mpipp.gdb.dap.run_control import RunControl
from mpipp.gdb.dap.stack import Frames
from mpipp.gdb.dap.stops import Stops
from mpipp.gdb.dap.threads import Threads
from mpipp.gdb.dap.variables import Variables
from mpipp.gdb.debug_session.session import DebugSession

Handler = Callable[[Arguments], Optional[dict[str, Any]]]


class View:
    """The threads, frames and values that a session shows.

    Args:
        client: the session of the job, or of one rank.
        shows: returns whether the session shows a rank.

    Attributes:
        handlers: by the name of the request.
    """

    def __init__(
        self,
        session: DebugSession,
        stops: Stops,
        points: Breakpoints,
        client: Client,
        shows: Callable[[int], bool],
    ) -> None:
        group, rank = session.group, client.rank
        self.client = client
        self.threads = threads = Threads(group, stops, client, shows)
        self._frames = frames = Frames(threads)
        self._variables = values = Variables(frames)
        evaluations = Evaluations(group, threads, frames, values, rank)
        watched = DataBreakpoints(group, threads, values, frames)
        running = RunControl(session, threads, stops, rank)
        self.handlers: dict[str, Handler] = {
            "exceptionInfo": threads.exception,
            "threads": lambda _: {"threads": threads.named()},
            "setBreakpoints": functools.partial(points.set_source, user=rank),
            "setFunctionBreakpoints": functools.partial(points.set_functions, user=rank),
            "dataBreakpointInfo": watched.describe,
            "setDataBreakpoints": watched.set,
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
            "mpipp/focus": functools.partial(mpipp_requests.focus, group),
            **mpipp_requests.REQUESTS,
        }

    def update(self, told: Iterable[int] = (), told_all: bool = False) -> None:
        """Tell the client which threads are new, have begun to run, or have ended, and forget the
        values of threads that run. The arguments are those of `Threads.update`."""
        begun = self.threads.update(told, told_all)
        self._frames.forget(begun)
        self._variables.forget(begun)
