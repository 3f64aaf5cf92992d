# SPDX-License-Identifier: MIT
"""The program's frame that called MPI."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator

import gdb

from mpipp.common.errors import MpippError
from mpipp.gdb import console, job_ranks
from mpipp.gdb.program import abandoned_frames, call_sites, symbol_names
from mpipp.gdb.program.sessions import Session
from mpipp.model import Site, Thread
from mpipp.registry.memory import cpython_frames
from mpipp.render import header_calls
from mpipp.symbolizer.source_frames import Frame

_INSIDE = 64  # frames inside MPI, including tools between MPI and the program
_MOST_CALLERS = 64
_RAISING = 8  # frames that the C library adds for raise() and for a system call
_LAYER = 4  # frames that MPI's Fortran layer adds
_MPI4PY = "/mpi4py/"
_LIBRARIES = ("libmpi", "libfmpi")  # the MPI library, and its Fortran layer


def caller(site: Site) -> gdb.Frame:
    """The frame of the selected thread that made the call at `site`; the newest if it is not found.

    In Fortran this frame lies outside MPI's Fortran layer, which has no source lines. Raises
    MpippError if the thread runs.
    """
    newest = frame = abandoned_frames.newest_frame()
    if newest is None:
        raise MpippError(f"the selected thread runs: stop it with {job_ranks.interrupt()}")
    for _ in range(_INSIDE):
        if frame is None:
            break
        if frame.pc() == site.address:
            return _outside(frame)
        frame = frame.older()
    return newest


def user(site: Site) -> gdb.Frame:
    """The frame of the program that made the call in the selected thread.

    If `caller` is in a function from a library's header, this is the frame that called the library.
    """
    frame = caller(site)
    return _outer_frame(frame) or frame


def is_wrapper(frame: gdb.Frame) -> bool:
    """Return whether a frame belongs to the wrapper or its libc interposer."""
    return os.path.basename(symbol_names.library(frame.pc())).startswith("libmpipp_")


def wrapper() -> gdb.Frame | None:
    """The newest frame in the wrapper if the selected thread has stopped there, else None."""
    frame = abandoned_frames.newest_frame()
    for _ in range(_RAISING):
        if frame is None or is_wrapper(frame):
            return frame
        frame = frame.older()
    return None


def level(frame: gdb.Frame) -> int:
    """The number of a frame in the selected thread; 0 is the newest."""
    number = 0
    newer = frame.newer()
    while newer is not None:
        number += 1
        newer = newer.newer()
    return number


def place(site: Site, tid: int, session: Session) -> str:
    """The source line where the thread `tid` made a call, in the words of `call_sites.call`.

    If that line is in a library's header, the text also has the line that called the library.
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


def callers(site: Site, tid: int, session: Session) -> list[str]:
    """The callers of the function in which the thread `tid` made a call, innermost first.

    Returns as many as the run records (mpipp run --frames), or none if the call is not found.
    """
    wanted = min(session.registry.info.frames, _MOST_CALLERS)
    for thread in session.inferior.threads():
        if thread.ptid[1] == tid and thread.is_stopped() and wanted > 1:
            with abandoned_frames.selected(thread):
                frame: gdb.Frame | None = caller(site)
                if frame is None or frame.newer() is None:  # the calling frame was not found
                    return []
                found: list[str] = []
                while (frame := frame.older()) is not None and len(found) < wanted - 1:
                    found.append(call_sites.call(frame.pc()))
                return found
    return []


def frames(site: Site, tid: int, session: Session) -> list[Frame]:
    """The known source lines of a call of the thread `tid`, innermost first."""
    known = call_sites.frames(site)
    if site.python or (known and not _is_mpi4py(site)):
        return [*known, *_callers_of_headers(site, tid, session)]
    python = _python_frame(tid, session)
    return [python] if python is not None else known


def _callers_of_headers(site: Site, tid: int, session: Session) -> Iterator[Frame]:
    for thread in session.inferior.threads():
        if thread.ptid[1] == tid and thread.is_stopped():
            with abandoned_frames.selected(thread):
                beyond = _outer_frame(caller(site))
                found = call_sites.frame(beyond.pc()) if beyond is not None else None
                if found is not None:
                    yield found


def python_line(tid: int, session: Session) -> str:
    """The current Python line of a thread, in the words of `call_sites.call`; "" outside Python."""
    found = _python_frame(tid, session)
    return found.text if found is not None else ""


def _python_frame(tid: int, session: Session) -> Frame | None:
    return next(python_frames(tid, session), None)


def python_frames(tid: int, session: Session) -> Iterator[Frame]:
    """The current Python lines of a thread, innermost first; none outside Python."""
    try:
        runtime = int(console.value("&_PyRuntime"))
        number = _python_version(runtime, session)
        threads = [one for one in session.registry.threads() if isinstance(one, Thread)]
    except (gdb.error, MpippError):
        return
    own = next((one.pthread_self for one in threads if one.tid == tid), 0)
    for found in cpython_frames.stack(session.memory, runtime, number, tid, own):
        text = f"{os.path.basename(found.file)}:{found.line} in {found.function}"
        yield Frame(text, found.file, found.line, found.function)


def _python_version(runtime: int, session: Session) -> int:
    # The version in the format of Py_Version. Before 3.11, Python has no such variable: then use
    # the name of the library, libpython3.9.so.1.0.
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
    if frame.newer() is None:  # the calling frame was not found
        return text
    if not call_sites.has_line(text):
        text = call_sites.call(frame.pc())
    beyond = _outer_frame(frame)
    return f"{text}, from {call_sites.call(beyond.pc())}" if beyond is not None else text


def _outer_frame(called: gdb.Frame) -> gdb.Frame | None:
    # The first frame outside the library whose header contains the function of `called`.
    line = called.find_sal()
    library = (
        header_calls.library_of(symbol_names.path(line.symtab)) if line.symtab is not None else ""
    )
    frame = called.older() if library else None
    for _ in range(_INSIDE):
        if frame is None:
            return None
        line = frame.find_sal()
        if line.symtab is None:  # the address is in the library's own source file
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
