# SPDX-License-Identifier: MIT
"""Procedures that are not recorded: the handles that they get, and when they may be called, for C
(marked.inc) and Python (procedure_table.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from wrapper.generator import procedures as known
from wrapper.generator import statements
from wrapper.generator.arguments import declaration, key
from wrapper.generator.mpi_standard import Procedure
from wrapper.generator.outputs import checks

MOST = 2  # largest number of handles of one procedure


class Handle(NamedTuple):
    """A handle that is passed by value."""

    name: str  # the parameter's
    kind: str  # "comm"
    null: bool  # True if a null handle is valid, too


def is_wrapped(procedure: Procedure) -> bool:
    """Return whether the library may call other procedures inside of it, which are not the
    program's calls.
    """
    base = procedure.base
    return base not in known.UNWRAPPED and "f08" not in base and not base.endswith(("c2f", "toint"))


def is_recorded(procedure: Procedure) -> bool:
    """Return whether it has a buffer, or creates, changes, names or frees a handle."""
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
    """Return whether the procedure is wrapped, but not recorded."""
    return is_wrapped(procedure) and not is_recorded(procedure)


def handles(procedure: Procedure) -> list[Handle]:
    """The handles that a procedure without a record gets, in the order of its parameters."""
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
    """Return whether MPI must be initialized, and not finalized."""
    return not procedure.base.startswith((*known.ANY_TIME, *known.NOT_LOOKED_AT))


def python(marked: Iterable[Procedure]) -> str:
    """Table rows: the handles, "!" if MPI must be initialized, and the procedures with these."""
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
    """The text of marked.inc: an initializer for each unrecorded procedure with known facts."""
    told = (p for p in marked if handles(p) or needs_mpi(p))
    return "\n".join([*map(_row, told), ""])


def wrappers(procedures: list[Procedure]) -> str:
    """The text of calls_marked.c: the wrappers of procedures that are not recorded."""
    lines = '#include "calls.h"\n#include "intercept/unrecorded_calls.h"\n\n'
    return lines + "".join(_wrapper(p) for p in procedures)


def _wrapper(procedure: Procedure) -> str:
    parameters = ", ".join(declaration(p) for p in procedure.parameters) or "void"
    arguments = ", ".join(p.name for p in procedure.parameters)
    name, prefix = procedure.name, "MPI1" if procedure.removed else "MPI"
    after = statements.MARKED_AFTER.get(procedure.base, "")
    saved = (
        [statements.MARKED_BEFORE[procedure.base]]
        if procedure.base in statements.MARKED_BEFORE
        else []
    )
    checked = (one.rstrip(";") for one in checks(procedure))
    before = "; ".join([*saved, _passed_handles(procedure), *checked])
    words = [prefix, name, f"({parameters})", f"({arguments})", before, after]
    text = f"MARKED({', '.join(words)})\n"
    return text if procedure.removed else f"#ifdef MPIPP_HAVE_{name}\n{text}#endif\n"


def _passed_handles(procedure: Procedure) -> str:
    parameters = {p.name: p for p in procedure.parameters}
    keys = [key(parameters[handle.name]) for handle in handles(procedure)]
    if not keys:
        return "mpipp_clear_passed_handles(thread)"
    return f"mpipp_set_passed_handles(thread, {len(keys)}, {', '.join([*keys, '0'][:2])})"
