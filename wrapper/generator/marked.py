# SPDX-License-Identifier: MIT
"""Procedures of which nothing is recorded: the handles that they are given, and when they may be
called, for C (marked.inc) and Python (procedure_table.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from wrapper.generator import procedures as known
from wrapper.generator.arguments import declaration, key
from wrapper.generator.forum import Procedure

MOST = 2  # handles of one


class Handle(NamedTuple):
    """A handle by value."""

    name: str  # the parameter's
    kind: str  # "comm"
    null: bool  # whether a null one is fine, too


def is_wrapped(procedure: Procedure) -> bool:
    """Whether the library may call other procedures inside of it, which the program does not."""
    base = procedure.base
    return base not in known.UNWRAPPED and "f08" not in base and not base.endswith(("c2f", "toint"))


def is_recorded(procedure: Procedure) -> bool:
    """Whether it has a communication buffer or makes, changes, names or ends a handle."""
    base = procedure.base
    if base in known.RECORDED:
        return True
    if not is_wrapped(procedure) or base in known.NOT_RECORDED or base.startswith("T_"):
        return False
    return any(
        p.kind == "BUFFER"
        or (p.kind in known.HANDLES and p.direction in ("out", "inout") and p.indirect)
        for p in procedure.parameters
    )


def is_marked(procedure: Procedure) -> bool:
    """Whether it is wrapped, and nothing else."""
    return is_wrapped(procedure) and not is_recorded(procedure)


def handles(procedure: Procedure) -> list[Handle]:
    """Those that it is given, if it is marked, in the order of its parameters."""
    base = procedure.base
    if not is_marked(procedure) or base.startswith(known.NOT_LOOKED_AT):
        return []
    found = []
    for p in procedure.parameters:
        if p.by_value_handle:
            hint = p.kind == "INFO" and not base.startswith(known.NEEDS_INFO)
            null = hint or (base, p.name) in known.NULL_IS_FINE
            kind = known.HANDLES[p.kind][1].removeprefix("MPIPP_").lower()
            found.append(Handle(p.name, kind, null))
    assert len(found) <= MOST, base
    return found


def needs_mpi(procedure: Procedure) -> bool:
    """Whether MPI must be initialized, and not finalized."""
    return not procedure.base.startswith((*known.ANY_TIME, *known.NOT_LOOKED_AT))


def python(marked: Iterable[Procedure]) -> str:
    """Rows: the handles, "!" where MPI is needed, and the names of all that are alike."""
    rows: dict[str, list[str]] = {}
    for p in marked:
        words = [f"{h.name}:{h.kind}{'?' * h.null}" for h in handles(p)] + ["!"] * needs_mpi(p)
        if words:
            rows.setdefault(" ".join(words), []).append(p.name)
    return "\n".join(f"{words} = {' '.join(names)}" for words, names in rows.items())


def _row(procedure: Procedure) -> str:
    found = handles(procedure)
    each = [f"{{MPIPP_{h.kind.upper()}, {int(h.null)}, MPIPP_ROLE_{h.name}}}" for h in found]
    words = [str(int(needs_mpi(procedure))), str(len(found)), f"{{{', '.join(each or ['{0}'])}}}"]
    return f"[MPIPP_PROC_{procedure.name}] = {{{', '.join(words)}}},"


def rows(marked: Iterable[Procedure]) -> str:
    """marked.inc: an initializer for each of which anything is known."""
    told = (p for p in marked if handles(p) or needs_mpi(p))
    return "\n".join([*map(_row, told), ""])


def wrappers(procedures: list[Procedure]) -> str:
    """calls_marked.c: the wrappers of procedures that are not recorded."""
    lines = '#include "calls.h"\n#include "intercept/unrecorded_calls.h"\n\n'
    return lines + "".join(_wrapper(p) for p in procedures)


def _wrapper(procedure: Procedure) -> str:
    parameters = ", ".join(declaration(p) for p in procedure.parameters) or "void"
    arguments = ", ".join(p.name for p in procedure.parameters)
    name, prefix = procedure.name, "MPI1" if procedure.removed else "MPI"
    after = known.MARKED_AFTER.get(procedure.base, "")
    words = [prefix, name, f"({parameters})", f"({arguments})", _given(procedure), after]
    text = f"MARKED({', '.join(words)})\n"
    return text if procedure.removed else f"#ifdef MPIPP_HAVE_{name}\n{text}#endif\n"


def _given(procedure: Procedure) -> str:
    parameters = {p.name: p for p in procedure.parameters}
    keys = [key(parameters[handle.name]) for handle in handles(procedure)]
    if not keys:
        return "mpipp_clear_passed_handles(thread)"
    return f"mpipp_set_passed_handles(thread, {len(keys)}, {', '.join([*keys, '0'][:2])})"
