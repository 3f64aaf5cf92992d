# SPDX-License-Identifier: MIT
"""Check that a process receives its own data correctly in a collective call (MPI-4.1, section 6.2).

One call is enough for this check, before any other process has called.
"""

from __future__ import annotations

from mpipp.analysis.collectives import buffer_pairs
from mpipp.analysis.context.collective_call import CollectiveCall
from mpipp.analysis.context.process import Process
from mpipp.analysis.context.world import Member
from mpipp.analysis.findings.finding import Findings


def check(process: Process) -> Findings:
    """Yield calls in which the data that a process sends itself do not match its receive buffer."""
    for operation in process.operations:
        comm = operation.comm if operation.call.facts.over else None
        if comm is not None:
            found = buffer_pairs.self_mismatch(CollectiveCall(operation, Member(process, comm)))
            if found is not None:
                yield found
