# SPDX-License-Identifier: MIT
"""The base of all commands: errors become one sentence, lines are written."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import gdb

from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain
from mpipp.gdb import console, output
from mpipp.gdb.program import abandoned_frames, sessions

_NUMBER = re.compile(r"\d{100,}")


class Command(gdb.Command):
    """A command of gdb. Its class's docstring is its help, the first line a summary."""

    name = ""
    completes: int | None = gdb.COMPLETE_NONE  # None: the class has a method `complete`
    prefix = False

    def __init__(self) -> None:
        completes = {} if self.completes is None else {"completer_class": self.completes}
        super().__init__(self.name, gdb.COMMAND_DATA, prefix=self.prefix, **completes)

    def lines(self, argument: str) -> Iterable[str]:
        """Yield the lines of output. Raises MpippError."""
        raise NotImplementedError

    def invoke(self, argument: str, from_tty: bool) -> None:
        """Called by gdb. The one place where errors are turned into gdb's."""
        try:
            with _no_collection(), abandoned_frames.any_thread(), sessions.at_prompt():
                output.write(self.lines(argument.strip()))
        except (MpippError, gdb.error) as error:
            raise gdb.GdbError(sentence(str(error))) from None
        except UnicodeDecodeError as error:  # which names.py does not expect
            raise gdb.GdbError(sentence(f"gdb cannot read a name: {error}")) from None
        except MemoryError:
            raise gdb.GdbError("There is not enough memory to show this.") from None
        except RecursionError:
            raise gdb.GdbError("This is nested too deeply to show.") from None


@contextmanager
def _no_collection() -> Iterator[None]:
    # A command may decode 10^5 objects, which stay: looking for cycles among them, again and
    # again, would double its time.
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def sentence(message: str) -> str:
    """An error's message as gdb prints it; the user's words may be anything."""
    message = _NUMBER.sub(_shortened, plain(" ".join(message.splitlines()), ""))
    # A message that may begin with the user's words stays unchanged.
    first = r"there (is|are)|no element|th(e \w+|is thread|read \d)|a number|an expression|options"
    if re.match(rf"({first}|all threads|cannot|say|write|unrecognized)\b", message):
        message = message[0].upper() + message[1:]
    return console.encodable(message if message.endswith((".", "!", "?")) else message + ".")


def _shortened(number: re.Match[str]) -> str:
    return f"{number[0][:20]}... ({len(number[0])} digits)"
