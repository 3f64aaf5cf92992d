# SPDX-License-Identifier: MIT
"""The functions $mpi_...() for expressions, above all for conditions of breakpoints."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from typing import Any

import gdb

from mpipp.common.errors import MpippError
from mpipp.datatypes import element_address
from mpipp.gdb import console
from mpipp.gdb.commands.base import sentence
from mpipp.gdb.parser import expressions
from mpipp.gdb.printers import buffer_lookup, native_values
from mpipp.gdb.program import sessions, symbol_names
from mpipp.model import Call, DatatypeRecord
from mpipp.model.procedures import procedure


class _Function(gdb.Function):
    # A gdb function. The docstring of the class is its help.

    name = ""
    arguments: tuple[str, ...] = ()

    def __init__(self) -> None:
        self.__doc__ = inspect.getdoc(type(self))  # gdb prints it unchanged, with its indentation
        super().__init__(self.name)

    def value(self, *arguments: gdb.Value) -> Any:
        """The value of the function. Raises MpippError."""
        raise NotImplementedError

    def invoke(self, *arguments: gdb.Value) -> Any:
        """Compute the value. gdb calls this."""
        try:
            if len(arguments) != len(self.arguments):
                raise MpippError(f"write ${self.name}({', '.join(self.arguments)})")
            return self.value(*arguments)
        except (MpippError, gdb.error) as error:
            raise gdb.GdbError(sentence(str(error))) from None


class Size(_Function):
    """The size of an MPI datatype in bytes, as from MPI_Type_size.

    $mpi_size(TYPE)
    """

    name = "mpi_size"
    arguments = ("TYPE",)

    def value(self, *arguments: gdb.Value) -> int:
        """Return the size in bytes."""
        return _datatype(arguments[0]).tree.size


class Extent(_Function):
    """The extent of an MPI datatype in bytes, as from MPI_Type_get_extent.

    $mpi_extent(TYPE)
    """

    name = "mpi_extent"
    arguments = ("TYPE",)

    def value(self, *arguments: gdb.Value) -> int:
        """Return the extent in bytes."""
        return _datatype(arguments[0]).tree.extent


class Element(_Function):
    """An element of a buffer, with its C type: you can compare it and assign to it.

    $mpi_element(TYPE, ADDR, "[2][5]")

    The indices are as in "mpipp TYPE[2][5] ADDR". Each index is an expression of the program.
    """

    name = "mpi_element"
    arguments = ("TYPE", "ADDR", '"[INDEX]..."')

    def value(self, *arguments: gdb.Value) -> gdb.Value:
        """The element in the memory of the program."""
        known, place, text = arguments
        datatype = _datatype(known)
        expressions.expect_elements(datatype, "the first argument")
        indices, rest = expressions.element(_string(text).strip())
        if rest or not indices:
            raise MpippError(f'cannot read "{_string(text)}": write indices, "[2][5]"')
        found = element_address.resolve(datatype.tree, element_address.parse(indices))
        if not found.is_basic:
            raise MpippError(f"{found.short_path} is not a single element: write more indices")
        start = expressions.address_of(place, "the second argument")
        kind = native_values.type_of(found.datatype)
        address = gdb.Value((start + found.displacement) % (1 << 64))
        return address.cast(kind.pointer()).dereference()


class Rank(_Function):
    """The rank of this process in MPI_COMM_WORLD.

    $mpi_rank()
    """

    name = "mpi_rank"

    def value(self, *arguments: gdb.Value) -> int:
        """Return the rank."""
        rank = sessions.reread().registry.info.world_rank
        if rank is None:
            raise MpippError("the rank is not known before MPI_Init")
        return rank


class Argument(_Function):
    """An argument of the thread's MPI call, by its name in the standard.

    $mpi_arg("dest")

    dest, source, tag, recvtag, root, target_rank, offset, errorcode   numbers
    comm, op, win, file, message                                       handles
    buf, sendbuf ...                                                   addresses
    count, datatype, sendcount, sendtype ...                           except arrays
    """

    name = "mpi_arg"
    arguments = ('"NAME"',)

    def value(self, *arguments: gdb.Value) -> int | gdb.Value:
        """The argument: a number, or a handle with its MPI type."""
        name = _string(arguments[0])
        call = buffer_lookup.active_call(sessions.reread())
        if call is None:
            raise MpippError("the thread is not inside an MPI call")
        known = _arguments(call)
        if name not in known:
            raise no_argument(call.procedure, name, known)
        kind = "datatype" if name.endswith("type") else name
        return _handle(kind, known[name]) if kind in _HANDLES else known[name]


_NUMBERS = (
    "dest source tag recvtag root target_rank offset errorcode comm op win file message".split()
)

_HANDLES = "comm op win file message datatype".split()

FUNCTIONS: Sequence[type[_Function]] = (Size, Extent, Element, Rank, Argument)


def register() -> None:
    """Register the functions with gdb."""
    for function in FUNCTIONS:
        function()


def no_argument(procedure: str, name: str, known: Iterable[str]) -> MpippError:
    """The error for a call that has no argument of this name. The error lists the existing
    names."""
    names = ", ".join(sorted(known)) or "no known arguments"
    return MpippError(f"{procedure} has no argument {name}: it has {names}")


def _handle(kind: str, number: int) -> int | gdb.Value:
    # The handle's type has the program's own name for it, or the wrapper's.
    for name in (f"MPI_{kind.capitalize()}", f"mpipp_MPI_{kind.capitalize()}"):
        try:
            found = console.lookup_type(name)
        except gdb.error:
            continue
        # In Fortran, a derived type may have this name.
        if found.strip_typedefs().code in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_PTR):
            return gdb.Value(number).cast(found)
    return number


def _arguments(call: Call) -> dict[str, int]:
    found = {name: getattr(call, name) for name in _NUMBERS}
    for buffer in call.buffers:
        found[buffer.role] = buffer.address
    if len(call.buffers) == 1:
        found["count"], found["datatype"] = call.buffers[0].count, call.buffers[0].handle
    described = {buffer.role: buffer for buffer in procedure(call.procedure).buffers}
    for buffer in call.buffers:
        if buffer.role in described:
            for name, field in described[buffer.role].scalars.items():
                found[name] = getattr(buffer, field)
    return {name: value for name, value in found.items() if value is not None}


def _datatype(value: gdb.Value) -> DatatypeRecord:
    found = expressions.denoted(value, "the first argument", sessions.reread())
    if not isinstance(found, DatatypeRecord):
        raise MpippError(f"the first argument is a handle of kind {found.header.kind}, no datatype")
    return found


def _string(value: gdb.Value) -> str:
    try:
        return str(value.string())
    except (gdb.error, UnicodeDecodeError):
        raise MpippError(
            f"the last argument must be a string, not {symbol_names.text(value.type)}"
        ) from None
