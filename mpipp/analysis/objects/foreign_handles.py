# SPDX-License-Identifier: MIT
"""Search for the intended handle, if a program passes another language's handle (MPI-4.1, 19.3.4).

In C the handles of some libraries are addresses; in Fortran all are small integers.
"""

from __future__ import annotations

from typing import NamedTuple

from mpipp.analysis.context.process import Process
from mpipp.model import Broken, Header
from mpipp.render.phrases import Phrase

FIRST_ADDRESS = 1 << 16  # the kernel maps no memory below this address
_HALF = (1 << 32) - 1
# The prefix of conversion procedures, if it is not the kind's own name.
_TYPES = {"datatype": "MPI_Type"}


class ForeignHandle(NamedTuple):
    """The handle that a wrong number comes from (Fortran's, or a half of C's), and advice."""

    why: Phrase
    advice: Phrase


def explain(process: Process, kind: str, handle: int) -> ForeignHandle | None:
    """Return the explanation for a number that is not a handle of this kind, or None."""
    addresses = process.registry.info.flavor == "Open MPI" or kind == "file"
    if not addresses:
        return None  # C and Fortran have the same handles
    for header in process.registry.headers(kind):
        if isinstance(header, Broken) or header.null or header.is_ended:
            continue
        if _is_of_fortran(header, handle):
            return _of_fortran(process, header)
        if _is_half(handle, header.handle):
            return _of_int(process, header)
    return None


def _is_of_fortran(header: Header, number: int) -> bool:
    # 0 is also Open MPI's Fortran handle of no object, and stands for an unknown `fint`.
    return 0 < number < FIRST_ADDRESS and header.fint == number


def _is_half(number: int, handle: int) -> bool:
    # Tests for the handle's lower half in an int, extended by zeros or by its sign.
    return number != handle and number & _HALF == handle & _HALF and number >> 31 in _EXTENSIONS


_EXTENSIONS = (0, 1, (1 << 33) - 1)  # possible values of the bits above the lower 31


def _type(kind: str) -> str:
    return _TYPES.get(kind, f"MPI_{kind.capitalize()}")


def _of_fortran(process: Process, header: Header) -> ForeignHandle:
    why = Phrase.of("is the Fortran handle of {object_text}", object_text=_name(process, header))
    advice = "in C, convert Fortran's handles with {procedure}"
    return ForeignHandle(why, Phrase.of(advice, procedure=f"{_type(header.kind)}_f2c"))


def _of_int(process: Process, header: Header) -> ForeignHandle:
    template = "is the lower half of {handle}, the handle of {object_text}"
    why = Phrase.of(template, handle=header.handle, object_text=_name(process, header))
    advice = (
        "keep a C handle in its own type, as an int cannot hold it; for Fortran convert it "
        "with {procedure}"
    )
    return ForeignHandle(why, Phrase.of(advice, procedure=f"{_type(header.kind)}_c2f"))


def _name(process: Process, header: Header) -> str:
    if header.name:
        return header.name
    found = process.registry.at(header.kind, header.record)
    from mpipp.render import one_line  # slow to import: only findings need it

    what = "" if isinstance(found, Broken) else one_line.described(found, process.around)
    return f"MPI_{header.kind.capitalize()} {what}"
