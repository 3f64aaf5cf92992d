# SPDX-License-Identifier: MIT
"""Check that the buffer of a nonblocking call is not a temporary of the Fortran compiler.

For an array section with a stride, or an expression, the compiler may pass a copy. It copies the
data back when the call returns, and MPI may receive them later (MPI-4.1, section 19.1.12).
"""

from __future__ import annotations

import re

from mpipp.analysis.context.process import Operation
from mpipp.analysis.findings.finding import Finding, Party
from mpipp.analysis.program_objects import call_statements
from mpipp.model import Buffer


def may_apply(operation: Operation) -> bool:
    """Return whether MPI uses the call's buffers after the call."""
    return operation.call.facts.returns_immediately


def finding(operation: Operation, buffer: Buffer, party: Party) -> Finding:
    """Return the finding for a buffer in the stack frame of its Fortran caller, in no variable."""
    rule = "received-temporary" if "writes" in buffer.access else "sent-temporary"
    return Finding.of(rule, [party], argument=buffer.role, procedure=operation.call.procedure)


def passes_strided_section(statement: str, procedure: str) -> bool:
    """Return whether a statement in Fortran passes a section such as `u(2,:)` to a procedure.

    A section such as `u(:,2)` has no stride: it is contiguous if `u` is.
    """
    return any(map(_has_stride, call_statements.arguments(statement, procedure)))


def _has_stride(argument: str) -> bool:
    # In a contiguous section whole dimensions come first, then at most one range, then numbers.
    section = re.fullmatch(r"[\w%]+(?:\([^:]*\)%\w+)*\((.*)\)", argument.strip(), re.DOTALL)
    if section is None:
        return False
    ends = False  # whether no further range may follow
    for subscript in call_statements.split(section[1] + ")", 0):
        if ":" not in subscript:
            ends = True
        elif ends or subscript.count(":") > 1:
            return True
        else:
            ends = subscript.strip() != ":"
    return False
