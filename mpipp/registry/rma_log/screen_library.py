# SPDX-License-Identifier: MIT
"""The screen of RMA logs: a C library that quickly finds logs which certainly have no findings.

It replays the logs of all processes like `analysis/rma_engine`, but knows only the usual calls. It
compares accesses by their bounds, and ends at an entry that it does not know. So it decides
nothing: then the engine analyses the same logs. If only pairs of accesses are suspicious, the
screen selects the entries that the engine needs to analyse them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mpipp.common.errors import MpippError
from mpipp.model import procedures
from mpipp.model.rma_events import UNKNOWN
from mpipp.model.rma_logs import ScreenedLog, Selection, UsedFlag

# Must match enum mpipp_screen_question, in wrapper/rma_screen/screen.h.
_MEMORY, _BASIC, _OP, _PROCEDURE, _WINDOW, _PROGRESS, _FLAG_USE = range(7)
# Must match enum mpipp_screen_procedure. The names are those of the procedures without "MPI_".
_NAMES = (
    "other",
    *("put", "get", "accumulate", "get_accumulate", "fetch_and_op", "compare_and_swap"),
    *("win_fence", "win_lock", "win_lock_all", "win_unlock", "win_unlock_all"),
    *("win_flush", "win_flush_all", "win_flush_local", "win_flush_local_all"),
    *("win_sync", "win_free", "win_start", "win_complete", "win_post", "win_wait"),
    *("from_root", "to_root", "prefix", "for_nobody"),
)
PROCEDURES = {name: number for number, name in enumerate(_NAMES)}
_WITH_REQUEST = 1 << 8
_OPS = ("", "MPI_NO_OP", "MPI_REPLACE")  # in the order of their numbers
_ANSWERS = 6
_WORD = 64  # bits

_Ask = ctypes.CFUNCTYPE(
    ctypes.c_int,
    ctypes.c_int,
    *(ctypes.c_uint64 for _ in range(3)),
    ctypes.POINTER(ctypes.c_int64),
)


# Must match MPIPP_SCREEN_SELECTED.
SELECTED = -1


class _Log(ctypes.Structure):
    _fields_ = (
        ("words", ctypes.c_void_p),
        ("count", ctypes.c_uint64),
        ("rank", ctypes.c_uint64),
        ("selected", ctypes.c_void_p),
        ("entries", ctypes.c_uint64),
    )


def load(path: str) -> Callable[..., int] | None:
    """Return the library's function; None if it was not built, or belongs to another version."""
    try:
        function = ctypes.CDLL(path).mpipp_rma_screen
    except (OSError, AttributeError):
        return None
    function.argtypes = (ctypes.POINTER(_Log), ctypes.c_uint64, _Ask)
    function.restype = ctypes.c_int
    return function


def screen(
    function: Callable[..., int],
    logs: Sequence[ScreenedLog],
    progress: Callable[[int], None] | None = None,
) -> tuple[int, list[Selection]]:
    """Return 0 if the logs of all processes certainly have no findings.

    Otherwise returns a number that identifies the reason: a line of a source, or SELECTED with the
    entries of each log that the engine needs.

    Args:
        progress: called sometimes, with the number of words that were read since the last time.
    """
    given = (_Log * len(logs))()
    marks = [bytearray(len(one.words) or 1) for one in logs]  # an entry has at least one word
    for at, (one, mark) in enumerate(zip(logs, marks)):
        start = ctypes.addressof(ctypes.c_char.from_buffer(mark))
        words = one.words.buffer_info()[0]
        given[at] = _Log(words, len(one.words), one.rank, start, len(one.words))
    questions = _Questions(logs, progress)
    reason = function(given, len(logs), _Ask(questions.answer))
    if reason != SELECTED:
        return reason, []
    for some in questions.used:
        some.sort(key=lambda used: used.entry)
    return reason, list(map(Selection, marks, questions.used))


class _Questions:
    # The answers to the library's questions about the records of each process.

    def __init__(self, logs: Sequence[ScreenedLog], progress: Callable[[int], None] | None) -> None:
        self._logs = logs
        self._progress = progress
        self._ops = {name: number for number, name in enumerate(_OPS) if name}
        self._basics: dict[str, int] = {}
        self.used = [list[UsedFlag]() for _ in logs]
        self._answers: Mapping[int, Callable[[ScreenedLog, int, int], Sequence[int] | None]] = {
            _MEMORY: self._memory,
            _BASIC: self._basic,
            _OP: self._op,
            _PROCEDURE: lambda log, number, _: (_procedure(log.procedure_name(number)),),
            _WINDOW: _window,
            _PROGRESS: self._read,
        }

    def answer(self, question: int, log: int, one: int, other: int, out: Any) -> int:
        """Answer a question. Returns 0, or 1 if there is no answer."""
        if question == _FLAG_USE:
            self.used[log].append(UsedFlag(one, *out[:4]))
            return 0
        try:
            found = self._answers[question](self._logs[log], one, other)
        except (MpippError, ValueError, IndexError, KeyError):  # the records are damaged
            return 1
        if found is None or not all(-(1 << 62) < number < 1 << 62 for number in found):
            return 1
        for at, number in enumerate(found):
            out[at] = number
        return 0

    def _memory(self, log: ScreenedLog, record: int, count: int) -> Sequence[int] | None:
        signed = count - (count >> _WORD - 1 << _WORD)
        memory = log.memory(record, signed, 0)
        if memory == UNKNOWN:
            return None
        doubles = log.doubles(record, signed)
        if not memory:
            return 0, 0, 0, 0, 1, doubles
        if len(memory) == 1:
            first, length, stride, times = memory[0]
            return first, length, stride if times > 1 else 0, times, 1, doubles
        ends = [
            (first + min(0, stride * (times - 1)), first + max(0, stride * (times - 1)) + length)
            for first, length, stride, times in memory
            if length > 0 and times > 0
        ]
        low, high = min(low for low, _ in ends), max(high for _, high in ends)
        return low, high - low, 0, 1, 0, doubles

    def _basic(self, log: ScreenedLog, record: int, _: int) -> Sequence[int]:
        name, size = log.basic(record)
        return self._basics.setdefault(name, len(self._basics)), size

    def _op(self, log: ScreenedLog, handle: int, _: int) -> Sequence[int]:
        name = log.op(handle) or "MPI_REPLACE"
        return (self._ops.setdefault(name, len(self._ops) + 1),)

    def _read(self, log: ScreenedLog, words: int, _: int) -> Sequence[int]:
        if self._progress is not None:
            self._progress(words)
        return ()


def _window(log: ScreenedLog, flavor: int, model: int) -> Sequence[int] | None:
    word = log.word("win_flavor", flavor)
    if word not in ("create", "allocate") or log.word("win_model", model) == "separate":
        return None
    return (word == "create",)


def _procedure(name: str) -> int:
    known = name.removeprefix("MPI_").removesuffix("_c").lower()
    known = "win_wait" if known == "win_test" else known  # a successful test
    if known in PROCEDURES:
        return PROCEDURES[known]
    if known[:1] == "r" and known[1:] in PROCEDURES:
        return PROCEDURES[known[1:]] + _WITH_REQUEST
    called = procedures.procedure(name)
    if called.waits_for_nobody:
        return PROCEDURES["for_nobody"]
    return PROCEDURES.get(called.flow.replace(" ", "_"), PROCEDURES["other"])
