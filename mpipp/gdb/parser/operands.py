# SPDX-License-Identifier: MIT
"""Parse the operands of comparisons: `TYPE COUNT with TYPE COUNT`, `TYPE ADDR COUNT`, `--json`.

An operand may begin with `@N`. Then the operand is evaluated in inferior N, in the innermost frame
of its first thread outside MPI in which TYPE has a meaning. Nothing else begins with `@` in gdb.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator

import gdb

from mpipp.common.errors import MpippError
from mpipp.common.lazy_dataclass import dataclass
from mpipp.gdb.parser import expressions
from mpipp.gdb.program import abandoned_frames, sessions, symbol_names
from mpipp.gdb.program.inferior_memory import selected
from mpipp.gdb.program.ranks import first_thread
from mpipp.gdb.program.sessions import Session
from mpipp.model import DatatypeRecord

_INFERIOR = re.compile(r"@\s*(\d+)(?:\s+|$)")
_FRAMES = 64
_LIBRARIES = ("libmpi", "libfmpi", "libpmpi")  # the MPI library, and the wrapper


@dataclass(frozen=True)
class Operand:
    """`count` entries of a datatype, in a buffer at `address` if the command needs a buffer."""

    text: str  # the expression of the datatype
    datatype: DatatypeRecord
    address: int | None
    count: int
    session: Session  # the session of the process with this datatype

    def place(self, path: str) -> str:
        """The address of an element as the user would write it: `s_type(STRUCT)[2][5](CHAR)`."""
        return f"{self.text}{path}"


def options(argument: str, known: Iterable[str]) -> tuple[frozenset[str], str]:
    """Split off the options (`--json` ...) at both ends of an argument. Raises MpippError."""
    known = tuple(known)
    rest = argument.strip()
    found: set[str] = set()
    while True:
        option = re.match(r"(--[\w-]+)(?=\s|$)", rest) or re.search(r"\s(--[A-Za-z][\w-]*)$", rest)
        if option is None:
            break
        if option[1] not in known:
            have = f"write {' or '.join(known)}" if known else "write none"
            raise MpippError(f"there is no option {option[1]}: {have}")
        found.add(option[1])
        rest = (rest[: option.start()] + rest[option.end() :]).strip()
    if re.search(r"\s--[a-z]", rest):  # gdb would evaluate --x, which changes x
        raise MpippError(f"write {' and '.join(known)} at the beginning or at the end")
    return frozenset(found), rest


def file_and_options(argument: str, known: Iterable[str], usage: str) -> tuple[str, frozenset[str]]:
    """Parse `--svg FILE` or one other option: the FILE or "", and the options.

    Raises MpippError with `usage` for any other words.
    """
    file, rest = option_file(argument, "--svg")
    found, rest = options(rest, (*known, "--svg"))
    if rest or "--svg" in found or len(found) + bool(file) > 1:
        raise MpippError(f"write {usage}")
    return file, found


def option_file(argument: str, option: str) -> tuple[str, str]:
    """Split off an option with a FILE, such as `--svg FILE`: the FILE or "", and the
    other words."""
    words = re.compile(rf"(?:^|\s){re.escape(option)}\s+(\S+)")
    file = words.search(argument)
    return file[1] if file else "", words.sub("", argument, count=1)


def split_with(argument: str, usage: str) -> tuple[str, str]:
    """Split "LEFT with RIGHT". Raises MpippError with `usage`."""
    sides = []
    for end in sorted(set(expressions.ends(argument))):
        word = re.match(r"\s+with(?=\s|$)", argument[end:])
        if word is not None:
            sides.append((argument[:end].strip(), argument[end + word.end() :].strip()))
    if len(sides) > 1:
        raise MpippError('there is more than one "with": write a variable of this name as (with)')
    if not sides or not all(sides[0]):
        raise MpippError(f"write {usage}")
    return sides[0]


def entries(text: str) -> Operand:
    """Parse "TYPE [COUNT]"; COUNT is 1 by default. Raises MpippError."""
    return _read(text, _entries)


def buffer(text: str) -> Operand:
    """Parse "TYPE ADDR [COUNT]"; COUNT is 1 by default. Raises MpippError."""
    return _read(text, _buffer)


def _entries(text: str, rest: str) -> tuple[int | None, int]:
    count = expressions.number(rest) if rest else 1
    if count < 0:
        raise MpippError(f"the count {count} of {text} is negative")
    return None, count


def _buffer(text: str, rest: str) -> tuple[int | None, int]:
    if not rest:
        raise MpippError(f"the address of the buffer is missing after {text}")
    return expressions.address_and_count(rest)


_Rest = Callable[[str, str], "tuple[int | None, int]"]


def _read(text: str, rest: _Rest) -> Operand:
    number = _INFERIOR.match(text)
    if number is None:
        return _operand(text, rest)
    wanted = number[1].lstrip("0")
    inferior = next((i for i in gdb.inferiors() if str(i.num) == wanted), None)
    if inferior is None:
        raise MpippError(f'there is no inferior {number[1]}: see "info inferiors"')
    text = text[number.end() :]
    if inferior.num == gdb.selected_inferior().num:
        return _operand(text, rest)
    with selected(inferior):
        if not inferior.threads():
            return _operand(text, rest)
        first_thread(inferior).switch()
        return _in_frames(text, rest)


def _in_frames(text: str, rest: _Rest) -> Operand:
    first: MpippError | None = None
    for frame in _frames():
        frame.select()
        try:
            expressions.target(text, sessions.required())
        except MpippError as error:
            first = first or error
            continue
        return _operand(text, rest)
    assert first is not None
    raise first


def _frames() -> Iterator[gdb.Frame]:
    # The innermost frames outside MPI. If all frames are inside MPI, the newest frame.
    frames: list[gdb.Frame] = []
    frame = abandoned_frames.newest_frame()
    while frame is not None and len(frames) < _FRAMES:
        frames.append(frame)
        frame = frame.older()
    inside = [i for i, frame in enumerate(frames) if _in_mpi(frame)]
    start = inside[-1] + 1 if inside else 0
    yield from frames[start:] or frames[:1]


def _in_mpi(frame: gdb.Frame) -> bool:
    library = os.path.basename(symbol_names.library(frame.pc()))
    return library.startswith(_LIBRARIES)


def _operand(text: str, rest: _Rest) -> Operand:
    session = sessions.required()
    target = expressions.target(text, session)
    found = target.found
    if not isinstance(found, DatatypeRecord):
        raise MpippError(
            f"{target.text} is a handle of kind {found.header.kind}: write an MPI_Datatype"
        )
    if target.element:
        raise MpippError(
            f"{target.text}{target.element} is a part of a datatype: write the whole datatype"
        )
    expressions.expect_elements(found, target.text)
    address, count = rest(target.text, target.rest)
    return Operand(target.text, found, address, count, session)
