# SPDX-License-Identifier: MIT
"""Check of the integers that a Fortran program passes as file offsets, sizes and displacements.

They have 8 bytes (MPI_OFFSET_KIND, MPI_ADDRESS_KIND). With `mpif.h` compilers accept a default
integer, and MPI also reads the 4 bytes behind it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from mpipp.analysis.context.process import Operation
from mpipp.analysis.findings.finding import Finding, Party
from mpipp.program_types.types import Scalar, Type

_BYTES = 8
_DEFAULT = 4  # bytes of a default integer
_LITERAL = re.compile(r"[+-]?\d+")
_NAME = re.compile(r"[A-Za-z]\w*")
# Integers of 8 bytes: the position in the argument list, and the name.
_OF_FILE = re.compile(r"MPI_File_i?(read|write)_at(_all)?(_begin)?")
_ARGUMENTS = {
    "MPI_File_set_view": ((1, "disp"),),
    "MPI_File_set_size": ((1, "size"),),
    "MPI_File_seek": ((1, "offset"),),
    "MPI_Win_create": ((1, "size"),),
    "MPI_Win_allocate": ((0, "size"),),
    "MPI_Win_allocate_shared": ((0, "size"),),
    "MPI_Win_attach": ((2, "size"),),
    "MPI_Put": ((4, "target_disp"),),
    "MPI_Get": ((4, "target_disp"),),
    "MPI_Accumulate": ((4, "target_disp"),),
    "MPI_Rput": ((4, "target_disp"),),
    "MPI_Rget": ((4, "target_disp"),),
    "MPI_Raccumulate": ((4, "target_disp"),),
    "MPI_Get_accumulate": ((7, "target_disp"),),
    "MPI_Rget_accumulate": ((7, "target_disp"),),
    "MPI_Fetch_and_op": ((4, "target_disp"),),
    "MPI_Compare_and_swap": ((5, "target_disp"),),
    "MPI_Type_create_resized": ((1, "lb"), (2, "extent")),
    "MPI_Type_create_hvector": ((2, "stride"),),
}


def may_apply(procedure: str) -> bool:
    """Return whether a procedure has such an argument."""
    return procedure in _ARGUMENTS or _OF_FILE.fullmatch(procedure) is not None


def check(
    operation: Operation, texts: Sequence[str], type_of: Callable[[str], Type | None], party: Party
) -> Iterator[Finding]:
    """Yield the findings for integers of another size in the statement of a call.

    Args:
        texts: the source texts of the call's arguments, in Fortran.
        type_of: the type of a variable that the statement may name; None if it is unknown.
        party: the operation.
    """
    procedure = operation.call.procedure
    for position, name in _ARGUMENTS.get(procedure, ((1, "offset"),)):
        text = texts[position] if position < len(texts) else ""
        size = _size(text, type_of)
        if size is not None and size < _BYTES:
            yield Finding.of(
                "small-integer",
                [party],
                argument=name,
                procedure=procedure,
                text=text,
                bytes=_BYTES,
                own_bytes=size,
            )


def _size(text: str, type_of: Callable[[str], Type | None]) -> int | None:
    if _LITERAL.fullmatch(text):
        return _DEFAULT
    kind = type_of(text) if _NAME.fullmatch(text) else None
    return kind.size if isinstance(kind, Scalar) and kind.kind == "signed" else None
