# SPDX-License-Identifier: MIT
"""Check that threads call MPI as the provided thread level allows (MPI-4.1, section 11.2.1)."""

from __future__ import annotations

from dataclasses import replace

from mpipp.analysis.context.process import Process
from mpipp.analysis.findings.finding import Finding, Findings, Party
from mpipp.model import ThreadCall
from mpipp.render.phrases import Phrase


def check(process: Process) -> Findings:
    """Yield every call that violated the level, active or completed."""
    for breach in process.registry.breaches():
        case = "beside" if breach.level == "MPI_THREAD_SERIALIZED" else "other"
        other = replace(_party(process, breach.other), is_wrong=case == "beside")
        parties = [_party(process, breach.call), other]
        if case == "other" and breach.call.tid == breach.other.tid:
            case = "parallel-region"
        names = {"procedure": breach.call.procedure, "constant": breach.level}
        yield Finding.of("thread-level", parties, case, **names)


def _party(process: Process, call: ThreadCall) -> Party:
    subject = Phrase.of(
        "{procedure}, in thread {thread}", procedure=call.procedure, thread=call.tid
    )
    return Party(process.number, subject, "called at", call.site)
