# SPDX-License-Identifier: MIT
"""Find certain errors in a waiting call, which then is refused (`--on-error`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mpipp.analysis.context.process import Process
from mpipp.analysis.findings.finding import Finding, Party


def error_class(found: Iterable[Finding]) -> str:
    """MPI's error class for findings of calls, from the first error; "" if there is none."""
    classes = (one.error_class for one in found if one.rule.severity == "error")
    return next(filter(None, classes), "")


def of_call(found: Iterable[Finding], process: Process, tid: int) -> Iterator[Finding]:
    """The findings about the call that a thread of the process is about to make.

    Other findings belong to other pending operations, or to the calls of other threads.
    """
    # A finding about a started operation belongs to the call only if there is a single call.
    alone = len(process.threads) == 1
    begun = {id(one.call) for one in process.begun} if alone else ()

    def is_own(party: Party) -> bool:
        return party.tid == tid or id(party.evidence.call) in begun

    yield from (one for one in found if any(map(is_own, one.parties)))
