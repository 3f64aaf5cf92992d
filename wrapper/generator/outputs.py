# SPDX-License-Identifier: MIT
"""The arguments in which MPI stores a result, and that must not be null pointers
(wrapper/call_filter/null_outputs.h).
"""

from __future__ import annotations

from wrapper.generator import procedures as known
from wrapper.generator.mpi_standard import Parameter, Procedure

NAME = "null_output"  # the argument of a query that has the name of the null pointer
# Kinds of arguments that are not results, or for which a null pointer may be valid.
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


def _is_result(p: Parameter) -> bool:
    if p.kind == "REQUEST" and p.direction == "inout":
        return False  # analysis/calls/arguments.py reports it
    if p.kind in _OTHERS or "BUFFER" in p.kind or "void" in p.declaration:
        return False
    return p.kind == "STATUS" or not (p.array or "char" in p.declaration)


def checks(procedure: Procedure) -> list[str]:
    """The statements that check the results for null pointers."""
    requests = next((p for p in procedure.parameters if p.kind == "REQUEST" and p.array), None)
    lines = []
    for p in outputs(procedure):
        role = f"MPIPP_ROLE_{p.name}"
        if p.kind != "STATUS":
            lines.append(f"mpipp_output({p.name}, {role});")
        elif p.array:
            count = requests.length if requests else "0"
            lines.append(f"mpipp_status_output({p.name}, MPI_STATUSES_IGNORE, {count}, {role});")
        else:
            lines.append(f"mpipp_status_output({p.name}, MPI_STATUS_IGNORE, 1, {role});")
    return lines
