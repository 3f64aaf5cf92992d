# SPDX-License-Identifier: MIT
"""Output for gdb's user, in colour if the user wants it and gdb can do it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import gdb

from mpipp.common.text.sanitize import Styled, plain
from mpipp.gdb import console, settings


def write(lines: Iterable[str]) -> None:
    """Write lines one by one; gdb pages them."""
    coloured = settings.coloured()
    for line in (plain(line, "\t") for line in lines):
        gdb.write(_coloured(line) + "\n" if coloured else line + "\n")


def write_part(text: str) -> None:
    """Write the first part of a long text at once."""
    text = plain(text, "\n")
    gdb.write(_coloured(text) if settings.coloured() else text)
    gdb.flush()


def write_prompt(prompt: str) -> None:
    """Write a prompt again, after output that came while it was shown."""
    gdb.write(prompt)


def leave_prompt(is_terminal: bool) -> None:
    """Begin a line where the prompt is: on a terminal, the line replaces it."""
    gdb.write("\r" if is_terminal else "\n")


def write_to(stream: int, line: str) -> None:
    """Write a line to one of gdb's streams, gdb.STDOUT or gdb.STDERR."""
    gdb.write(f"{plain(line, '')}\n", stream)


def _coloured(text: str) -> str:
    if isinstance(text, Styled):
        return text
    try:
        from pygments import highlight
        from pygments.formatters import TerminalFormatter
        from pygments.formatters.terminal import TERMINAL_COLORS
        from pygments.lexers import CLexer
        from pygments.token import Token
    except ImportError:  # gdb's Python may lack pygments
        return text
    # The lexer would strip leading white space.
    lexer = CLexer(stripnl=False, ensurenl=False)
    # Blocks of a plot, and the quotes of a sentence, are no errors in a C program.
    colours = {**TERMINAL_COLORS, Token.Error: ("", "")}
    result: str = highlight(text, lexer, TerminalFormatter(colorscheme=colours))
    return result


@contextmanager
def quiet() -> Iterator[None]:
    """Hide gdb's notices on the terminal while its commands stop and select processes.

    The output of commands and the notices to other front ends stay.
    """
    try:
        is_quiet = gdb.parameter("suppress-cli-notifications")
    except RuntimeError:  # gdb before 12 lacks this setting
        is_quiet = True
    if is_quiet:
        yield
        return
    console.execute("set suppress-cli-notifications on")
    try:
        yield
    finally:
        console.execute("set suppress-cli-notifications off")
