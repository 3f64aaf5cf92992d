# SPDX-License-Identifier: MIT
"""Check that threads call MPI as the provided thread level allows (MPI-4.1, section 11.2.1).

Some calls for one object must not be made at the same time (section 11.6.2).
"""

from __future__ import annotations

from dataclasses import replace

from mpipp.analysis.context.process import Process
from mpipp.analysis.findings.finding import Finding, Findings, Party
from mpipp.model import Breach, ThreadCall
from mpipp.render.phrases import Phrase


def check(process: Process) -> Findings:
    """Yield every call that violated these rules, active or completed."""
    for breach in process.registry.breaches():
        if breach.kind != "level":
            yield _concurrent(process, breach)
            continue
        case = "beside" if breach.level == "MPI_THREAD_SERIALIZED" else "other"
        other = replace(_party(process, breach.other), is_wrong=case == "beside")
        parties = [_party(process, breach.call), other]
        if case == "other" and breach.call.tid == breach.other.tid:
            case = "parallel-region"
        names = {"procedure": breach.call.procedure, "constant": breach.level}
        yield Finding.of("thread-level", parties, case, **names)


def _concurrent(process: Process, breach: Breach) -> Finding:
    parties = [
        replace(_party(process, call), is_wrong=True) for call in (breach.call, breach.other)
    ]
    names = {"procedure": breach.call.procedure}
    if breach.kind == "completion":
        names["other_procedure"] = breach.other.procedure
        return Finding.of("concurrent-completion", parties, **names)
    return Finding.of("concurrent-collectives", parties, noun=breach.kind, **names)


def _party(process: Process, call: ThreadCall) -> Party:
    subject = Phrase.of(
        "{procedure}, in thread {thread}", procedure=call.procedure, thread=call.tid
    )
    return Party(process.number, subject, "called at", call.site)
