# SPDX-License-Identifier: MIT
"""Check that processes reduce with the same user-defined operation (MPI-4.1, sections 6.9, 6.9.5).

MPI itself compares no operations, and mpipp cannot know whether two functions are equivalent. So
the check warns in two cases: one object file has both functions under different names, or only one
of the operations is commutative.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mpipp.analysis.context.collective_call import CollectiveCall
from mpipp.analysis.findings.finding import Finding, Findings
from mpipp.model import Op
from mpipp.render.phrases import Phrase

# In mpi4py the functions only call Python functions, and are named in the order of creation.
_TRAMPOLINES = "/mpi4py/"


class UserOp(NamedTuple):
    """A reduction operation that the program defined (MPI_Op_create)."""

    name: str  # name of the function; "" if unknown
    file: str  # object file with the function; "" if unknown
    commutes: bool


def user_op(joined: CollectiveCall) -> UserOp | None:
    """Return the user-defined operation of a call; None if the call has none, or it is unknown."""
    call, around = joined.operation.call, joined.operation.process.around
    if call.own_op is not None:
        function, commutes, name, file = call.own_op
        if name or file:
            return UserOp(name, file, commutes)
    else:
        registry = joined.operation.process.registry
        found = registry.find("op", call.op) if call.op is not None else None
        if not isinstance(found, Op) or found.header.null or found.header.predefined:
            return None
        function, commutes = found.function, found.commute
    return UserOp(plain_name(around.function(function)), around.file(function), commutes)


def plain_name(shown: str) -> str:
    """Return the name in `<name>`, without a suffix from the compiler; "" for any other text."""
    if not (shown.startswith("<") and shown.endswith(">")):
        return ""
    return shown[1:-1].partition(".")[0]


def check(joined: Sequence[CollectiveCall]) -> Findings:
    """Yield the first two calls whose operations certainly differ."""
    known = [(one, of) for one in joined for of in [user_op(one)] if of is not None]
    for one, of in known[1:]:
        first, before = known[0]
        if before.commutes != of.commutes:
            rule = "own-op-commutes"
        elif _differ(before, of):
            rule = "own-op-differs"
        else:
            continue
        pairs = ((first, before), (one, of))
        parties = [one.operation.party(_reduces(own)) for one, own in pairs]
        names = {"function": before.name, "other_function": of.name}
        yield Finding.of(rule, parties, **names)
        return


def _differ(one: UserOp, other: UserOp) -> bool:
    if not (one.name and other.name and one.file) or one.file != other.file:
        return False
    return one.name != other.name and _TRAMPOLINES not in one.file


def _reduces(own: UserOp) -> Phrase:
    commutes = "commutative" if own.commutes else "not commutative"
    return Phrase.of(
        "reduces with {function}, {kind}",
        function=own.name or "a function of the program",
        kind=commutes,
    )
