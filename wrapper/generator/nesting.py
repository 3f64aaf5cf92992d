# SPDX-License-Identifier: MIT
"""Calls inside another call: a callback of the program may free or create objects."""

from __future__ import annotations

from wrapper.generator import procedures as known
from wrapper.generator.mpi_standard import Parameter, Procedure

ENDS = ("_free", "_disconnect", "_close", "_finalize")
# In a program of another MPI flavor handles have another size, but no thread has a record.
KNOWN = "mpipp_recorder_self != &mpipp_recorder_no_thread"


def ended_handle(procedure: Procedure) -> Parameter | None:
    """The parameter with the handle that the procedure frees or commits; None if there is none."""
    for p in procedure.parameters:
        if p.kind in known.HANDLES and p.direction == "inout" and p.indirect and not p.array:
            if procedure.base.endswith(ENDS) or procedure.base == "Type_commit":
                return p
            if p.kind == "MESSAGE":
                return p
    return None


def inside(procedure: Procedure, calling: str) -> list[str]:
    """The statements for a call inside another one; `calling` is the call of MPI's procedure."""
    ended, made = ended_handle(procedure), _made(procedure)
    frees = ended and ended.kind in known.FREED_BY_CALLBACKS and procedure.base != "Type_commit"
    if procedure.base in known.ATTACHING:
        return [
            "if (!thread) {",
            "  mpipp_recorder_distrust_attachments();",
            f"  return {calling};",
            "}",
        ]
    if not frees and not made:
        return [f"if (!thread) return {calling};"]
    lines = [f"int code = {calling};"]
    if frees and ended:
        lines = _around_free(ended, lines[0])
    for p in made:
        kind = known.HANDLES[p.kind][1]
        lines.append(f"if (code == MPI_SUCCESS && {KNOWN})")
        lines.append(
            f"  mpipp_intercept_callback_makes({kind}, MPIPP_KEY(*{p.name}), "
            "__builtin_return_address(0));"
        )
    return ["if (!thread) {", *("  " + line for line in lines), "  return code;", "}"]


def _around_free(ended: Parameter, call: str) -> list[str]:
    kind = known.HANDLES[ended.kind][1]
    return [
        f"uint64_t handle = {KNOWN} && {ended.name} ? MPIPP_KEY(*{ended.name}) : 0;",
        f"uint64_t serial = mpipp_intercept_callback_frees({kind}, handle, "
        "__builtin_return_address(0));",
        call,
        "if (code == MPI_SUCCESS && handle)",
        f"  mpipp_registry_note_free({kind}, handle, serial, "
        "(uintptr_t)__builtin_return_address(0));",
    ]


def _made(procedure: Procedure) -> list[Parameter]:
    # The handles of new objects, except for requests and messages, which end in other ways.
    return [
        p
        for p in procedure.parameters
        if p.direction == "out" and p.indirect and not p.array and p.kind in known.HANDLES
        if p.kind not in ("REQUEST", "MESSAGE")
    ]
