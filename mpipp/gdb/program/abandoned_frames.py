# SPDX-License-Identifier: MIT
"""Has a thread left a function without a return? (longjmp, or a C++ exception)"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import gdb

from mpipp.gdb.program import symbol_names

_MOST = 10_000  # frames
# Where stacks of threads begin; those of coroutines begin elsewhere.
_OUTERMOST = ("main", "_start", "start_thread", "clone", "clone3", "__clone", "__clone3")

_NONE, _SELECTED, _ANY = range(3)
_asked = _SELECTED  # the threads that gdb can read


@contextmanager
def any_thread() -> Iterator[None]:
    """Look at all threads for a while. Selecting them makes gdb forget its frames, so not while it
    prints some."""
    with _asking(_ANY):
        yield


@contextmanager
def no_thread() -> Iterator[None]:
    """Look at none for a while: gdb is about to find out what the frames are."""
    with _asking(_NONE):
        yield


@contextmanager
def _asking(which: int) -> Iterator[None]:
    global _asked
    before, _asked = _asked, which
    try:
        yield
    finally:
        _asked = before


def has_left_frame(inferior: gdb.Inferior, tid: int, frame: int, start: int, end: int) -> bool:
    """Return whether a thread has left a function with its frame on the thread's own stack, from
    `start` to `end`. Then the thread runs further out on that stack.

    False if uncertain: on the stacks of signal handlers and coroutines, and for threads that gdb
    cannot read now.
    """
    if not start <= frame < end or _asked == _NONE:
        return False
    thread = next((one for one in inferior.threads() if one.ptid[1] == tid), None)
    if thread is None or not thread.is_stopped():
        return False
    try:
        if gdb.selected_thread() == thread:
            return _is_further_out(frame, end)
        if _asked == _SELECTED:
            return False
        with selected(thread):
            return _is_further_out(frame, end)
    except gdb.error:
        return False


def selected_frame() -> gdb.Frame | None:
    """The selected frame; None without a process, and of a thread that runs."""
    try:
        return gdb.selected_frame()
    except gdb.error:
        return None


def newest_frame() -> gdb.Frame | None:
    """The selected thread's newest frame; None of a thread that runs."""
    try:
        return gdb.newest_frame()
    except gdb.error:
        return None


def frames(most: int, start: gdb.Frame | None = None) -> Iterator[gdb.Frame]:
    """The selected thread's frames from one on, by default the newest; none of a thread that
    runs.
    """
    frame = start or newest_frame()
    for _ in range(most):
        if frame is None:
            return
        yield frame
        frame = frame.older()


@contextmanager
def selected(thread: gdb.InferiorThread) -> Iterator[None]:
    """Make `thread` the selected one for a while."""
    before, frame = gdb.selected_thread(), selected_frame()
    thread.switch()
    try:
        yield
    finally:
        if before is not None and before.is_valid():
            before.switch()
        if frame is not None and frame.is_valid():
            frame.select()


def _is_further_out(frame: int, end: int) -> bool:
    # All frames must exist, down to the thread's start. A coroutine's stack may be anywhere, also
    # within one of the thread's own frames.
    name, lowest = "", frame + 1
    one: gdb.Frame | None = gdb.newest_frame()
    for _ in range(_MOST):
        if one is None:
            return name in _OUTERMOST or name.startswith("__libc_start")
        stack = int(one.read_register("sp"))
        if not lowest <= stack < end:
            return False
        name, lowest, one = symbol_names.function(one) or name, stack, one.older()
    return False
