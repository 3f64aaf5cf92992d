# SPDX-License-Identifier: MIT
"""The base class of all commands. The class writes the commands' lines, and turns errors into one
sentence."""

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
    """A gdb command. The docstring of the class is its help, with a summary in the first line."""

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
        """Run the command, and turn mpipp's errors into gdb's. gdb calls this function."""
        try:
            with _no_collection(), abandoned_frames.any_thread(), sessions.at_prompt():
                output.write(self.lines(argument.strip()))
        except (MpippError, gdb.error) as error:
            raise gdb.GdbError(sentence(str(error))) from None
        except UnicodeDecodeError as error:  # a name that symbol_names.py cannot decode
            raise gdb.GdbError(sentence(f"gdb cannot read a name: {error}")) from None
        except MemoryError:
            raise gdb.GdbError("There is not enough memory to show this.") from None
        except RecursionError:
            raise gdb.GdbError("This is nested too deeply to show.") from None


@contextmanager
def _no_collection() -> Iterator[None]:
    # A command may decode 10^5 objects that stay alive. Garbage collection would search them for
    # cycles many times, and double the time of the command.
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def sentence(message: str) -> str:
    """An error's message as gdb prints it. The message may contain any words of the user."""
    message = _NUMBER.sub(_shortened, plain(" ".join(message.splitlines()), ""))
    # Only a message with one of these beginnings gets a capital letter: others may begin with the
    # user's words.
    first = r"there (is|are)|no element|th(e \w+|is thread|read \d)|a number|an expression|options"
    if re.match(rf"({first}|all threads|cannot|say|write|unrecognized)\b", message):
        message = message[0].upper() + message[1:]
    return console.encodable(message if message.endswith((".", "!", "?")) else message + ".")


def _shortened(number: re.Match[str]) -> str:
    return f"{number[0][:20]}... ({len(number[0])} digits)"
