# SPDX-License-Identifier: MIT
"""The activity of a process outside MPI, or the place where it died."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Container

import gdb

from mpipp.analysis.context.process import Death
from mpipp.gdb import job_ranks
from mpipp.gdb.program import abandoned_frames, call_sites, symbol_names
from mpipp.gdb.program.inferior_memory import is_core
from mpipp.gdb.program.ranks import first_thread
from mpipp.gdb.program.sessions import Session
from mpipp.gdb.selected_thread import selected_thread
from mpipp.model import Thread

_MOST = 64  # frames
# Signals for errors of the process itself. The kernel sends them, or the process does (abort).
_FAULTS = ("ILL", "ABRT", "BUS", "FPE", "SEGV", "SYS")
_UNKNOWN = "where is not known"
_LIBC = ("libc.so.", "libc-", "ld-linux", "libpthread")
_INTERNAL = re.compile(r"^(__GI_|__libc_)+")
_RAISING = re.compile(r"abort|raise|pthread_kill")


def doing(session: Session) -> str:
    """Describe what a process does: "computing at solver.c:80 in relax", or "in sleep, called at
    ...".

    Considers the selected inferior, and its first thread outside MPI that has called MPI.
    """
    every = sorted(session.inferior.threads(), key=lambda thread: thread.num)
    threads = [thread for thread in every if thread.is_stopped()]
    recorded = [one for one in session.registry.threads() if isinstance(one, Thread)]
    outside = {one.tid for one in recorded if not one.is_inside}
    called = [thread for thread in threads if thread.ptid[1] in outside]
    for thread in called or threads:
        with abandoned_frames.selected(thread):
            stop = fault(session)
            if stop is not None:
                return f"stopped by {stop.signal} {stop.where}"
            place = _place(list(abandoned_frames.frames(_MOST)))
            return f"computing {place}" if place.startswith("at ") else place
    return _halted(session, outside) if job_ranks.is_halted(session.inferior.num) else _UNKNOWN


def _halted(session: Session, threads: Container[int]) -> str:
    # gdb has no frames of these threads. For a stopped thread, the last word of the file is its
    # program counter.
    every = sorted(session.inferior.threads(), key=lambda thread: thread.num)
    for thread in [one for one in every if one.ptid[1] in threads] or every:
        path = f"/proc/{thread.ptid[0]}/task/{thread.ptid[1]}/syscall"
        try:
            with open(path, encoding="ascii") as file:
                counter = int(file.read().split()[-1], 16)
        except (OSError, ValueError, IndexError):
            continue
        place = call_sites.call(counter + 1)
        if call_sites.has_line(place):
            return f"computing at {place}"
    return _UNKNOWN


def death(session: Session) -> Death | None:
    """The death of the process in the selected core file.

    Returns None without a core file, and if another process sent the signal: then the core only
    shows where the process was.
    """
    inferior = session.inferior
    if not inferior.threads() or not is_core():
        return None
    with abandoned_frames.selected(
        first_thread(inferior)
    ):  # a core file lists the dead thread first
        return fault(session)


def fault(session: Session) -> Death | None:
    """The signal that stopped the selected thread, if it is for an error of the thread itself."""
    try:
        name = _signal(session.registry.info.pid)
        frames = _interrupted(list(abandoned_frames.frames(_MOST))) if name else []
    except gdb.error:
        return None
    thread = selected_thread()
    if thread is None or not name or (name == "SIGABRT" and not any(map(_raises, frames))):
        return None
    return Death(name, thread.ptid[1], _place(frames))


def _signal(pid: int) -> str:
    # Return whether the thread raised the signal itself, or the kernel sent it for an error.
    found = gdb.convenience_variable("_siginfo")
    if found is None:
        return ""
    number, code = int(found["si_signo"]), int(found["si_code"])
    sender = int(found["_sifields"]["_kill"]["si_pid"])
    name = next((one for one in _FAULTS if getattr(signal, f"SIG{one}", 0) == number), "")
    return f"SIG{name}" if name and (code > 0 or sender == pid) else ""


def _raises(frame: gdb.Frame) -> bool:
    # Signal handlers of MPI raise again a signal from another process.
    return _RAISING.search(symbol_names.function(frame)) is not None


def _interrupted(frames: list[gdb.Frame]) -> list[gdb.Frame]:
    # Skip the frames of signal handlers, which raise the signal again.
    handlers = [i for i, one in enumerate(frames) if one.type() == gdb.SIGTRAMP_FRAME]
    return frames[handlers[-1] + 1 :] if handlers else frames


def _place(frames: list[gdb.Frame]) -> str:
    # "at solver.c:80 in relax", or "in sleep, called at solver.c:80 in relax". Source lines of the
    # C library are left out, because they do not help the user.
    name = ""
    for number, frame in enumerate(frames):
        is_newest = number == 0  # the pc is the current instruction, not a return address
        place = call_sites.call(frame.pc() + is_newest)
        if call_sites.has_line(place) and not is_in_libc(frame):
            return f"in {name}, called at {place}" if name else f"at {place}"
        name = called_function(frame) or name or place
    return f"in {name}" if name else _UNKNOWN


def is_in_libc(frame: gdb.Frame) -> bool:
    """Return whether a frame is in the C library."""
    return os.path.basename(symbol_names.library(frame.pc())).startswith(_LIBC)


def called_function(frame: gdb.Frame) -> str:
    """The function of a frame, by the name that programs use; "" if it has no name."""
    return _INTERNAL.sub("", symbol_names.function(frame))
