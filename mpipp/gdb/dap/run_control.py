# SPDX-License-Identifier: MIT
"""Requests that let one thread, or the ranks in the focus, run or stop."""

from __future__ import annotations

from typing import Any

import gdb

from mpipp.common.errors import MpippError
from mpipp.dap import stop_events
from mpipp.dap.arguments import Arguments, optional, required
from mpipp.gdb import console
from mpipp.gdb.dap.stops import Stops
from mpipp.gdb.dap.threads import Threads
from mpipp.gdb.debug_session.session import DebugSession
from mpipp.gdb.selected_thread import selected_thread

_ALL = "allThreadsContinued"


class RunControl:
    """Requests that let ranks run or stop.

    A request for a rank in the focus applies to all ranks in the focus, unless it has
    `singleThread`. A request for another rank applies to this rank only.

    Args:
        own_rank: the only rank of the session; None for the session of the job.
    """

    def __init__(
        self, session: DebugSession, threads: Threads, stops: Stops, own_rank: int | None
    ) -> None:
        self._session, self._threads, self._stops = session, threads, stops
        self._own_rank = own_rank

    def proceed(self, arguments: Arguments) -> dict[str, Any]:
        """Let ranks continue; returns the answer to `continue`. Raises MpippError."""
        rank, _thread = self._threads.stopped(required(arguments, "threadId", int))
        if optional(arguments, "singleThread", False):
            console.output("continue &")
            return {_ALL: False}
        ranks = self._meant(rank)
        self._session.run(ranks, "continue", None)
        return {_ALL: all(not one.is_stopped() for _, one in self._threads.every())}

    def step(self, arguments: Arguments, word: str) -> None:
        """Let ranks make the step of `next`, `stepIn` or `stepOut`, with a gdb command. Raises
        MpippError."""
        number = required(arguments, "threadId", int)
        rank, _thread = self._threads.stopped(number)
        unit = {"next": "nexti", "step": "stepi"}.get(word, word)
        word = unit if arguments.get("granularity") == "instruction" else word
        if optional(arguments, "singleThread", False):
            self._stops.expect(number, stop_events.STEP)
            self._expect_caller(rank, word)
            console.output("{} &", word)
            return
        ranks = [one for one in self._meant(rank) if one in self._session.group.stopped]
        for one in ranks:
            self._session.group.select(one)
            self._expect_caller(one, word)
            stopped = selected_thread()
            if stopped is not None:
                self._stops.expect(stopped.global_num, stop_events.STEP)
        self._session.run(ranks, word, ranks)

    def _expect_caller(self, rank: int, word: str) -> None:
        if word == "finish" and gdb.selected_frame().older() is None:
            raise MpippError(f"rank {rank} is in its outermost function: it cannot step out")

    def pause(self, arguments: Arguments) -> None:
        """Stop the running ranks that `pause` asks for. Raises MpippError."""
        number = required(arguments, "threadId", int)
        rank, _ = self._threads.find(number)
        stopped = self._session.group.stopped
        meant = [rank] if optional(arguments, "singleThread", False) else self._meant(rank)
        ranks = [one for one in meant if one not in stopped]
        if not ranks:
            raise MpippError("these ranks have stopped already")
        for one, running in self._threads.every():
            if one in ranks:
                self._stops.expect(running.global_num, stop_events.PAUSE)
        for one in ranks:
            self._session.interrupt_rank(one)

    def _meant(self, rank: int) -> list[int]:
        focus = self._session.group.focus
        return focus if rank in focus and self._own_rank is None else [rank]
