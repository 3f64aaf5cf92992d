# SPDX-License-Identifier: MIT
"""The stack and the variables of a process that a signal is about to kill, or that exits.

The process waits meanwhile, in its signal handler or in exit (wrapper/death_signals/).
"""

from __future__ import annotations

import contextlib
import re
import signal
from collections.abc import Sequence

from mpipp.common.errors import MpippError
from mpipp.model import Site, Thread
from mpipp.render.phrases import Phrase
from mpipp.symbolizer import stack_unwinder
from mpipp.symbolizer.line_table import damage
from mpipp.symbolizer.process_symbols import StackFrame
from mpipp.symbolizer.stack_unwinder import Registers
from mpipp.symbolizer.variables import frame_values
from mpipp.symbolizer.variables.expressions import CallMemory
from mpipp.watcher.ipc.layouts import Dying, FatalAccess
from mpipp.watcher.processes import python_stack
from mpipp.watcher.processes.fatal_signal import FatalSignal
from mpipp.watcher.processes.process import WatchedProcess
from mpipp.watcher.processes.variable_names import scope_of

_MOST_FRAMES = 8
_WORD = 8
_ANYWHERE = 0x80  # SI_KERNEL: the address is not canonical, so it is unknown
_OF_PYTHON = re.compile(r"/(lib)?python[\d.]+(\.so[\d.]*)?$|/lib-dynload/|/libffi[\w.-]*$")
_NEAR = 1 << 16  # bytes from the stack pointer
_NOT_MAPPED, _NOT_ALLOWED = 1, 2  # SEGV_MAPERR, SEGV_ACCERR
_VERBS = {
    FatalAccess.LOAD: "reads",
    FatalAccess.STORE: "writes to",
    FatalAccess.FETCH: "calls",
    FatalAccess.SOME: "uses",
}
_CAUSES = {  # by signal and si_code
    (signal.SIGFPE, 1): "divides an integer by zero",
    (signal.SIGFPE, 2): "divides an integer, and the result overflows",
    (signal.SIGFPE, 3): "divides by zero",
    (signal.SIGFPE, 4): "computes a number that overflows",
    (signal.SIGFPE, 5): "computes a number that underflows",
    (signal.SIGFPE, 7): "computes a number that is not valid",
}


def read(one: WatchedProcess, dying: Dying, memory: CallMemory) -> FatalSignal:
    """Read the stack of a waiting process.

    Args:
        memory: the memory of the process.
    """
    one.refresh()
    thread = next((t for t in _threads(one) if t.tid == dying.tid), None)
    frames = _frames(one, dying, memory)
    of_call = _call(thread)
    inner, outer = _split(frames, of_call)
    lines = python_stack.lines(one, thread) if thread is not None else ()
    first = _first_with_line(one, inner)
    found = FatalSignal(dying.signal, dying.tid, _cause(dying, _has_overflowed(dying, memory)))
    if first is None and of_call:  # the process died inside MPI
        return found._replace(values=_values(one, outer, memory))
    if first is None and lines:
        return found._replace(site=Site(0, (), lines[0]), callers=lines[1:_MOST_FRAMES])
    if first is None and not dying.signal:  # the program has returned from main
        return found
    own = _before_mpi(one, inner, first) if first is not None and of_call else frames[first or 0 :]
    codes = list(dict.fromkeys(frame.code for frame in own))[:_MOST_FRAMES]
    return found._replace(
        site=Site(codes[0], tuple(codes[1:])) if codes else Site(0),
        callers=lines[:_MOST_FRAMES],
        values=_values(one, own, memory),
    )


def _threads(one: WatchedProcess) -> list[Thread]:
    try:
        return [found for found in one.registry.threads() if isinstance(found, Thread)]
    except MpippError:
        return []


def _frames(one: WatchedProcess, dying: Dying, memory: CallMemory) -> list[StackFrame]:
    if not dying.instruction and not dying.stack:
        return []  # another processor type
    start, is_call = Registers(dying.instruction, dying.stack, dying.base), False
    if dying.access == FatalAccess.FETCH:  # the process called an address without code
        try:
            code = int.from_bytes(memory.read(dying.stack, _WORD), "little")
        except MpippError:
            return []
        start, is_call = Registers(code, dying.stack + _WORD, dying.base), True
    return list(stack_unwinder.frames(one.places, memory.read, start, is_call))


def _call(thread: Thread | None) -> int:
    # The return address of a thread's current MPI call; 0 outside MPI.
    if thread is None:
        return 0
    found = thread.call or thread.marked
    return found.site.address if found is not None else 0


def _split(
    frames: Sequence[StackFrame], of_call: int
) -> tuple[Sequence[StackFrame], Sequence[StackFrame]]:
    # The frames inside the MPI call, and those outside. Without a call, all count as inside.
    for number, frame in enumerate(frames):
        if of_call and frame.code == of_call:
            return frames[:number], frames[number:]
    return frames, ()


def _before_mpi(
    one: WatchedProcess, inner: Sequence[StackFrame], first: int
) -> Sequence[StackFrame]:
    # The frames of a callback of the program, without the frames of MPI that called it.
    end = first
    while end < len(inner) and _has_line(one, inner[end]):
        end += 1
    return inner[first:end]


def _first_with_line(one: WatchedProcess, frames: Sequence[StackFrame]) -> int | None:
    for number, frame in enumerate(frames):
        if _has_line(one, frame):
            return number
    return None


def _has_line(one: WatchedProcess, frame: StackFrame) -> bool:
    if _OF_PYTHON.search(one.places.file(frame.code)):
        return False
    found = one.places.calls(frame.code)
    return any(call.line and not call.library.startswith("libmpi") for call in found)


def _has_overflowed(dying: Dying, memory: CallMemory) -> bool:
    # Return whether the thread has used up its stack.
    if dying.access == FatalAccess.NO_ACCESS or dying.code != _NOT_MAPPED or not dying.stack:
        return False
    if 0 < dying.stack - dying.address < _NEAR:
        return True
    try:
        memory.read(dying.stack, _WORD)
    except MpippError:
        return abs(dying.address - dying.stack) < _NEAR
    return False


def _cause(dying: Dying, has_overflowed: bool) -> Phrase:
    if not dying.signal:
        return Phrase("calls exit")
    name = f"signal {dying.signal}"
    with contextlib.suppress(ValueError):
        name = signal.Signals(dying.signal).name
    if dying.access in _VERBS:
        verb = _VERBS[FatalAccess(dying.access)]
        if has_overflowed:
            return Phrase.of("overflows its stack, at address {address}", address=dying.address)
        if dying.code == _NOT_MAPPED:
            return Phrase.of(f"{verb} unmapped address {{address}}", address=dying.address)
        if dying.code == _NOT_ALLOWED:
            template = f"{verb} address {{address}}, which is protected"
            return Phrase.of(template, address=dying.address)
        return Phrase.of(f"{verb} invalid address {{address}}", address=dying.address)
    if dying.signal == signal.SIGSEGV and dying.code == _ANYWHERE:
        return Phrase("uses an address that no memory has")
    if dying.signal == signal.SIGABRT:
        return Phrase("calls abort")
    return Phrase(_CAUSES.get((signal.Signals(dying.signal), dying.code), f"gets {name}"))


def _values(one: WatchedProcess, frames: Sequence[StackFrame], memory: CallMemory) -> str:
    # The variables of the innermost function with debug information.
    for frame in frames[:_MOST_FRAMES]:
        with contextlib.suppress(*damage()):
            found = scope_of(one.places, frame) if frame.end else None
            if found is None:
                continue
            function = one.places.calls(frame.code)[-1].function
            values = ", ".join(frame_values.values(found, memory))
            return f"{function}: {values}" if values else ""
    return ""
