# SPDX-License-Identifier: MIT
"""The output of `mpipp make`: source code for a struct in the debug information."""

from __future__ import annotations

from collections.abc import Iterable

from mpipp.common.errors import MpippError
from mpipp.gdb.lookup import named_objects
from mpipp.gdb.program import debug_types
from mpipp.program_types import generate
from mpipp.program_types.types import Array, Record


def lines(text: str, option: str, function: str) -> Iterable[str]:
    """The code for the struct that `text` names.

    Args:
        option: "--c", "--fortran" or "--mpi4py"; "" means the language of the program.
    """
    language = debug_types.language_names()
    record = _record(text)
    if option == "--mpi4py":
        return generate.mpi4py(record, function)
    if option == "--fortran" or (language.fortran and not option):
        if not language.fortran:
            raise MpippError(f"{record.name} is not a derived type: write --c or --mpi4py")
        return generate.fortran(record, function)
    if language.fortran:
        raise MpippError(f"{record.name} is not a type of C: write --fortran or --mpi4py")
    return generate.c(record, function, language.cxx)


def _record(text: str) -> Record:
    layout = named_objects.of_text(text, access=True).layout
    kind = layout.kind
    if isinstance(kind, Array):
        raise MpippError(f"{text} is an array: make the datatype of one element")
    if not isinstance(kind, Record):
        raise MpippError(
            f"{kind.name} needs no new datatype: name a struct, or a variable of a struct type"
        )
    return kind
