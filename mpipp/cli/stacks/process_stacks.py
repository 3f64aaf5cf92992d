# SPDX-License-Identifier: MIT
"""The stacks of a running process. Each thread is stopped only while its stack is copied."""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import time
from collections.abc import Iterator
from dataclasses import field
from typing import NamedTuple

from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.deadlock import stack_steps
from mpipp.common.errors import MpippError, UnreadableMemory
from mpipp.common.lazy_dataclass import dataclass
from mpipp.model import Call, Thread
from mpipp.ranks import states
from mpipp.ranks.stack_tree import PROGRAM, StackTree, Step
from mpipp.registry.describe_adapter import Recorded
from mpipp.registry.memory import cpython_frames
from mpipp.registry.memory.address_space import BytesMemory, ProcessMemory
from mpipp.registry.registry import Registry
from mpipp.symbolizer import frame_steps, stack_unwinder
from mpipp.symbolizer.process_symbols import PYTHON, Places, StackFrame
from mpipp.symbolizer.source_frames import Frame
from mpipp.symbolizer.stack_unwinder import Registers
from mpipp.watcher.processes import stopped_thread
from mpipp.watcher.processes.process import progress
from mpipp.watcher.progress import silent_threads

_ROOT = "mpipp_registry"  # the wrapper's symbol
_MOST_STACK = 1 << 20  # bytes to copy of a stack at most
_MOST_LINES = 256  # lines of Python in a stack
_RED_ZONE = 128  # bytes below the stack pointer that the x86-64 ABI reserves for the function


class RunningProcess(Recorded):
    """A running process, with the wrapper's records if it has readable ones.

    Attributes:
        spawned: always 0: the number of a spawned job is unknown.
        is_recorded: True if there are records that this mpipp can read.
        failure: the reason why there are none, "" for a process without the wrapper.

    Raises MpippError if the process does not exist or may not be read.
    """

    def __init__(self, pid: int) -> None:
        self.pid, self.spawned = pid, 0
        self.memory = ProcessMemory(pid)
        self.places = Places(pid, "")
        self._python = self._interpreter()
        address = self.places.symbol(_ROOT, "libmpipp_")
        self.is_recorded, self.failure = False, ""
        if address is not None:
            try:
                self.registry = Registry(self.memory, address)
                self.is_recorded = self.registry.info.status != "inert"
                list(self.registry.threads())
            except MpippError as error:
                self.is_recorded, self.failure = False, str(error)

    def close(self) -> None:
        """Close the files of the process's memory."""
        self.memory.close()

    def function(self, address: int) -> str:
        """The function at an address, as `<name>`."""
        return self.places.function(address)

    def file(self, address: int) -> str:
        """The path of the file that contains an address of code; "" if unknown."""
        return self.places.file(address)

    def threads(self) -> dict[int, int]:
        """The threads to show: their pthread_self (0 if unknown) by gettid.

        Shown are the first thread of the process, and the threads that have called MPI. Other
        threads belong to libraries.
        """
        found = {self.pid: 0}
        if self.is_recorded:
            self.registry.invalidate()
            with contextlib.suppress(MpippError):  # the process is changing the records
                recorded = (one for one in self.registry.threads() if isinstance(one, Thread))
                found.update({one.tid: one.pthread_self for one in recorded})
        return {tid: self_ for tid, self_ in found.items() if _exists(self.pid, tid)}

    def call(self, tid: int) -> Operation | None:
        """The MPI call that a thread is in, from the current records."""
        if not self.is_recorded:
            return None
        self.registry.invalidate()
        for thread in self.registry.threads():
            if isinstance(thread, Thread) and thread.tid == tid:
                call = thread.call or thread.unrecorded
                return None if call is None else Operation(self.process(), call, None, tid)
        return None

    def process(self, number: int = 0) -> Process:
        """The process in the form that the checks expect."""
        beside = functools.partial(silent_threads.may_call, self)
        return Process(number, self.registry, self, None, beside)

    def beside(self, address: int, most: int) -> bytes:
        """Return up to `most` bytes of the process's memory. Raises MpippError if they are
        unreadable."""
        return self.memory.beginning(address, most)

    def progress(self) -> str:
        """A text that changes when the process makes an MPI call, except one that tests and finds
        nothing. Raises MpippError if the process changes its records."""
        self.registry.invalidate()
        return repr(progress(self.registry))

    def outside(self) -> str:
        """The activity of the process's first thread outside MPI: "computing at solver.c:80 in
        relax"."""
        for stack in read(self).stacks:
            tree = StackTree()
            tree.add(0, stack)
            for state in states.states(tree):
                if not state.call:
                    return state.line
        return "computing"

    def python_lines(self, tid: int, pthread_self: int) -> list[Step]:
        """The Python lines of a thread, outermost first; none outside Python."""
        if self._python is None:
            return []
        runtime, version = self._python
        found = cpython_frames.stack(self.memory, runtime, version, tid, pthread_self)
        lines = list(itertools.islice(found, _MOST_LINES))
        return [
            Step(f"{os.path.basename(one.file)}:{one.line} in {one.function}", PROGRAM, *one[:2])
            for one in reversed(lines)
        ]

    def _interpreter(self) -> tuple[int, int] | None:
        # The addresses of Python's runtime and of its version, by which its frames are found.
        runtime, version = (self.places.python_symbol(name) for name in (PYTHON, "Py_Version"))
        if runtime is None or version is None:
            return None
        try:
            return runtime, int.from_bytes(self.memory.read(version, 4), "little")
        except UnreadableMemory:
            return None


class _Copy(NamedTuple):
    # The data that was copied while a thread was stopped.
    registers: Registers | None
    stack: bytes
    call: Call | None
    called: list[Step]
    lines: list[Step]


@dataclass
class Stacks:
    """The stacks of a process.

    Attributes:
        stood: the longest time that one of its threads was stopped, in seconds.
        refused: the number of threads that the system did not let mpipp stop.
    """

    stacks: list[list[Step]] = field(default_factory=list)
    stood: float = 0.0
    refused: int = 0


def read(one: RunningProcess) -> Stacks:
    """Stop each thread, copy its stack, and let it continue; then look up the copied addresses.

    Raises MpippError if the process has ended.
    """
    found = Stacks()
    for tid, pthread_self in one.threads().items():
        begun = time.monotonic()
        with stopped_thread.registers(one.pid, tid) as registers:
            copy = _copied(one, tid, pthread_self, registers)
        found.stood = max(found.stood, time.monotonic() - begun)
        found.refused += copy.registers is None
        stack = list(_steps(one, copy))
        if stack:
            found.stacks.append(stack)
    return found


def _copied(one: RunningProcess, tid: int, pthread_self: int, registers: Registers | None) -> _Copy:
    stack = b""
    if registers is not None:
        low = registers.sp - _RED_ZONE
        stack = one.memory.beginning(low, _MOST_STACK)
    try:
        operation = one.call(tid)
        called = stack_steps.steps(operation) if operation is not None else []
    except MpippError:  # the process is changing the records
        operation, called = None, []
    lines = one.python_lines(tid, pthread_self)
    return _Copy(registers, stack, operation.call if operation else None, called, lines)


def _steps(one: RunningProcess, copy: _Copy) -> Iterator[Step]:
    if copy.lines:
        yield from copy.lines
        yield from copy.called
        return
    frames = list(_frames(one, copy))
    if copy.call is not None:  # MPI's Fortran layer may lie between the program and the wrapper
        frames = list(itertools.dropwhile(frame_steps.is_folded, frames))
    yield from frame_steps.steps(frames)
    yield from copy.called


def _frames(one: RunningProcess, copy: _Copy) -> Iterator[Frame]:
    if copy.registers is None:
        yield from one.places.frames(copy.call.site) if copy.call is not None else ()
        return
    for frame in _stack_frames(one, copy, copy.registers):
        yield from one.places.calls(frame.code)


def _stack_frames(one: RunningProcess, copy: _Copy, at: Registers) -> list[StackFrame]:
    # Within an MPI call, begin at the function that called MPI.
    memory = BytesMemory({at.sp - _RED_ZONE: copy.stack})
    is_call = False
    if copy.call is not None and copy.call.frame:
        at, is_call = stack_unwinder.in_call(memory.read, copy.call.frame), True
    frames = list(stack_unwinder.frames(one.places, memory.read, at, is_call))
    site = copy.call.site.address if copy.call is not None else 0
    first = next((i for i, frame in enumerate(frames) if frame.code == site), 0)
    return frames[first:]


class StackMemory:
    """The memory of a process: its stack when a thread was stopped, and other memory as it is now.

    Attributes:
        is_current: True if other memory than the stack was read.
    """

    def __init__(self, one: RunningProcess, start: int, stack: bytes) -> None:
        self._one, self._start, self._stack = one, start, stack
        self.is_current = False

    def read(self, address: int, length: int) -> bytes:
        """Return exactly `length` bytes. Raises UnreadableMemory if any of them is unreadable."""
        offset = address - self._start
        if 0 <= offset <= offset + length <= len(self._stack):
            return self._stack[offset : offset + length]
        self.is_current = True
        return self._one.memory.read(address, length)


class CallStack(NamedTuple):
    """The stack frames of a thread in the program's functions, innermost first, and its memory."""

    frames: list[StackFrame]
    memory: StackMemory
    is_in_mpi: bool


def call_stacks(one: RunningProcess) -> tuple[list[CallStack], float]:
    """Return the stacks of a process, and the longest time that a thread was stopped, in seconds.

    Raises MpippError if the process has ended, or if the system does not let mpipp stop a thread.
    """
    found, stood = [], 0.0
    for tid, pthread_self in one.threads().items():
        begun = time.monotonic()
        with stopped_thread.registers(one.pid, tid) as registers:
            copy = _copied(one, tid, pthread_self, registers)
        stood = max(stood, time.monotonic() - begun)
        if registers is None:
            raise MpippError("the system does not let mpipp stop a thread to read its variables")
        memory = StackMemory(one, registers.sp - _RED_ZONE, copy.stack)
        frames = [
            frame
            for frame in _stack_frames(one, copy, registers)
            if not frame_steps.is_folded(one.places.calls(frame.code)[-1])
        ]
        found.append(CallStack(frames, memory, copy.call is not None))
    return found, stood


def _exists(pid: int, tid: int) -> bool:
    return os.path.exists(f"/proc/{pid}/task/{tid}")
