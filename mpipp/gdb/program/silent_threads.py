# SPDX-License-Identifier: MIT
"""Threads that have not called MPI, and whether they could call it."""

from __future__ import annotations

import gdb

from mpipp.gdb.program import abandoned_frames, symbol_names
from mpipp.gdb.program.inferior_memory import selected
from mpipp.gdb.program.sessions import Session
from mpipp.model import Thread
from mpipp.symbolizer import library_threads

_MOST = 200  # frames


def may_call(session: Session) -> bool:
    """Return whether a thread that has not called MPI may call it later.

    Any thread may, unless it is known to belong to a library.
    """
    known = {one.tid for one in session.registry.threads() if isinstance(one, Thread)}
    with selected(session.inferior):
        others = [one for one in session.inferior.threads() if one.ptid[1] not in known]
        return not all(map(_is_of_library, others))


def _is_of_library(thread: gdb.InferiorThread) -> bool:
    try:
        with abandoned_frames.selected(thread):
            files = _files()
    except gdb.error:
        return False
    return library_threads.all_keep_out(files)


def _files() -> list[str]:
    # The files of the selected thread's frames, innermost first; "" stands for the program.
    files: list[str] = []
    frame = abandoned_frames.newest_frame()
    while frame is not None and len(files) < _MOST:
        files.append(symbol_names.library(frame.pc()))
        frame = frame.older()
    return [] if frame is not None else files
