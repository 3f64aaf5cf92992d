# SPDX-License-Identifier: MIT
"""The arguments in which MPI stores a result: they must not be null pointers, and integers must
have the right size (wrapper/call_filter/result_arguments.h).
"""

from __future__ import annotations

from wrapper.generator import procedures as known
from wrapper.generator.mpi_standard import Parameter, Procedure

NAME = "null_output"  # the argument of a query that has the name of the null pointer
# Kinds of arguments that are not results, or for which a null pointer may be valid.
_INTEGERS = ("int*", "MPI_Aint*", "MPI_Offset*", "MPI_Count*")  # types of results
_POINTERS = ("attribute_val", "baseptr")
_OTHERS = {"BUFFER", "STRING", "STRING_ARRAY", "ARGUMENT_COUNT", "ARGUMENT_LIST", "EXTRA_STATE"}


def outputs(procedure: Procedure) -> list[Parameter]:
    """The result parameters of a procedure; arrays, which may be empty, only if of statuses."""
    base = procedure.base
    if procedure.removed or base.startswith((*known.NULL_OUTPUTS, "T_")):
        return []
    return [
        p
        for p in procedure.parameters
        if p.indirect and p.direction in ("out", "inout") and _is_result(p)
    ]


def pointers(procedure: Procedure) -> list[Parameter]:
    """The parameters, declared as `void *`, in which MPI stores an address."""
    return [p for p in procedure.parameters if p.name in _POINTERS and p.direction == "out"]


def _is_result(p: Parameter) -> bool:
    if p.kind == "REQUEST" and p.direction == "inout":
        return False  # analysis/calls/arguments.py reports it
    if p.kind in _OTHERS or "BUFFER" in p.kind or "void" in p.declaration:
        return False
    return p.kind == "STATUS" or not (p.array or "char" in p.declaration)


def checks(procedure: Procedure) -> list[str]:
    """The statements that check the results for null pointers."""
    requests = next((p for p in procedure.parameters if p.kind == "REQUEST" and p.array), None)
    lines = [
        f"mpipp_pointer_output(thread, {p.name}, MPIPP_ROLE_{p.name});" for p in pointers(procedure)
    ]
    for p in outputs(procedure):
        role = f"MPIPP_ROLE_{p.name}"
        if p.declaration.startswith(_INTEGERS):
            lines.append(f"mpipp_integer_output(thread, {p.name}, sizeof *{p.name}, {role});")
        elif p.kind != "STATUS":
            lines.append(f"mpipp_output({p.name}, {role});")
        elif p.array:
            count = requests.length if requests else "0"
            lines.append(f"mpipp_status_output({p.name}, MPI_STATUSES_IGNORE, {count}, {role});")
        else:
            lines.append(f"mpipp_status_output({p.name}, MPI_STATUS_IGNORE, 1, {role});")
    return lines
