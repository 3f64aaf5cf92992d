# SPDX-License-Identifier: MIT
"""The file with the RMA log of a process, beside the process's file.

The process's file has the names of the numbers in the log (`described`). The log's file begins with
a head in JSON. The words of the log follow, 8 bytes each, lowest byte first, compressed by zlib.
"""

from __future__ import annotations

import json
import os
import sys
import zlib
from array import array
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from mpipp.common.errors import MpippError
from mpipp.common.run_directory import LOGS, opened, parsed
from mpipp.distributed.process_file import decompression
from mpipp.model import Broken, DatatypeRecord, Site
from mpipp.model.rma_logs import MovedLog
from mpipp.registry.rma_log.decode_entries import ENUMERATIONS, PAGE_BITS, Around
from mpipp.registry.rma_log.log import Log

FORMAT, VERSION = "log", 4
_MOST_HEAD = 4096  # bytes
_LEVEL = 1  # fast compression, because processes wait for it
_WORD = 8  # bytes


class RmaLogFile(NamedTuple):
    """The description of a log, from the process's file."""

    words: int
    procedures: Mapping[int, str]
    enumerations: Mapping[str, Mapping[int, str]]
    lost: int
    damaged: bool


class Process(NamedTuple):
    """Further facts about the process, see `Around`."""

    rank: int
    size: int
    datatype: Callable[[int], DatatypeRecord | Broken]
    op: Callable[[int], object]
    site: Callable[[int], Site]


def path_of(path: str) -> str:
    """Return the path of a log, from the path of its process's file."""
    folder, name = os.path.split(path)
    return os.path.join(os.path.dirname(folder), os.path.basename(LOGS), name)


def described(moved: MovedLog) -> dict[str, Any]:
    """Return the description of a log for the process's file."""
    return {**moved._asdict(), "words": len(moved.words)}


def description(said: Any) -> RmaLogFile:
    """Read a description, as `described` returns it.

    Raises TypeError, KeyError or ValueError for invalid values.
    """
    numbers = {name: _names(said["enumerations"][name]) for name in ENUMERATIONS}
    words, lost, damaged = said["words"], said["lost"], said["damaged"]
    if not (type(words) is int and words >= 0 and type(lost) is int and type(damaged) is bool):
        raise TypeError
    return RmaLogFile(words, _names(said["procedures"]), numbers, lost, damaged)


def _names(said: Any) -> dict[int, str]:
    return {int(number): str(name) for number, name in said.items()}


def content(moved: MovedLog) -> bytes:
    """Return the content of a log's file."""
    words = moved.words
    if sys.byteorder != "little":
        words = array("Q", words)
        words.byteswap()
    rest = zlib.compress(words.tobytes(), _LEVEL)
    head = {"mpipp": FORMAT, "version": VERSION, "words": len(words), "bytes": len(rest)}
    return json.dumps(head).encode() + b"\n" + rest


def read(left: RmaLogFile, path: str, process: Process) -> Log | None:
    """Return the log in a file; None if the file does not exist.

    Raises MpippError if the file is unreadable or damaged.
    """
    try:
        with opened(path) as file:
            size = _size(file.readline(_MOST_HEAD), left, path)
            words = _words(decompression.pieces(file, size, _WORD * left.words, path))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise MpippError(f"cannot read {path}: {error.strerror}") from None
    except MemoryError:
        raise MpippError(f"cannot read {path}: there is not enough memory") from None
    if len(words) != left.words:
        raise MpippError(f"{path} is damaged: it has {len(words)} words instead of {left.words}")
    names = _Naming(left, process.site)
    around = Around(names, process.datatype, process.op, process.rank, process.size, left.lost)
    return Log(around, words, is_whole=not left.damaged)


def _size(line: bytes, left: RmaLogFile, path: str) -> int:
    # The size in bytes of the part behind the head.
    try:
        said = parsed(line)
        known, version, words, size = (said[k] for k in ("mpipp", "version", "words", "bytes"))
    except (ValueError, KeyError, TypeError):
        known = size = None
    if known != FORMAT or type(size) is not int:
        raise MpippError(f"{path} is not a log of mpipp")
    if version != VERSION:
        raise MpippError(
            f"{path} was written by another version of mpipp: use that version to compare it"
        )
    if words != left.words:
        raise MpippError(f"{path} belongs to another process than the process file beside it")
    return size


def _words(pieces: Iterable[bytes]) -> array[int]:
    # A piece may end within a word: keep its last bytes for the next piece.
    found, rest = array("Q"), b""
    for piece in pieces:
        data = rest + piece
        end = len(data) - len(data) % _WORD
        found.frombytes(data[:end])
        rest = data[end:]
    if sys.byteorder != "little":
        found.byteswap()
    return found


class _Naming:
    # The names of the numbers, as in `registry.rma_log.entries.EntryNames`.
    def __init__(self, left: RmaLogFile, site: Callable[[int], Site]) -> None:
        self._left = left
        self._site = site

    def enumeration(self, name: str) -> Mapping[int, str]:
        return self._left.enumerations.get(name, {})

    def enumerator(self, enumeration: str, value: int) -> str:
        name = self.enumeration(enumeration).get(value)
        if name is None and value:
            raise MpippError(f"{value} is not a value of {enumeration}")
        return name or ""

    def value(self, enumeration: str, name: str) -> int:
        values = self.enumeration(enumeration).items()
        return next((value for value, known in values if known == name), 0)

    def procedure(self, number: int) -> str:
        name = self._left.procedures.get(number)
        if name is None:
            raise MpippError(f"procedure number {number} is not in the table of procedures")
        return name

    def site(self, caller: int, frames: int) -> Site:
        return self._site(caller >> PAGE_BITS)
