# SPDX-License-Identifier: MIT
"""Does a process receive what it sends itself in a collective operation? (MPI-4.1, section 6.2)

That is certain of its call alone, before any other process has made its own.
"""

from __future__ import annotations

from mpipp.analysis.collectives import buffer_pairs
from mpipp.analysis.context.collective_call import CollectiveCall
from mpipp.analysis.context.process import Process
from mpipp.analysis.context.world import Member
from mpipp.analysis.findings.finding import Findings


def check(process: Process) -> Findings:
    """Calls whose own part of what is exchanged does not match."""
    for operation in process.operations:
        comm = operation.comm if operation.call.facts.over else None
        if comm is not None:
            found = buffer_pairs.self_mismatch(CollectiveCall(operation, Member(process, comm)))
            if found is not None:
                yield found
