# SPDX-License-Identifier: MIT
"""The program's frame that called MPI."""

from __future__ import annotations

import os
import re
import sys

import gdb

from mpipp.common.errors import MpippError
from mpipp.gdb import console
from mpipp.gdb.program import abandoned_frames, call_sites, symbol_names
from mpipp.gdb.program.sessions import Session
from mpipp.model import Site, Thread
from mpipp.registry.memory import cpython_frames
from mpipp.render import header_calls

_INSIDE = 64  # frames inside MPI, and the tools between it and the program
_RAISING = 8  # frames of the C library inside raise(), and of a system call
_LAYER = 4  # frames of MPI's Fortran layer
_MPI4PY = "/mpi4py/"
_LIBRARIES = ("libmpi", "libfmpi")  # MPI's own, the Fortran layer among them


def caller(site: Site) -> gdb.Frame:
    """The frame of the selected thread that made the call at `site`; the newest if it is not found.

    In Fortran that is behind MPI's Fortran layer, which has no source lines.

    Raises MpippError of a thread that runs.
    """
    newest = frame = abandoned_frames.newest_frame()
    if newest is None:
        raise MpippError("the selected thread runs: stop it with interrupt")
    for _ in range(_INSIDE):
        if frame is None:
            break
        if frame.pc() == site.address:
            return _outside(frame)
        frame = frame.older()
    return newest


def user(site: Site) -> gdb.Frame:
    """The frame of the selected thread that is the program's own: `caller`, or where that is a
    function in a library's header, the one that called the library."""
    frame = caller(site)
    return _beyond(frame) or frame


def is_wrapper(frame: gdb.Frame) -> bool:
    """Whether a frame is of the wrapper, or of the library that is loaded beside it."""
    return os.path.basename(symbol_names.library(frame.pc())).startswith("libmpipp_")


def wrapper() -> gdb.Frame | None:
    """The newest frame of the wrapper that the selected thread has stopped in, if it has."""
    frame = abandoned_frames.newest_frame()
    for _ in range(_RAISING):
        if frame is None or is_wrapper(frame):
            return frame
        frame = frame.older()
    return None


def level(frame: gdb.Frame) -> int:
    """The number of a frame of the selected thread, 0 of the newest."""
    number = 0
    newer = frame.newer()
    while newer is not None:
        number += 1
        newer = newer.newer()
    return number


def place(site: Site, tid: int, session: Session) -> str:
    """Where the thread `tid` called, as `call_sites.call` says it.

    Where that is in a library's header also the line that called the library.
    """
    if site.python:
        return site.python.text
    text = call_sites.call(site.address)
    if not call_sites.has_line(text) or _is_mpi4py(site):
        python = python_line(tid, session)
        if python:
            return python if _is_mpi4py(site) else f"{text}, from {python}"
    for thread in session.inferior.threads():
        if thread.ptid[1] == tid and thread.is_stopped():
            with abandoned_frames.selected(thread):
                return _place(site, text)
    return text


def python_line(tid: int, session: Session) -> str:
    """The line of Python that a thread is at, as `call_sites.call` says one; "" if it runs none."""
    try:
        runtime = int(console.value("&_PyRuntime"))
        number = _python_version(runtime, session)
        threads = [one for one in session.registry.threads() if isinstance(one, Thread)]
    except (gdb.error, MpippError):
        return ""
    own = next((one.pthread_self for one in threads if one.tid == tid), 0)
    found = cpython_frames.at(session.memory, runtime, number, tid, own)
    return f"{os.path.basename(found.file)}:{found.line} in {found.function}" if found else ""


def _python_version(runtime: int, session: Session) -> int:
    # As Py_Version has it; before 3.11, which has none, by the file's name: libpython3.9.so.1.0.
    try:
        version = int(console.value("&Py_Version"))
    except gdb.error:
        file = symbol_names.library(runtime) or symbol_names.program()
        found = re.search(r"python3\.(\d+)", os.path.basename(os.path.realpath(file)))
        return 3 << 24 | int(found.group(1)) << 16 if found else 0
    return int.from_bytes(session.memory.read(version, 8), sys.byteorder)


def _is_mpi4py(site: Site) -> bool:
    return _MPI4PY in symbol_names.library(site.address)


def _place(site: Site, text: str) -> str:
    frame = caller(site)
    if frame.newer() is None:  # not found
        return text
    if not call_sites.has_line(text):
        text = call_sites.call(frame.pc())
    beyond = _beyond(frame)
    return f"{text}, from {call_sites.call(beyond.pc())}" if beyond is not None else text


def _beyond(called: gdb.Frame) -> gdb.Frame | None:
    # The first frame outside a library of which `called` is a function in a header.
    line = called.find_sal()
    library = (
        header_calls.library_of(symbol_names.path(line.symtab)) if line.symtab is not None else ""
    )
    frame = called.older() if library else None
    for _ in range(_INSIDE):
        if frame is None:
            return None
        line = frame.find_sal()
        if line.symtab is None:  # in the library's own file
            if not symbol_names.library(frame.pc()):
                return None
        elif not symbol_names.path(line.symtab).startswith(library):
            return frame
        frame = frame.older()
    return None


def _outside(called: gdb.Frame) -> gdb.Frame:
    frame: gdb.Frame | None = called
    for _ in range(_LAYER):
        if frame is None:
            break
        library = os.path.basename(symbol_names.library(frame.pc()))
        if frame.find_sal().symtab is not None or not library.startswith(_LIBRARIES):
            return frame
        frame = frame.older()
    return called
