# SPDX-License-Identifier: MIT
"""Writing to gdb's user, in colour where that is wanted and possible."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import gdb

from mpipp.datatypes import basictypes
from mpipp.gdb import parameters


def write(lines: Iterable[str]) -> None:
    """Write lines as they come; gdb pages them."""
    coloured = parameters.coloured()
    for line in map(_plain, lines):
        gdb.write(_coloured(line) + "\n" if coloured else line + "\n")


def write_part(text: str) -> None:
    """Write the beginning of a long line at once."""
    text = _plain(text)
    gdb.write(_coloured(text) if parameters.coloured() else text)
    gdb.flush()


def _plain(text: str) -> str:
    # What a program's names, its files' and damaged records may have in them.
    return basictypes.plain(text, "\n")


def _coloured(text: str) -> str:
    try:
        from pygments import highlight
        from pygments.formatters import TerminalFormatter
        from pygments.lexers import CLexer
    except ImportError:  # an extra of gdb's Python
        return text
    # The lexer would strip leading white space.
    lexer = CLexer(stripnl=False, ensurenl=False)
    result: str = highlight(text, lexer, TerminalFormatter())
    return result


@contextmanager
def quiet() -> Iterator[None]:
    """While gdb's commands stop and select processes: it tells the terminal of that, whatever is
    done with the output of the commands. Other front ends are told all the same."""
    try:
        is_quiet = gdb.parameter("suppress-cli-notifications")
    except RuntimeError:  # gdb before 12 has no such setting
        is_quiet = True
    if is_quiet:
        yield
        return
    gdb.execute("set suppress-cli-notifications on")
    try:
        yield
    finally:
        gdb.execute("set suppress-cli-notifications off")
