# SPDX-License-Identifier: MIT
"""The program's queries about calls that its call filter could not clear.

A query (wrapper/watcher_client/queries.h) contains all facts from the time of the call, because the
program has continued since. Each answer comes from the checks that also run on whole processes.
The checks get a process with only the queried call, and the pending operations whose buffers
overlap the call's.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from mpipp.analysis.buffers import changed_while_pending
from mpipp.analysis.buffers.freed_while_pending import FreedMemory
from mpipp.analysis.context.process import Gap, Process
from mpipp.common.errors import MpippError
from mpipp.model import (
    KINDS,
    MEANWHILE,
    NEVER,
    Broken,
    ProcessInfo,
    Request,
    Site,
    Thread,
    Touch,
)
from mpipp.registry.describe_adapter import Recorded
from mpipp.registry.memory.address_space import Memory
from mpipp.registry.registry import Known, Registry
from mpipp.symbolizer.process_symbols import Places, StackFrame
from mpipp.watcher.ipc.layouts import (
    CHANGE,
    NOTE,
    QUESTION,
    TOUCHED,
    Awaits,
    ChangeKind,
    Ends,
    Moved,
    NoteKind,
)
from mpipp.watcher.ipc.shared_memory import FileMemory
from mpipp.watcher.processes.access_details import of_program, own_frames

MOST_BYTES = 1 << 21  # the largest size of a query

_MOST_ASKED = 1 << 16  # queries at once

_WORD = 8
_KINDS: dict[int, str] = {
    ChangeKind.SENT: changed_while_pending.SENT,
    ChangeKind.RECEIVED: changed_while_pending.RECEIVED,
    ChangeKind.GONE: changed_while_pending.GONE,
}
NOTHING, ANSWER, CLEARED, PLACE, TOUCH, STOP, OWNERS = map(int, Awaits)
_MOVED: dict[int, bool] = {Moved.NOT_MOVED: False, Moved.MOVED: True}
_ENDS: dict[int, str] = {
    Ends.MAYBE: "may complete",
    Ends.ENDS: "completes",
    Ends.FREED: "gives up",
    Ends.NEVER: NEVER,
    Ends.MEANWHILE: MEANWHILE,
}
_NO_HANDLE = (1 << 64) - 1
_NO_GAPS: Sequence[Gap] = ()


class Question(NamedTuple):
    """A query as the process has sent it."""

    tid: int
    status: int  # the state of MPI
    awaits: int  # what the process waits for: NOTHING, ...
    call: bytes  # the record of the call
    objects: dict[tuple[str, int], int]  # addresses of records, by kind and handle
    memory: list[tuple[int, bytes]]
    # Addresses of records, by kind: requests, and files with split calls.
    pending: dict[str, list[int]]
    others: list[tuple[int, bytes]]  # calls of other threads: thread id and record
    touches: list[Touch]
    freed: list[FreedMemory]
    changes: list[changed_while_pending.Change]
    frames: list[StackFrame]
    gaps: list[Gap]  # holes in memory, for buffers that may have some
    # Heap blocks that contain the start of a buffer: [low, high).
    heap_blocks: list[tuple[int, int]]
    python: list[tuple[int, int]]  # the Python frame of the call, and Py_Version

    @property
    def frame(self) -> StackFrame | None:
        """The stack frame that contains the accessed or changed bytes; None if they are not on a
        stack."""
        return self.frames[0] if self.frames else None


def read(memory: Memory, address: int, call_size: int) -> Question:
    """Read the query at an address. Raises MpippError if it is damaged."""
    magic, size, tid, status, awaits, _ = QUESTION.read(memory.read(address, QUESTION.size))
    begin = QUESTION.size + call_size
    if magic != b"MPIPPQU\0" or not begin <= size <= MOST_BYTES:
        raise MpippError("a query of a watched process is damaged")
    data = memory.read(address, size)
    question = Question(
        tid, status, awaits, data[QUESTION.size : begin], {}, [], {}, [], [], [], [], [], [], [], []
    )
    at = begin
    while at + NOTE.size <= size:
        kind, _, length, a, b, record = NOTE.read(data, at)
        at += NOTE.size
        content = data[at : at + length]
        at += (length + 7) & ~7
        if kind == NoteKind.OBJECT and a < len(KINDS):
            if b != _NO_HANDLE:
                question.objects.setdefault((KINDS[a], b), record)
        elif kind == NoteKind.MEMORY:
            question.memory.append((a, content))
        elif kind == NoteKind.PENDING and b < len(KINDS):
            question.pending.setdefault(KINDS[b], []).append(a)
        elif kind == NoteKind.OTHER:
            question.others.append((b, content))
        elif kind == NoteKind.TOUCH and len(content) > TOUCHED.size:
            question.touches.append(_touch(content))
        elif kind == NoteKind.GIVEN_BACK and len(content) >= _WORD:
            question.freed.append(FreedMemory(a, a + b, _site(content)))
        elif kind == NoteKind.CHANGE and len(content) == CHANGE.size:
            question.changes.append(_change(content))
        elif kind == NoteKind.FRAME:
            question.frames.append(StackFrame(a, b, _registers(content)))
        elif kind in (NoteKind.READ_ONLY, NoteKind.UNMAPPED) and a < b:
            question.gaps.append(Gap(a, b, kind == NoteKind.READ_ONLY))
        elif kind == NoteKind.HEAP_BLOCK and a < b:
            question.heap_blocks.append((a, b))
        elif kind == NoteKind.PYTHON:
            question.python.append((a, b))
    return question


def following(memory: Memory, address: int) -> list[int]:
    """The addresses of a query and of the queries linked behind it. Raises MpippError."""
    found: list[int] = []
    while address and len(found) < _MOST_ASKED:
        found.append(address)
        *_, address = QUESTION.read(memory.read(address, QUESTION.size))
    return found


def _touch(content: bytes) -> Touch:
    serial, address, tid, stores, moved, ends, size = TOUCHED.read(content)
    site = _site(content[TOUCHED.size :])
    end = _ENDS.get(ends, "")
    return Touch(serial, address, bool(stores), tid, site, _MOVED.get(moved), end, bytes=size)


def _registers(content: bytes) -> dict[int, int]:
    # Leave out zeros: the register is unknown, or its value is useless.
    whole = content[: len(content) // _WORD * _WORD]
    words = (word for (word,) in struct.iter_unpack("=Q", whole))
    return {number: word for number, word in enumerate(words) if word}


def _site(content: bytes) -> Site:
    whole = content[: len(content) // _WORD * _WORD]
    instruction, *callers = (word for (word,) in struct.iter_unpack("=Q", whole))
    # A call site is a return address, so the look-up of its line subtracts one byte.
    return Site(instruction + 1, tuple(callers))


def _change(content: bytes) -> changed_while_pending.Change:
    number, address, start, count, before, now = CHANGE.read(content)
    kind = _KINDS.get(number, changed_while_pending.GONE)
    known = before[:count] if kind == changed_while_pending.SENT else b""
    return changed_while_pending.Change(kind, address, start, known, now[:count])


class Overlay:
    """A process's memory, with earlier copies in place of some bytes."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self.pieces: list[tuple[int, bytes]] = []

    def read(self, address: int, length: int) -> bytes:
        end = address + length
        over = [(a, data) for a, data in self.pieces if a < end and address < a + len(data)]
        for start, data in over:
            if start <= address and end <= start + len(data):
                return data[address - start : end - start]
        content = self._memory.read(address, length)
        for start, data in reversed(over):
            low, high = max(start, address), min(start + len(data), end)
            content = (
                content[: low - address]
                + data[low - start : high - start]
                + content[high - address :]
            )
        return content


class QueryRecords(Registry):
    """The registry reduced to a query: one call, and the records whose buffers overlap its
    buffers."""

    def __init__(self, memory: Memory, address: int, places: Places) -> None:
        self._overlay = Overlay(memory)
        self._places = places
        super().__init__(self._overlay, address)
        self._question: Question | None = None
        self._info: ProcessInfo | None = None  # read when first needed

    @property
    def call_size(self) -> int:
        """The size of a call's record in bytes."""
        return self._calls.size

    def ask(self, question: Question) -> None:
        """Show the records of this query from now on."""
        self._question = question
        self._info = None
        self._overlay.pieces = question.memory
        self.invalidate()

    @property
    def info(self) -> ProcessInfo:
        question = self._question
        if question is None:
            return super().info
        if self._info is None:
            status = self._source.enumerator("status", question.status)
            self._info = replace(super().info, status=status)
        return self._info

    def find(self, kind: str, handle: int, place: int | None = None) -> Known | None:
        if self._question is None:
            return super().find(kind, handle, place)
        wanted = handle % (1 << 8 * self._source.handle_size(kind))
        record = self._question.objects.get((kind, wanted))
        if record is not None:
            return self.at(kind, record)
        # The query lacks this object, so it may have changed since. Only MPI's own objects cannot.
        found = super().find(kind, handle)
        if found is None or isinstance(found, Broken):
            return None
        return found if found.header.predefined or found.header.null else None

    def is_zero(self, address: int) -> bool:
        """Return whether the query's copy of memory has a zero word at an address. The memory
        itself may have been freed since."""
        known = self._question.memory if self._question else ()
        return any(start == address and not any(data[:_WORD]) for start, data in known)

    def threads(self) -> Iterator[Thread | Broken]:
        question = self._question
        if question is None:
            return
        for tid, record in [(question.tid, question.call), *question.others]:
            try:
                call = self._calls.call(record)
                if call.state == "active":  # otherwise the query is about accesses between calls
                    yield Thread(tid, tid, 0, 1, call)
            except MpippError as error:
                yield Broken("thread", 0, str(error))

    def pending_requests(self) -> Iterator[Request | Broken]:
        for found in self._pending("request"):
            if isinstance(found, (Request, Broken)):
                yield found

    def _pending(self, kind: str) -> Iterator[Known]:
        # Both buffers of a call may overlap one pending operation: yield that operation once.
        for record in dict.fromkeys(self._question.pending.get(kind, ()) if self._question else ()):
            yield self.at(kind, record)

    def touches(self) -> Iterator[Touch]:
        question = self._question
        for touch in question.touches if question else ():
            yield of_program(touch, self._places, question.frame if question else None)

    def onesided(self) -> None:
        """Return None: queries do not concern RMA logs."""

    def freed_memory(self) -> Iterator[FreedMemory]:
        """The memory that the program freed while an operation was pending."""
        for one in self._question.freed if self._question else ():
            yield one._replace(site=own_frames(one.site, self._places))

    def objects(self, kind: str, ended: bool = False) -> Iterator[Known]:
        return self._pending(kind) if kind == "file" else super().objects(kind, ended)


class Asker(Recorded):
    """Answers the queries of one process."""

    def __init__(self, memory: FileMemory, root: int, places: Places) -> None:
        self._memory = memory
        self.registry: QueryRecords = QueryRecords(memory, root, places)
        self._places = places

    def process(self, number: int, address: int) -> tuple[Process, Question]:
        """Read the query at an address. Returns the process, with only the query's records, and the
        query.

        Raises MpippError.
        """
        question = read(self._memory, address, self.registry.call_size)
        self.registry.ask(question)
        return Process(number, self.registry, self, (*_low(), *question.gaps)), question

    def function(self, address: int) -> str:
        """The function at an address, as `<name>`."""
        return self._places.function(address)

    def file(self, address: int) -> str:
        """The path of the file that contains an address of code; "" if unknown."""
        return self._places.file(address)


def _low() -> Sequence[Gap]:
    # Addresses that the system never maps, around the null pointer.
    try:
        with open("/proc/sys/vm/mmap_min_addr", encoding="ascii") as file:
            least = int(file.read())
    except (OSError, ValueError):
        return _NO_GAPS
    return (Gap(0, least, False),) if least > 0 else _NO_GAPS
