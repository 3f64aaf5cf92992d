# SPDX-License-Identifier: MIT
"""`mpipp make`: source code that creates the datatype for a struct of the program."""

from __future__ import annotations

import re
from collections.abc import Iterable

import gdb

from mpipp.common.errors import MpippError
from mpipp.gdb.commands import print_
from mpipp.gdb.commands.base import Command
from mpipp.gdb.parser import operands

_LANGUAGES = ("--c", "--fortran", "--mpi4py")
_NAME = re.compile(r"(?:^|\s)--name(?:\s+([^\W\d]\w*))?(?=\s|$)")


class Make(Command):
    """Print source code that creates the datatype of a struct, class or derived type.

    mpipp make STRUCT [--c|--fortran|--mpi4py] [--name NAME]

    STRUCT        a type (struct particle, particle, type(particle)), a variable or an expression
    --c, ...      the language of the code (default: the language of the program)
    --name NAME   the name of the function

    The code preserves padding with offsets and MPI_Type_create_resized. It leaves out pointers, and
    sends members without an MPI type (unions, bit fields) as bytes: comments in the code mark them.
    "mpipp compare" checks the datatype that the function returns.
    """

    name = "mpipp make"
    completes = gdb.COMPLETE_EXPRESSION

    def lines(self, argument: str) -> Iterable[str]:
        """Yield the lines of output."""
        if argument.startswith("["):  # the user means a variable of this name
            return print_.show(f"make{argument}")
        function, rest = _named(argument)
        options, text = operands.options(rest, _LANGUAGES)
        if not text:
            raise MpippError("write mpipp make STRUCT [--c|--fortran|--mpi4py] [--name NAME]")
        if len(options) > 1:
            raise MpippError(f"write one of {', '.join(_LANGUAGES)}")
        from mpipp.gdb.analysis import make_text  # takes some time to load

        return make_text.lines(text, "".join(options), function)


def _named(argument: str) -> tuple[str, str]:
    found = _NAME.search(argument)
    if found is None:
        return "", argument
    if not found[1]:
        raise MpippError("write a function's name after --name")
    return found[1], argument[: found.start()] + " " + argument[found.end() :]
