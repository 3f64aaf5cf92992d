# SPDX-License-Identifier: MIT
"""The threads of all ranks that the client knows, and which of them run."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from typing import Any

import gdb

from mpipp.common.errors import MpippError
from mpipp.dap import stop_events
from mpipp.dap.arguments import Arguments, required
from mpipp.dap.stop_events import ThreadStop
from mpipp.gdb.all_ranks import thread_stack
from mpipp.gdb.dap.client import Client
from mpipp.gdb.dap.stops import Stops
from mpipp.gdb.debug_session import descriptions
from mpipp.gdb.debug_session.group import Group
from mpipp.gdb.program import sessions
from mpipp.gdb.program.inferior_memory import selected
from mpipp.gdb.selected_thread import selected_thread


class Threads:
    """The threads that the client sees: the first thread of each rank, and threads that have called
    MPI.

    Other threads belong to the MPI library and are hidden. After a stop of its own, for example at
    a breakpoint, such a thread is shown, too.
    """

    def __init__(
        self, group: Group, stops: Stops, client: Client, shows: Callable[[int], bool]
    ) -> None:
        self._group, self._stops, self._client = group, stops, client
        self._is_shown = shows
        self._seen: dict[int, bool] = {}  # whether each thread that the client knows is running

    def every(self) -> Iterator[tuple[int, gdb.InferiorThread]]:
        """Yield each shown thread with its rank, in the order of the ranks. The first thread of a
        rank comes first."""
        for rank in filter(self._is_shown, self._group.alive):
            inferior = self._group.inferior(rank)
            for thread in self._shown(inferior) if inferior is not None else ():
                yield rank, thread

    def _shown(self, inferior: gdb.Inferior) -> list[gdb.InferiorThread]:
        with selected(inferior), sessions.also_running() as session:
            try:
                shown = [one for one, _ in thread_stack.shown_threads(inferior, session)]
            except MpippError:  # the records in the program's memory are damaged
                shown = [one for one, _ in thread_stack.shown_threads(inferior, None)]
        known = {one.global_num for one in shown}
        extra = [
            one
            for one in inferior.threads()
            if one.global_num in self._stops.last and one.global_num not in known
        ]
        return [*shown, *extra]

    def find(self, number: int) -> tuple[int, gdb.InferiorThread]:
        """Return the rank and the thread for a thread number. Raises MpippError if there is no such
        thread."""
        for rank, thread in self.every():
            if thread.global_num == number:
                return rank, thread
        raise MpippError(f"there is no thread {number}: its rank has ended")

    def stopped(self, number: int) -> tuple[int, gdb.InferiorThread]:
        """Select a thread, and return it with its rank. Raises MpippError if the thread runs."""
        rank, thread = self.find(number)
        if not thread.is_stopped():
            raise MpippError(f"rank {rank} runs: pause it first")
        if thread != selected_thread():
            thread.switch()
        return rank, thread

    def named(self) -> list[dict[str, Any]]:
        """Return the threads for the client, with the state of each in its name."""
        found = []
        for rank, thread in self.every():
            first = self._is_first(rank, thread)
            number = "" if first else f", thread {thread.num}"
            found.append(
                {"id": thread.global_num, "name": f"rank {rank}{number}: {_state(rank, thread)}"}
            )
        return found

    def _is_first(self, rank: int, thread: gdb.InferiorThread) -> bool:
        inferior = self._group.inferior(rank)
        return inferior is None or thread.num == min(one.num for one in inferior.threads())

    @property
    def stopped_ranks(self) -> list[int]:
        """Return the shown ranks that have a stopped thread."""
        return list(filter(self._is_shown, self._group.stopped))

    def exception(self, arguments: Arguments) -> dict[str, Any]:
        """The answer to `exceptionInfo`: the signal of a thread. Raises MpippError."""
        number = required(arguments, "threadId", int)
        rank, _ = self.stopped(number)
        last = self._stops.last.get(number)
        if last is None or not last.stop.cause:
            raise MpippError(f"no signal has stopped rank {rank}")
        description = f"{last.stop.cause}, {last.stop.place}"
        return {
            "exceptionId": last.stop.cause,
            "description": description,
            "breakMode": "unhandled",
        }

    def report_stopped(self, ranks: Container[int] | None = None) -> None:
        """Tell the client which threads had stopped before its session showed their ranks.

        Args:
            ranks: None for all shown ranks.
        """
        every = [(rank, one) for rank, one in self.every() if one.is_stopped()]
        new = [(rank, one) for rank, one in every if ranks is None or rank in ranks]
        self.report([self._stops.known(rank, one.global_num) for rank, one in new])

    def report(self, stops: Iterable[ThreadStop]) -> None:
        """Tell the client which shown threads have stopped."""
        self._announce()
        running = dict(self._running())
        there = [one for one in stops if running.get(one.thread) is False]
        for one in there:
            self._seen[one.thread] = False
        for message in stop_events.events(there, not any(running.values())):
            self._client.send(message)

    def _running(self) -> Iterator[tuple[int, bool]]:
        return ((thread.global_num, not thread.is_stopped()) for _, thread in self.every())

    def update(self, told: Iterable[int] = (), told_all: bool = False) -> set[int]:
        """Tell the client which threads are new, have begun to run, or have ended.

        Args:
            told: threads that the client already knows to run.
            told_all: whether the client assumes that all threads run.

        Returns the threads that have begun to run.
        """
        self._announce()
        running = dict(self._running())
        begun = {number for number, runs in running.items() if runs and not self._seen[number]}
        for number in begun:
            self._seen[number] = True
        news = [] if told_all else sorted(begun.difference(told))
        if len(news) > 1 and all(running.values()):
            self._client.send_event("continued", threadId=news[0], allThreadsContinued=True)
        else:
            for number in news:
                self._client.send_event("continued", threadId=number, allThreadsContinued=False)
        return begun

    def _announce(self) -> None:
        there = {thread.global_num: thread for _, thread in self.every()}
        for number, thread in there.items():
            if number not in self._seen:
                self._seen[number] = not thread.is_stopped()
                self._client.send_event("thread", reason="started", threadId=number)
        for number in [one for one in self._seen if one not in there]:
            del self._seen[number]
            self._client.send_event("thread", reason="exited", threadId=number)


def _state(rank: int, thread: gdb.InferiorThread) -> str:
    if not thread.is_stopped():
        return descriptions.running(thread.inferior)
    if thread != selected_thread():
        thread.switch()
    return descriptions.stop(rank, None).place
