# SPDX-License-Identifier: MIT
"""Statuses among the values of the program: MPI_Status, type(MPI_Status), integer arrays."""

from __future__ import annotations

import gdb

from mpipp.common.errors import MpippError
from mpipp.gdb.program import symbol_names
from mpipp.gdb.program.sessions import Session
from mpipp.render import status

_FIELDS = {"mpi_source", "mpi_tag", "mpi_error"}
_MOST = 100  # statuses of an array


def is_status(kind: gdb.Type) -> bool:
    """Return whether a type is MPI_Status in C, or type(MPI_Status) of the module mpi_f08."""
    kind = kind.strip_typedefs()
    if kind.code != gdb.TYPE_CODE_STRUCT:
        return False
    names = {(symbol_names.field(one) or "").lower() for one in symbol_names.fields(kind)}
    return names >= _FIELDS


def text(value: gdb.Value, session: Session) -> str:
    """A status, or the statuses of an array, as text. Raises MpippError."""
    flavor = session.registry.info.flavor
    size = status.size(flavor)
    data = _bytes(value)
    if not size or not data or len(data) % size:
        raise MpippError(f"it has {len(data)} bytes, and a status of {flavor} has {size}")
    order = session.registry.byte_order
    every = [
        status.text(status.decoded(data[at : at + size], flavor, order), session.registry)
        for at in range(0, min(len(data), _MOST * size), size)
    ]
    more = ["..."] * (len(data) > _MOST * size)
    return every[0] if len(every) == 1 else "{" + ", ".join([*every, *more]) + "}"


def _bytes(value: gdb.Value) -> bytes:
    # The bytes of a status, of an array of statuses, or of an integer array.
    kind = value.type.strip_typedefs()
    element = kind
    while element.code == gdb.TYPE_CODE_ARRAY:
        element = element.target().strip_typedefs()
    is_array = kind.code == gdb.TYPE_CODE_ARRAY and element.code == gdb.TYPE_CODE_INT
    if not (is_status(element) or (is_array and element.sizeof == 4)):
        raise MpippError(f"it is not a status: its type is {symbol_names.text(value.type)}")
    if value.address is None:
        raise MpippError("it is not a variable")
    inferior = gdb.selected_inferior()
    try:
        return bytes(inferior.read_memory(int(value.address), value.type.sizeof))
    except gdb.error as error:
        raise MpippError(str(error)) from None
