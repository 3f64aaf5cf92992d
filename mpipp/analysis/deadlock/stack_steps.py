# SPDX-License-Identifier: MIT
"""An MPI call as the innermost steps of a stack: the procedure, and its peers."""

from __future__ import annotations

from mpipp.analysis.context.process import Operation
from mpipp.analysis.deadlock import names
from mpipp.common.errors import MpippError
from mpipp.model import Request
from mpipp.ranks.stack_tree import ARGUMENTS, MPI, Step

_MOST_REQUESTS = 4  # requests that are shown individually
_MOST_PASSED = 64


def steps(operation: Operation) -> list[Step]:
    """Return the procedure, then its arguments if some are known.

    For a call that waits for requests, the arguments are the calls that created them:
    "MPI_Irecv(source 1, tag 5)".
    """
    called = Step(operation.call.procedure, MPI)
    words = _requests(operation) or names.arguments(operation)
    return [called, Step(", ".join(words), ARGUMENTS)] if words else [called]


def _requests(operation: Operation) -> list[str]:
    call, process = operation.call, operation.process
    if call.requests is None or operation.request is not None or call.request_count > _MOST_PASSED:
        return []
    try:
        passed = process.registry.passed_requests(call, _MOST_PASSED)
    except MpippError:  # the array is in the program's memory
        return []
    # If several requests share a handle, they are complete.
    found = [one[0] for one in passed if len(one) == 1]
    pending = [one for one in found if isinstance(one, Request) and one.pending]
    if len(pending) > _MOST_REQUESTS:
        return []
    return [names.call(Operation(process, one.call, one, None)) for one in pending]
