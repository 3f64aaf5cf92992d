# SPDX-License-Identifier: MIT
"""`--on-error`: what is certain to be wrong of a call that waits, so that it is not made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mpipp.analysis.context.process import Process
from mpipp.analysis.findings.finding import Finding, Party


def error_class(found: Iterable[Finding]) -> str:
    """MPI's error class for what was found of calls, that of the first error; "": there is none."""
    classes = (one.error_class for one in found if one.rule.severity == "error")
    return next(filter(None, classes), "")


def of_call(found: Iterable[Finding], process: Process, tid: int) -> Iterator[Finding]:
    """Those of the call that a thread of the process is about to make, as a question has it.

    Others are of what is pending beside it, or of other threads' calls: it is not their fault.
    """
    # What a call starts is its own; of several calls it is not said which.
    alone = len(process.threads) == 1
    begun = {id(one.call) for one in process.begun} if alone else ()

    def is_own(party: Party) -> bool:
        return party.tid == tid or id(party.evidence.call) in begun

    yield from (one for one in found if any(map(is_own, one.parties)))
