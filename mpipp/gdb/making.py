# SPDX-License-Identifier: MIT
"""What `mpipp make` says: source code for a struct that debug information describes."""

from __future__ import annotations

from collections.abc import Iterable

from mpipp.errors import MpippError
from mpipp.gdb.program import debugtypes, objects
from mpipp.programtypes import make
from mpipp.programtypes.structs import Array, Record


def lines(text: str, option: str, function: str) -> Iterable[str]:
    """The code for the struct that is named.

    option: "--c", "--fortran" or "--mpi4py"; "": the program's language.
    """
    language = debugtypes.language_names()
    record = _record(text)
    if option == "--mpi4py":
        return make.mpi4py(record, function)
    if option == "--fortran" or (language.fortran and not option):
        if not language.fortran:
            raise MpippError(f"{record.name} is no derived type: write --c or --mpi4py")
        return make.fortran(record, function)
    if language.fortran:
        raise MpippError(f"{record.name} is no type of C: write --fortran or --mpi4py")
    return make.c(record, function, language.cxx)


def _record(text: str) -> Record:
    layout = objects.of_text(text, access=True).layout
    kind = layout.kind
    if isinstance(kind, Array):
        raise MpippError(f"{text} is an array: make the datatype of one element")
    if not isinstance(kind, Record):
        raise MpippError(
            f"{kind.name} needs no datatype of its own: name a struct, or a variable of one"
        )
    return kind
