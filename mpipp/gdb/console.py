# SPDX-License-Identifier: MIT
"""The only module that passes text to gdb as commands, expressions or type names.

gdb executes each line of a command, and a name in the program's debug information may be any text.
So a command consists of fixed words, numbers and, seldom, text of one line.
"""

from __future__ import annotations

import locale
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import gdb

from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain

Result = TypeVar("Result")
_waiting: list[Callable[[], None]] = []
_LANGUAGE = re.compile(r'(?:"|currently )([\w+-]+)"')


def execute(command: str, *words: int | str) -> None:
    """Run a command, with `words` in place of each `{}`. gdb writes its output.

    Raises gdb.error, and MpippError for a word of several lines.
    """
    gdb.execute(_line(command, words))


def output(command: str, *words: int | str) -> str:
    """Run a command as `execute` does, but return its output. Names in the output are not
    sanitized.

    Bytes that are not UTF-8 become surrogates (PEP 383), as in Python's file names.
    """
    return decoded(lambda: gdb.execute(_line(command, words), to_string=True))


def typed(text: str) -> str:
    """Run a command exactly as the user typed it, perhaps in several lines, and return its
    output."""
    return decoded(lambda: gdb.execute(text, to_string=True))


def value(expression: str) -> gdb.Value:
    """The value of an expression. Raises gdb.error, and MpippError for an expression of several
    lines."""
    return gdb.parse_and_eval(_single_line(expression))


def lookup_type(name: str) -> gdb.Type:
    """The type with this name. Raises gdb.error."""
    return gdb.lookup_type(_single_line(name))


def language() -> str:
    """The language in which gdb reads and writes expressions: "c", "c++", "fortran" ..."""
    found = _LANGUAGE.search(output("show language"))
    return found[1] if found else ""


@contextmanager
def language_c() -> Iterator[None]:
    """Let gdb read expressions in C within this context."""
    before = "auto" if '"auto' in output("show language") else language()
    execute("set language c")
    try:
        yield
    finally:
        execute("set language {}", before)


def quietly(action: Callable[[], Result]) -> Result:
    """Return the result of `action` without gdb's warnings, which may contain unsafe names."""
    done, errors, _ = _captured(action)
    if errors:
        raise errors[0]
    return done[0]


def checked(command: str, *words: int | str) -> None:
    """Run a command without output.

    Raises gdb.error with what gdb wrote before it failed, because often only that has the reason.
    """
    _, errors, written = _captured(lambda: gdb.execute(_line(command, words)))
    if errors and isinstance(errors[0], gdb.error):
        raise gdb.error(" ".join(plain(written.strip() or str(errors[0])).split()))
    if errors:
        raise errors[0]


def _captured(action: Callable[[], Result]) -> tuple[list[Result], list[BaseException], str]:
    # The result or the error, and what gdb writes meanwhile.
    done: list[Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            done.append(action())
        except BaseException as error:
            errors.append(error)

    _waiting.append(run)
    written = output("python __import__('sys').modules['mpipp.gdb.console']._run()")
    return done, errors, written


def _run() -> None:
    _waiting.pop()()


def decoded(read: Callable[[], str | None]) -> str:
    """Return the text from `read`, which calls gdb's Python; "" for None.

    gdb's Python raises an error for bytes that are not in the character set of the terminal.
    """
    try:
        return read() or ""
    except UnicodeDecodeError as error:
        return error.object.decode("utf-8", "surrogateescape")


def encodable(text: str) -> str:
    """Text that gdb accepts from printers and errors: in the character set of its terminal."""
    charset = gdb.parameter("host-charset")
    try:
        text.encode(locale.nl_langinfo(locale.CODESET) if charset == "auto" else charset)
    except (UnicodeEncodeError, LookupError):
        return text.encode("ascii", "backslashreplace").decode()
    return text


def _line(command: str, words: tuple[int | str, ...]) -> str:
    return command.format(
        *(_single_line(word) if isinstance(word, str) else word for word in words)
    )


def _single_line(text: str) -> str:
    if plain(text, "\t") != text:
        raise MpippError(f"{plain(text, '')} has control characters: write it without them")
    return text
