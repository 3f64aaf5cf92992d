# SPDX-License-Identifier: MIT
"""Check for processes that died of their own error, from core files (MPI-4.1, section 11.2.2)."""

from __future__ import annotations

from dataclasses import replace

from mpipp.analysis.context.process import Process
from mpipp.analysis.findings.finding import Finding, Findings, Party
from mpipp.model import Site
from mpipp.render.phrases import Phrase

_ADVICE = Phrase("look at the stack of its core file: mpipp gdb PROGRAM CORE, then backtrace")


def check(process: Process) -> Findings:
    """Yield the signal that ended the process, and the place; nothing after MPI_Abort."""
    death = process.death
    if death is None:
        return
    subject = Phrase.of("not in MPI: {where}", where=death.where)
    party = Party(process.number, subject, "called at", Site(0))
    for operation in process.operations:
        if operation.tid == death.tid:
            party = operation.party()
            if operation.call.procedure == "MPI_Abort":
                return
    found = Finding.of("process-died", [party], "core", signal=death.signal)
    yield replace(found, advice=_ADVICE)
