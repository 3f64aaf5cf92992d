# SPDX-License-Identifier: MIT
"""MPI handles among the values of the program."""

from __future__ import annotations

from typing import NamedTuple

import gdb

from mpipp.gdb.program import symbol_names
from mpipp.gdb.program.sessions import Session
from mpipp.model import KINDS, Broken, Object
from mpipp.render import object_structs

# The types that pointer handles point to, by the names in the MPI libraries.
_POINTEES = {
    "ompi_datatype_t": "datatype",
    "ompi_request_t": "request",
    "ompi_communicator_t": "comm",
    "ompi_group_t": "group",
    "ompi_win_t": "win",
    "ompi_op_t": "op",
    "ompi_file_t": "file",
    "ompi_info_t": "info",
    "ompi_errhandler_t": "errhandler",
    "ompi_instance_t": "session",
    "ompi_message_t": "message",
    "ADIOI_FileD": "file",
}
_NAMES = {f"MPI_{kind.capitalize()}": kind for kind in KINDS}
# The names of handle types in the frames of the wrapper.
_NAMES.update({f"mpipp_MPI_{kind.capitalize()}": kind for kind in KINDS})
_POINTEES.update({f"MPI_ABI_{kind.capitalize()}": kind for kind in KINDS})
# type(MPI_Datatype) of the module mpi_f08. gfortran writes names in lower case.
_FORTRAN = {f"mpi_{kind}": kind for kind in KINDS}
_FORTRAN_FIELD = "mpi_val"


class Handle(NamedTuple):
    """A handle of the program."""

    kind: str  # one of model.KINDS
    value: int  # the value of the handle, unsigned
    fortran: bool  # whether `value` is a Fortran INTEGER, signed
    place: int | None = None  # the address of the handle variable, for requests

    @property
    def unknown(self) -> str:
        """The text for a handle that belongs to no known object."""
        return object_structs.unknown(self.kind, self.value)


def of(value: gdb.Value) -> Handle | None:
    """Return the handle in `value`; None if it is not a handle."""
    if value.type.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        value = value.referenced_value()
    kind = _c_kind(value.type)
    if kind is not None:
        number = int(value) % (1 << 8 * value.type.sizeof)
        return Handle(kind, number, False, _place(value) if kind == "request" else None)
    kind = _fortran_kind(value.type)
    if kind is not None:
        return Handle(kind, int(value[_FORTRAN_FIELD]), True)
    return None


def _place(value: gdb.Value) -> int | None:
    return None if value.address is None else int(value.address)


def _c_kind(kind: gdb.Type) -> str | None:
    # Integer handles can be recognized only by the name of the typedef. Pointer handles are
    # recognized by their target, even in templates, which drop typedefs.
    while kind.code == gdb.TYPE_CODE_TYPEDEF:
        found = _NAMES.get(symbol_names.of_type(kind))
        if found:
            return found
        kind = kind.target()
    if kind.code == gdb.TYPE_CODE_PTR:
        pointee = kind.target().strip_typedefs()
        if pointee.code == gdb.TYPE_CODE_STRUCT:
            return _POINTEES.get(symbol_names.tag(pointee) or symbol_names.of_type(pointee))
    return None


def _fortran_kind(kind: gdb.Type) -> str | None:
    kind = kind.strip_typedefs()
    if kind.code != gdb.TYPE_CODE_STRUCT:
        return None
    found = _FORTRAN.get(symbol_names.of_type(kind).lower())
    if found and [symbol_names.field(field) for field in symbol_names.fields(kind)] == [
        _FORTRAN_FIELD
    ]:
        return found
    return None


def denoted(handle: Handle, session: Session) -> Object | Broken | None:
    """The object that a handle refers to now; None if there is none."""
    if handle.fortran:
        return session.registry.by_fint(handle.kind, handle.value)
    return session.registry.find(handle.kind, handle.value, handle.place)
