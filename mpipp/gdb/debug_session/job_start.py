# SPDX-License-Identifier: MIT
"""The start of a job: gdb attaches to waiting ranks, and lets them run to their main programs."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

import gdb

from mpipp.common.text import wording
from mpipp.gdb import console
from mpipp.gdb.browser_server import gdb_thread
from mpipp.gdb.debug_session import connections, descriptions
from mpipp.gdb.debug_session.breakpoints import TargetBreakpoint, entry_name
from mpipp.gdb.debug_session.connections import Process
from mpipp.gdb.debug_session.group import Group
from mpipp.gdb.debug_session.link import Timer
from mpipp.ranks import stops
from mpipp.ranks.stops import Stop

_BEFORE = "before its main program, which has no symbol: set a breakpoint, then continue"
_LATE = 10.0  # seconds before mpipp reports ranks that have not started
# Threads of an attached process stop one after another. gdb reports each, below the prompt if it
# is already there.
_MOMENT, _MOMENTS = 0.1, 20  # seconds between looks, and their number


class Actions(NamedTuple):
    """The actions of the session that the start uses.

    Attributes:
        close: holds back the prompt and input.
        write: writes lines.
        finish: writes lines, and lets input through.
        release: lets the waiting ranks begin.
        run: lets ranks run until they stop; stops that have already happened count.
        attached: lets a front end do something first, then calls its argument.
    """

    close: Callable[[], None]
    write: Callable[[Iterable[str]], None]
    finish: Callable[[Iterable[str]], None]
    release: Callable[[], None]
    run: Callable[[list[int], list[Stop]], None]
    attached: Callable[[Callable[[], None]], None]


class JobStart:
    """The start of one job. The start can be repeated."""

    def __init__(self, group: Group, actions: Actions) -> None:
        self._group, self._actions = group, actions
        self._held: dict[int, Process] = {}  # processes that wait before main, by rank
        self._size = 0  # ranks of the job; 0: unknown
        self._attaching: set[int] = set()  # ranks
        self._attached_ranks: frozenset[int] = frozenset()
        self._has_all = False  # all ranks have attached, or the user stopped waiting
        self._is_attached = False
        self._timer: Timer | None = None
        self._entries: list[TargetBreakpoint] = []
        self.stops_at_entry = True  # whether ranks stop at the entry of main

    def begin(self) -> None:
        """Begin to wait for the processes of the job."""
        self._held.clear()
        self._attaching.clear()
        self._has_all = self._is_attached = False
        self._actions.close()
        self._set_timer(Timer(_LATE, self._late))

    def hold(self, rank: int, size: int, process: Process) -> None:
        """Note that a process waits for the debugger; `rank` and `size` are -1 if unknown."""
        rank = rank if rank >= 0 else len(self._held)
        if self._has_all and rank in self._group.alive:
            said = f"process {process.pid} is the second one of rank {rank}, and runs without gdb"
            self._actions.write([said])
            self._actions.release()
            return
        self._held[rank] = process
        self._size = max(size, 1)
        if self._has_all:  # a script may run several programs, one after another
            self._is_attached = False
            self._actions.close()
        if self._has_all or len(self._held) >= self._size:
            self._attach_held()

    def continue_with_started(self) -> None:
        """Continue with the ranks that have started, because the user stopped waiting."""
        if self._held and not self._has_all:
            self._attach_held()
        elif not self._group.alive:
            self._actions.finish([self._missing()])

    def give_up(self) -> None:
        """Note that the job cannot start."""
        self._set_timer(None)

    def attach(self, processes: Mapping[int, tuple[int, str]]) -> None:
        """Attach to processes of ranks."""
        self._has_all = True
        self._set_timer(None)
        self._attaching = set(processes)
        self._attached_ranks = frozenset(processes)
        for rank in sorted(processes):
            try:
                self._attach(rank, Process(*processes[rank]))
            except gdb.error as error:
                self._attaching.discard(rank)
                self._actions.write([f"rank {rank}: {_reason(str(error))}"])
        if not self._attaching.intersection(self._group.alive):
            gdb_thread.post(self._attached)

    def _attach(self, rank: int, process: Process) -> None:
        inferior, old = connections.new_inferior(process.gdbserver), self._group.inferior(rank)
        self._group.add(rank, inferior)
        if old is not None:  # else gdb would insert its breakpoints at old addresses
            console.output("remove-inferiors {}", old.num)
        console.output("attach {}", process.pid)

    def takes(self, rank: int, thread: gdb.InferiorThread) -> bool:
        """Handle the stop of a thread if gdb is attaching to its rank. Returns whether gdb was
        attaching to the rank."""
        if rank not in self._attaching:
            return False
        if thread.ptid[1] != thread.ptid[0]:  # not the main thread
            return True
        self._group.note(rank, thread)
        self._attaching.discard(rank)
        if not self._attaching:
            gdb_thread.post(self._attached)  # later, because gdb still handles the stop
        return True

    def end(self) -> None:
        """The start is complete, or was cancelled."""
        for point in self._entries:
            point.delete()
        self._entries.clear()

    def _set_timer(self, timer: Timer | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = timer

    def _attach_held(self) -> None:
        self.attach(self._held)

    def _attached(self, moments: int = _MOMENTS) -> None:
        if self._is_attached:
            return
        if moments and self._has_running_thread():
            Timer(_MOMENT, functools.partial(self._attached, moments - 1))
            return
        self._is_attached = True
        self._actions.attached(self._proceed)

    def _has_running_thread(self) -> bool:
        found = map(self._group.inferior, self._attached_ranks)
        threads = (thread for one in found if one is not None for thread in one.threads())
        return any(thread.is_running() for thread in threads)

    def _proceed(self) -> None:
        if not self._held:
            self._actions.finish(stops.lines(self._stops()))
            return
        held = sorted(rank for rank in self._held if rank in self._group.alive)
        self._held.clear()
        if not self.stops_at_entry:
            self._actions.release()
            self._actions.run(held, [])
            return
        names = self._entry_names(held)
        self._set_entries(names)
        self._actions.release()
        unnamed = [Stop(rank, "", _BEFORE) for rank in held if not names.get(rank)]
        if len(unnamed) == len(held):
            self._actions.finish(stops.lines(unnamed))
            return
        self._actions.run([rank for rank in held if names.get(rank)], unnamed)

    def _stops(self) -> Iterator[Stop]:
        for rank in self._group.alive:
            if self._group.select(rank):
                yield descriptions.stop(rank, None)

    def _entry_names(self, ranks: Iterable[int]) -> dict[int, str]:
        return {rank: entry_name() for rank in ranks if self._group.select(rank)}

    def _set_entries(self, names: Mapping[int, str]) -> None:
        for name in sorted(set(filter(None, names.values()))):
            ranks = [rank for rank, own in names.items() if own == name]
            self._entries.append(TargetBreakpoint(name, self._group, ranks))

    def _missing(self) -> str:
        there = wording.verb(self._held, "has", "have") if self._held else "no rank has"
        return f"{there} started, of {self._size or 'all'}"

    def _late(self) -> None:
        self._timer = None
        if not self._has_all:
            self._actions.write([f"{self._missing()}; control-C continues without the others"])


def _reason(error: str) -> str:
    reason = ", ".join(error.splitlines())
    if "Operation not permitted" not in reason:
        return reason
    return f"{reason.rstrip('.')}: allow debuggers to attach (docs/howto/containers.md)"
