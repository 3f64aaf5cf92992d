# SPDX-License-Identifier: MIT
"""The frames of a stopped thread: of the program, of libraries, and of Python."""

from __future__ import annotations

import os
import re
from typing import Any, NamedTuple

import gdb

from mpipp.common.errors import MpippError
from mpipp.dap.arguments import Arguments, optional, required
from mpipp.gdb.all_ranks import thread_stack
from mpipp.gdb.dap.threads import Threads
from mpipp.gdb.program import abandoned_frames, calling_frame, sessions, symbol_names
from mpipp.symbolizer.demangle import source_name
from mpipp.symbolizer.source_frames import Frame as SourceFrame

_MOST = 1000
_EVALUATES = re.compile(r"_?PyEval_|_PyFunction_Vectorcall")


class _Entry(NamedTuple):
    # A frame that gdb knows by its level, or a frame of Python code.
    level: int
    python: SourceFrame | None = None


class Place(NamedTuple):
    """A frame that the client refers to by a number.

    Attributes:
        level: 0 for the newest frame; -1 for a frame of Python code.
        order: the position in the stack that the client sees.
    """

    rank: int
    thread: int
    level: int
    order: int


class Frames:
    """The frames that the client knows. Frames become invalid when their thread runs."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads
        self._places: dict[int, Place] = {}
        self._numbers: dict[Place, int] = {}
        self._entries: dict[int, list[_Entry]] = {}  # by the number of the thread
        self._next = 1

    def forget(self, threads: set[int]) -> None:
        """Forget the frames of threads that run."""
        for number in threads:
            self._entries.pop(number, None)
        for key in [key for key, place in self._places.items() if place.thread in threads]:
            del self._numbers[self._places.pop(key)]

    def select(self, number: int) -> Place:
        """Select the frame with a number. Raises MpippError."""
        place = self._places.get(number)
        if place is None:
            raise MpippError(f"there is no frame {number}: its rank has run since")
        self._threads.stopped(place.thread)
        if place.level < 0:
            raise MpippError("gdb cannot evaluate expressions in a frame of Python")
        frame = _at(place.level)
        if frame is None:
            raise MpippError(f"there is no frame {number} any more")
        frame.select()
        return place

    def _number(self, place: Place) -> int:
        number = self._numbers.setdefault(place, self._next)
        if number == self._next:
            self._places[number] = place
            self._next += 1
        return number

    def is_python(self, number: int) -> bool:
        """Return whether a frame is a frame of Python code."""
        place = self._places.get(number)
        return place is not None and place.level < 0

    def trace(self, arguments: Arguments) -> dict[str, Any]:
        """Return the answer to `stackTrace`. Raises MpippError."""
        number = required(arguments, "threadId", int)
        rank, thread = self._threads.stopped(number)
        if number not in self._entries:
            self._entries[number] = _entries(thread)
        every = self._entries[number]
        start = max(0, optional(arguments, "startFrame", 0))
        count = optional(arguments, "levels", 0)
        wanted = every[start : start + count if count > 0 else None]
        frames = {}
        if any(one.python is None for one in wanted):
            last = max(one.level for one in wanted)
            frames = dict(enumerate(abandoned_frames.frames(last + 1)))
        has_python = any(one.python is not None for one in every)
        found = []
        for index, one in enumerate(wanted, start):
            if one.python is not None:
                body = _python_body(one.python)
            elif one.level in frames:
                body = _body(frames[one.level], has_python)
            else:
                continue
            found.append(
                {
                    "id": self._number(Place(rank, number, -1 if one.python else one.level, index)),
                    **body,
                }
            )
        return {"stackFrames": found, "totalFrames": len(every)}


def _at(level: int) -> gdb.Frame | None:
    for number, frame in enumerate(abandoned_frames.frames(level + 1)):
        if number == level:
            return frame
    return None


def _entries(thread: gdb.InferiorThread) -> list[_Entry]:
    frames = list(abandoned_frames.frames(_MOST))
    found = [_Entry(level) for level in range(len(frames))]
    session = sessions.current()
    if session is None:
        return found
    python = list(calling_frame.python_frames(thread.ptid[1], session))
    if not python:
        return found
    # Insert the frames of the Python code before the first frame of Python's interpreter.
    names = (symbol_names.function(frame) for frame in frames)
    place = next((i for i, name in enumerate(names) if _EVALUATES.match(name)), len(frames))
    return [*found[:place], *(_Entry(place, one) for one in python), *found[place:]]


def _python_body(frame: SourceFrame) -> dict[str, Any]:
    source = {"name": os.path.basename(frame.path), "path": frame.path}
    return {"name": frame.function, "line": frame.line, "column": 0, "source": source}


def _body(frame: gdb.Frame, has_python: bool) -> dict[str, Any]:
    line = frame.find_sal()
    library = os.path.basename(symbol_names.library(frame.pc()))
    name = source_name(symbol_names.function(frame)) or f"{frame.pc():#x}"
    is_folded = has_python or thread_stack.is_folded(frame)
    body: dict[str, Any] = {
        "name": name,
        "line": 0,
        "column": 0,
        "instructionPointerReference": f"{frame.pc():#x}",
    }
    if line.symtab is not None and line.line:
        path = symbol_names.path(line.symtab)
        body["line"] = line.line
        body["source"] = {"name": os.path.basename(path), "path": path}
        if is_folded:
            body["source"]["presentationHint"] = "deemphasize"
    elif library:
        body["name"] = f"{name} in {library}"
    if is_folded:
        body["presentationHint"] = "subtle"
    return body
