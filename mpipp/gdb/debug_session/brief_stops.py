# SPDX-License-Identifier: MIT
"""Brief stops of running ranks, so that a command reads consistent records.

In a gdb of `mpipp debug`, a command cannot wait until gdb has stopped a rank: gdb handles stops
after the command. But the kernel stops a traced thread before it delivers a signal. So SIGSTOP
stops each running thread until gdb handles the signal after the command. gdb then discards it, and
lets the thread continue.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import gdb

from mpipp.gdb import console, job_ranks
from mpipp.gdb.debug_session.link import Timer
from mpipp.gdb.program import sessions

_PATIENCE = 5.0  # seconds that the kernel gets to stop the threads
_PAUSE = 0.001
_MOMENT = 0.05  # seconds between tests of the threads after the command
_TRACER = f"TracerPid:\t{os.getpid()}\n"
_Send = Callable[[int, int, int], int]
_Thread = tuple[int, int]  # the process ID and the thread ID


@contextmanager
def of_all_ranks() -> Iterator[None]:
    """Stop all running ranks of this node within this context.

    Ranks that cannot be stopped keep running.
    """
    send = _sender()
    found = [one for one in gdb.inferiors() if job_ranks.rank(one.num) is not None and one.pid]
    running = {one.num: _running(one) for one in found} if send is not None else {}
    threads = [thread for every in running.values() for thread in every]
    if send is None or not threads or any(map(job_ranks.is_halted, running)):
        yield
        return
    guard = _guard({process for process, _ in threads})
    console.output("handle SIGSTOP nostop noprint nopass")
    for process, thread in threads:
        send(process, thread, signal.SIGSTOP)
    missing = _missing(threads)
    halted = [number for number, own in running.items() if own and missing.isdisjoint(own)]
    job_ranks.set_halted(halted)
    sessions.invalidate()
    try:
        yield
    finally:
        job_ranks.set_halted(())
        sessions.invalidate()
        _restore(threads, guard)


def _guard(processes: Iterable[int]) -> subprocess.Popen[bytes]:
    # If gdb dies meanwhile, the processes would stay stopped. This shell then lets them continue,
    # before or after the kernel has detached them from gdb.
    script = 'read -r _ || { kill -CONT "$@"; sleep 1; kill -CONT "$@"; }'
    words = ["/bin/sh", "-c", script, "sh", *map(str, processes)]
    nothing = subprocess.DEVNULL
    return subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=nothing, stderr=nothing, start_new_session=True
    )


def _sender() -> _Send | None:
    try:
        import ctypes

        found: _Send = ctypes.CDLL(None).tgkill
        return found
    except (ImportError, OSError, AttributeError):  # the C library has no tgkill
        return None


def _running(inferior: gdb.Inferior) -> list[_Thread]:
    every = [one.ptid for one in inferior.threads() if not one.is_stopped()]
    threads = [(ptid[0], ptid[1]) for ptid in every]
    return threads if all(map(_is_traced, threads)) else []


def _is_traced(thread: _Thread) -> bool:
    # A process on another node has a gdbserver as its tracer there.
    return _TRACER in _read(thread, "status")


def _read(thread: _Thread, name: str) -> str:
    try:
        with open(f"/proc/{thread[0]}/task/{thread[1]}/{name}", encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError):  # the thread has ended
        return ""


def _is_halted(thread: _Thread) -> bool:
    state = _read(thread, "stat").rpartition(")")[2].split()
    return not state or state[0] in ("t", "T", "Z", "X")


def _missing(threads: list[_Thread]) -> set[_Thread]:
    until = time.monotonic() + _PATIENCE
    rest = set(threads)
    while rest and time.monotonic() < until:
        rest = {one for one in rest if not _is_halted(one)}
        if rest:
            time.sleep(_PAUSE)
    return rest


def _restore(threads: list[_Thread], guard: subprocess.Popen[bytes]) -> None:
    # gdb must have handled all these signals before it stops at SIGSTOP again.
    known = {one.ptid[:2]: one for inf in gdb.inferiors() for one in inf.threads()}
    if any(_is_halted(one) and one in known and not known[one].is_stopped() for one in threads):
        Timer(_MOMENT, lambda: _restore(threads, guard))
        return
    console.output("handle SIGSTOP stop print nopass")
    guard.communicate(b"\n")
