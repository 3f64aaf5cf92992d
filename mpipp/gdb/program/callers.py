# SPDX-License-Identifier: MIT
"""The program's frame that called MPI."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import gdb

from mpipp.gdb.program import sites
from mpipp.gdb.sessions import Session
from mpipp.model import Site

_INSIDE = 64  # frames inside MPI, and the tools between it and the program
_LAYER = 4  # frames of MPI's Fortran layer
_LIBRARIES = ("libmpi", "libfmpi")  # MPI's own, the Fortran layer among them


def caller(site: Site) -> gdb.Frame:
    """The frame of the selected thread that made the call at `site`; the newest if it is not found.

    In Fortran that is behind MPI's Fortran layer, which has no source lines.
    """
    frame: gdb.Frame | None = gdb.newest_frame()
    for _ in range(_INSIDE):
        if frame is None:
            break
        if frame.pc() == site.address:
            return _outside(frame)
        frame = frame.older()
    return gdb.newest_frame()


def place(site: Site, tid: int, session: Session) -> str:
    """Where the thread `tid` called, as `sites.call` says it."""
    text = sites.call(site.address)
    if sites.has_line(text):
        return text
    for thread in session.inferior.threads():
        if thread.ptid[1] == tid:
            with selected(thread):
                frame = caller(site)
                return sites.call(frame.pc()) if frame.newer() is not None else text
    return text


def _outside(called: gdb.Frame) -> gdb.Frame:
    frame: gdb.Frame | None = called
    for _ in range(_LAYER):
        if frame is None:
            break
        library = os.path.basename(gdb.solib_name(frame.pc()) or "")
        if frame.find_sal().symtab is not None or not library.startswith(_LIBRARIES):
            return frame
        frame = frame.older()
    return called


@contextmanager
def selected(thread: gdb.InferiorThread) -> Iterator[None]:
    """Make `thread` the selected one for a while."""
    before, frame = gdb.selected_thread(), gdb.selected_frame()
    thread.switch()
    try:
        yield
    finally:
        if before is not None:
            before.switch()
        frame.select()
