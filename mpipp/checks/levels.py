# SPDX-License-Identifier: MIT
"""Do threads call MPI as the provided thread level allows? (MPI-4.1, section 11.2.1)"""

from __future__ import annotations

from mpipp.checks.finding import Finding, Findings, Party
from mpipp.checks.process import Process
from mpipp.model import Breach, ThreadCall


def check(process: Process) -> Findings:
    """Every call that broke the level, whether it has returned or not."""
    for breach in process.registry.breaches():
        what = f"{_what(breach)}, but MPI provides {breach.level}"
        parties = [_party(process, breach.call), _party(process, breach.other)]
        yield Finding.of("thread-level", what, parties)


def _what(breach: Breach) -> str:
    if breach.level == "MPI_THREAD_SERIALIZED":
        return f"{breach.call.procedure} is called while another thread is in MPI"
    return f"{breach.call.procedure} is called by another thread than the one that initialized MPI"


def _party(process: Process, call: ThreadCall) -> Party:
    return Party(process.number, f"{call.procedure}, in thread {call.tid}", "called at", call.site)
