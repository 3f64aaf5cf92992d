# SPDX-License-Identifier: MIT
"""The stack of the selected thread as steps: functions of the program, the MPI call, libraries."""

from __future__ import annotations

import os
from collections.abc import Sequence

import gdb

from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.deadlock import stack_steps
from mpipp.gdb.printers import buffer_lookup
from mpipp.gdb.program import (
    abandoned_frames,
    call_sites,
    calling_frame,
    outside_mpi,
    symbol_names,
)
from mpipp.gdb.program.sessions import Session
from mpipp.gdb.selected_thread import selected_thread
from mpipp.model import Call, Thread
from mpipp.ranks.stack_tree import LIBRARY, PROGRAM, Step
from mpipp.symbolizer.demangle import source_name

_MOST = 256  # frames
_OF_MPI = ("libmpi", "libfmpi", "libpmpi")  # the MPI library, its Fortran layer, and the wrapper


def shown_threads(
    inferior: gdb.Inferior, session: Session | None
) -> list[tuple[gdb.InferiorThread, Thread | None]]:
    """The threads of a process that have called MPI, with their records, and its first thread.

    Other threads are left out: they belong to libraries. Raises MpippError for damaged records.
    """
    every = sorted(inferior.threads(), key=lambda thread: thread.num)
    recorded = session.registry.threads() if session is not None else ()
    known = {one.tid: one for one in recorded if isinstance(one, Thread)}
    found = [(one, known.get(one.ptid[1])) for one in every]
    return [pair for i, pair in enumerate(found) if i == 0 or pair[1] is not None]


def steps(session: Session | None, process: Process | None) -> list[Step]:
    """The steps of the selected thread, outermost call first.

    `session` and `process` belong to the selected inferior; None if it has no records. For a Python
    program, the steps are lines of Python. Frames inside MPI are left out, except callbacks of the
    program.
    """
    thread = selected_thread()
    if thread is None:
        return []
    call = active_call(session) if session is not None else None
    tid = thread.ptid[1]
    called: list[Step] = []
    if call is not None and process is not None:
        called = stack_steps.steps(Operation(process, call, None, tid))
    python = list(calling_frame.python_frames(tid, session)) if session is not None else []
    if python:
        lines = (Step(one.text, PROGRAM, one.path, one.line) for one in reversed(python[:_MOST]))
        return [*lines, *called]
    frames = _from_main(list(abandoned_frames.frames(_MOST)))
    if call is None:
        return _folded(frames)
    inside, outside = _parted(frames, call)
    callbacks = [step for step in _folded(inside) if step.kind == PROGRAM]
    return [*_folded(outside), *called, *callbacks]


def active_call(session: Session) -> Call | None:
    """The MPI call that the selected thread is in, also if mpipp keeps no record of such calls."""
    found, thread = buffer_lookup.active_call(session), selected_thread()
    if found is None and thread is not None:
        recorded = buffer_lookup.recorded_thread(session, thread)
        found = recorded.unrecorded if recorded is not None else None
    return found


def _from_main(frames: list[gdb.Frame]) -> list[gdb.Frame]:
    # Drop the frames that called main. In Fortran, main only calls the main program: drop it, too.
    names = [symbol_names.function(frame) for frame in frames]
    if "main" not in names:
        return frames
    last = len(names) - 1 - names[::-1].index("main")
    is_fortran = last > 0 and call_sites.is_in_symbol(frames[last - 1].pc(), "MAIN__")
    return frames[: last + (not is_fortran)]


def _parted(
    frames: Sequence[gdb.Frame], call: Call
) -> tuple[Sequence[gdb.Frame], Sequence[gdb.Frame]]:
    # Split the frames into those inside the MPI call, and those of its callers.
    places = [number for number, one in enumerate(frames) if one.pc() == call.site.address]
    first = places[0] if places else 0
    # MPI's Fortran layer may lie between the wrapper and the program.
    while first < len(frames) and _is_of_mpi(frames[first]):
        first += 1
    return frames[:first], frames[first:]


def _is_of_mpi(frame: gdb.Frame) -> bool:
    return os.path.basename(symbol_names.library(frame.pc())).startswith(_OF_MPI)


def _folded(frames: Sequence[gdb.Frame]) -> list[Step]:
    # Make a step of each frame. Consecutive frames of libraries become one step, which names the
    # library function that the program called.
    found: list[Step] = []
    for number, frame in reversed(list(enumerate(frames))):
        if not is_folded(frame):
            found.append(_own(frame, _is_exact(frames, number)))
        elif not found or found[-1].kind != LIBRARY:
            name = outside_mpi.called_function(frame)
            library = os.path.basename(symbol_names.library(frame.pc()))
            found.append(Step(f"{name} in {library}" if name else library, LIBRARY))
    # The outermost frames of a thread belong to the C library.
    begun = next((i for i, one in enumerate(found) if one.kind == PROGRAM), 0)
    return found[begun:]


def is_folded(frame: gdb.Frame) -> bool:
    """Return whether a frame is hidden: in MPI, in the C library, or in a library without source
    lines."""
    if not symbol_names.library(frame.pc()):
        return False
    is_hidden = _is_of_mpi(frame) or outside_mpi.is_in_libc(frame)
    return is_hidden or frame.find_sal().symtab is None


def _own(frame: gdb.Frame, is_exact: bool) -> Step:
    line = frame.find_sal()
    if line.symtab is None or not line.line:
        return Step(call_sites.call(frame.pc() + is_exact))
    name = source_name(symbol_names.function(frame))
    place = f"{os.path.basename(symbol_names.file(line.symtab))}:{line.line}"
    text = f"{place} in {name}" if name else place
    return Step(text, PROGRAM, symbol_names.path(line.symtab), line.line)


def _is_exact(frames: Sequence[gdb.Frame], number: int) -> bool:
    # Return whether the frame's pc is the current instruction, not a return address.
    return number == 0 or frames[number - 1].type() == gdb.SIGTRAMP_FRAME
