# SPDX-License-Identifier: MIT
"""Test whether a thread has left a function without a return: by longjmp, or a C++ exception."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import gdb

from mpipp.gdb.program import symbol_names
from mpipp.gdb.selected_thread import selected_thread

_MOST = 10_000  # frames of a thread
# The functions where the stacks of threads begin. The stacks of coroutines begin elsewhere.
_OUTERMOST = ("main", "_start", "start_thread", "clone", "clone3", "__clone", "__clone3")

_NONE, _SELECTED, _ANY = range(3)
_asked = _SELECTED  # which threads `has_left_frame` may examine


@contextmanager
def any_thread() -> Iterator[None]:
    """Allow tests of all threads within this context.

    A test selects the thread, and then gdb forgets its frames. So do not use this context while gdb
    prints frames.
    """
    with _asking(_ANY):
        yield


@contextmanager
def no_thread() -> Iterator[None]:
    """Allow no tests within this context, because gdb is just unwinding frames."""
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
    """Return whether a thread has left the function whose frame is at the address `frame`.

    The thread's stack extends from `start` to `end`. A thread that has left has only frames further
    out. Returns False if uncertain: on the stacks of signal handlers and coroutines, and for
    threads that gdb cannot read now.
    """
    if not start <= frame < end or _asked == _NONE:
        return False
    thread = next((one for one in inferior.threads() if one.ptid[1] == tid), None)
    if thread is None or not thread.is_stopped():
        return False
    try:
        if selected_thread() == thread:
            return _is_further_out(frame, end)
        if _asked == _SELECTED:
            return False
        with selected(thread):
            return _is_further_out(frame, end)
    except gdb.error:
        return False


def selected_frame() -> gdb.Frame | None:
    """The selected frame; None if there is no process or the thread runs."""
    try:
        return gdb.selected_frame()
    except gdb.error:
        return None


def newest_frame() -> gdb.Frame | None:
    """The newest frame of the selected thread; None if the thread runs."""
    try:
        return gdb.newest_frame()
    except gdb.error:
        return None


def frames(most: int, start: gdb.Frame | None = None) -> Iterator[gdb.Frame]:
    """The frames of the selected thread, from `start` (the newest by default) outwards.

    Yields at most `most` frames, and none if the thread runs.
    """
    frame = start or newest_frame()
    for _ in range(most):
        if frame is None:
            return
        yield frame
        frame = frame.older()


@contextmanager
def selected(thread: gdb.InferiorThread) -> Iterator[None]:
    """Select `thread` within this context."""
    before, frame = selected_thread(), selected_frame()
    thread.switch()
    try:
        yield
    finally:
        if before is not None and before.is_valid():
            before.switch()
        if frame is not None and frame.is_valid():
            frame.select()


def _is_further_out(frame: int, end: int) -> bool:
    # The thread has left if the stack can be unwound to its start, and each frame is further out. A
    # coroutine's stack may be anywhere, even inside a frame of the thread.
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
