# SPDX-License-Identifier: MIT
"""The operation and the form of a procedure: MPI_Ibcast_c is MPI_Bcast, nonblocking and large."""

from __future__ import annotations

import re
from collections.abc import Set

FORMS = (
    "blocking", "nonblocking", "persistent", "partitioned", "request-based", "split begin",
    "split end",
)  # fmt: skip

PARTITIONED = {"Psend_init", "Precv_init"}
# Operations that the standard defines in terms of each other, so that their calls match. For
# MPI_DIST_GRAPH_CREATE and MPI_DIST_GRAPH_CREATE_ADJACENT it does not say so. Each is collective,
# so that all processes must call the same (MPI-4.1, sections 2.4, 6.1 and 8.5.4).
MEETS = {
    "Comm_dup_with_info": "Comm_dup",
    "Comm_idup_with_info": "Comm_idup",
}
REQUEST_BASED = {"Rput", "Rget", "Raccumulate", "Rget_accumulate"}
_NONBLOCKING = re.compile(r"(|.*_)[Ii]([a-z]\w*)$")


def form_of(base: str, bases: Set[str]) -> tuple[str, str]:
    """The operation and the form of a procedure without `_c`; bases: the names of all procedures.

    A procedure's operation is the name of its blocking form if it has one, else its own name.
    """
    base = MEETS.get(base, base)
    if base in PARTITIONED:
        return base, "partitioned"
    if base in REQUEST_BASED:
        return base[1:].capitalize(), "request-based"
    for suffix, form in (("_init", "persistent"), ("_begin", "split begin"), ("_end", "split end")):
        if base.endswith(suffix) and base.removesuffix(suffix) in bases:
            return base.removesuffix(suffix), form
    found = _NONBLOCKING.match(base)
    if found:
        stem, verb = found.groups()
        operation = stem + (verb if stem else verb.capitalize())
        if operation in bases:
            return operation, "nonblocking"
    return base, "blocking"
