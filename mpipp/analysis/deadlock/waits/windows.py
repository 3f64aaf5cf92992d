# SPDX-License-Identifier: MIT
"""The conditions of calls that synchronize windows (MPI-4.1, section 12.5).

Most of these calls may return at once, and a later call waits instead. Only a fence that ends an
epoch and MPI_Win_wait must wait for others. MPI_Win_free must wait, too (section 12.2.5), unless
the program has passed the info key no_locks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.context.world import Member, World
from mpipp.analysis.deadlock.waits.conditions import AllOf, Condition, Event, NoWait, Unknown
from mpipp.model import Call, Comm, Group, Win

_OTHERS = Unknown("the processes involved are unknown")
_MAY_WAIT = ("MPI_Win_unlock", "MPI_Win_flush")


class _Holder(NamedTuple):
    # A process that has the window, and its record of the window.
    rank: int
    process: Process
    win: Win


class Windows:
    """The conditions of one-sided communication in one MPI_COMM_WORLD."""

    def __init__(self, known: World) -> None:
        self._known = known
        self._windows: dict[Process, dict[int, Win]] = {}

    def call(self, operation: Operation) -> Condition:
        """Return the condition of a call."""
        process, call = operation.process, operation.call
        handle = window_of(call)
        win = process.registry.find("win", handle) if handle is not None else None
        member = self._member(process, win) if isinstance(win, Win) else None
        if member is None or not isinstance(win, Win):
            return Unknown("the window is not recorded in all of its processes")
        procedure = call.procedure
        if procedure == "MPI_Win_fence":
            return self._fence(operation, member, win)
        # If MPI has already completed the call, the epochs have changed.
        if procedure in ("MPI_Win_start", "MPI_Win_complete"):
            opened = "start" in win.epochs
            over = opened if procedure == "MPI_Win_start" else not opened
            return NoWait() if over else self._access(operation, member, win)
        if procedure in ("MPI_Win_wait", "MPI_Win_test"):
            return self._exposure(operation, member, win) if "post" in win.epochs else NoWait()
        if procedure in ("MPI_Win_lock", "MPI_Win_lock_all"):
            return self._lock(operation, member, win)
        if procedure == "MPI_Win_free":
            return self._free(operation, member, win)
        if call.facts.over or call.facts.buffers or procedure.startswith(_MAY_WAIT):
            return Unknown(f"the processes that {procedure} waits for are not recorded")
        return NoWait()

    def _member(self, process: Process, win: Win) -> Member | None:
        comm = process.registry.find("comm", win.comm)
        if not win.identity or not isinstance(comm, Comm) or comm.identity != win.comm_identity:
            return None
        return Member(process, comm)

    def _fence(self, operation: Operation, member: Member, win: Win) -> Condition:
        late: set[int] = set()
        found: list[Event] = []
        # A fence that ends no epoch need not wait.
        lenient = "fence" not in win.epochs
        for rank in member.comm.world_ranks or ():
            there = self._window_in(rank, win)
            if there is None:
                return _OTHERS
            if isinstance(there, _Holder) and there.win.fences >= win.fences:
                continue
            other = _meets(there, "MPI_Win_free", win.fences - 1)
            if other is not None:
                ranks = frozenset({rank})
                found.append(Event("fence", ranks, operation, member, False, lenient, other))
            else:
                late.add(rank)
        if late:
            found.append(Event("fence", frozenset(late), operation, member, lenient=lenient))
        return AllOf(tuple(found)) if found else NoWait()

    def _free(self, operation: Operation, member: Member, win: Win) -> Condition:
        late: set[int] = set()
        unlike: set[int] = set()
        found: list[Event] = []
        for rank in member.comm.world_ranks or ():
            there = self._window_in(rank, win)
            if there is None:
                return _OTHERS
            if isinstance(there, _Holder) and there.win.header.is_ended:
                # The window may have been freed while this process was in a fence.
                if there.win.fences < win.fences:
                    unlike.add(rank)
            elif (other := _meets(there, "MPI_Win_fence", win.fences + 1)) is not None:
                ranks = frozenset({rank})
                found.append(Event("free", ranks, operation, member, False, True, other))
            elif not isinstance(there, _Holder) or not _inside(there, "MPI_Win_free"):
                late.add(rank)
        # The call need not wait if the window has the info key no_locks, which is not recorded.
        found += [
            Event(kind, frozenset(ranks), operation, member, lenient=True)
            for kind, ranks in (("free", late), ("fences", unlike))
            if ranks
        ]
        return AllOf(tuple(found)) if found else NoWait()

    def _access(self, operation: Operation, member: Member, win: Win) -> Condition:
        targets = _members(member.process, win.access_group, win.access_serial)
        own = member.process.registry.info.world_rank
        if targets is None:
            return _OTHERS
        closed: set[int] = set()
        for rank in targets:
            there = self._window_in(rank, win)
            if there is None:
                return _OTHERS
            if isinstance(there, _Holder):
                found = there.win
                admitted = _members(there.process, found.exposure_group, found.exposure_serial)
                if "post" in found.epochs and (admitted is None or own in admitted):
                    continue
            closed.add(rank)
        if not closed:
            return NoWait()
        return Event("post", frozenset(closed), operation, member, lenient=True)

    def _exposure(self, operation: Operation, member: Member, win: Win) -> Condition:
        origins = _members(member.process, win.exposure_group, win.exposure_serial)
        if origins is None:
            return _OTHERS
        lacking: set[int] = set()
        for rank in origins:
            there = self._window_in(rank, win)
            if there is None:
                return _OTHERS
            if isinstance(there, _Holder):
                if _inside(there, "MPI_Win_complete"):
                    continue
                # An open epoch may be the next one: then MPI_Win_wait is about to return.
                if there.win.completes:
                    return Unknown("mpipp does not know which of its epochs are complete")
            lacking.add(rank)
        if not lacking:
            return NoWait()
        return Event("complete", frozenset(lacking), operation, member)

    def _lock(self, operation: Operation, member: Member, win: Win) -> Condition:
        target, holding = operation.call.target_rank, set[int]()  # None: all processes are targets
        own = member.process.registry.info.world_rank
        if "lock_all" in win.epochs or any(locked == target for locked, _ in win.locks):
            return NoWait()
        for rank in member.comm.world_ranks or ():
            there = self._window_in(rank, win)
            if not isinstance(there, _Holder) or rank == own:
                continue
            for locked, exclusive in there.win.locks:
                if target in (locked, None) and (exclusive or (win.locking and target == locked)):
                    holding.add(rank)
            if "lock_all" in there.win.epochs and win.locking and target is not None:
                holding.add(rank)
        if not holding:
            return NoWait()
        found = (Event("unlock", frozenset({r}), operation, member, lenient=True) for r in holding)
        return AllOf(tuple(found))

    def _window_in(self, rank: int, win: Win) -> _Holder | str | None:
        # The window in another process; "" if the process is absent; None if unknown.
        process = self._known.process(rank)
        if process is None:
            return ""
        found = self._of(process).get(win.identity)
        return None if found is None else _Holder(rank, process, found)

    def _of(self, process: Process) -> dict[int, Win]:
        if process not in self._windows:
            found = process.registry.objects("win", ended=True)
            self._windows[process] = {w.identity: w for w in found if isinstance(w, Win)}
        return self._windows[process]


def window_of(call: Call) -> int | None:
    """Return the handle of the window that is passed to a call.

    MPI_Win_free gets the address of the handle.
    """
    freed = call.arguments.get("win") if call.procedure == "MPI_Win_free" else None
    return freed if isinstance(freed, int) else call.win


def _members(process: Process, handle: int | None, serial: int) -> Sequence[int] | None:
    # The ranks of a group in MPI_COMM_WORLD; None if another group has the handle now.
    group = process.registry.find("group", handle) if handle is not None else None
    if not isinstance(group, Group) or group.header.serial != serial:
        return None
    return group.world_ranks


def _inside(there: _Holder, procedure: str) -> Operation | None:
    # The active call of a procedure on the window.
    for operation in _active(there.process):
        call = operation.call
        if call.procedure == procedure and window_of(call) == there.win.header.handle:
            return operation
    return None


def _meets(there: _Holder | str, procedure: str, fences: int) -> Operation | None:
    # The call that matches this one, in a process with the expected number of fences.
    if not isinstance(there, _Holder) or there.win.fences != fences:
        return None
    return _inside(there, procedure)


def _active(process: Process) -> Iterator[Operation]:
    return (operation for operation in process.operations if operation.request is None)
