# SPDX-License-Identifier: MIT
"""Does a process receive what it sends itself in a collective operation? (MPI-4.1, section 6.2)

That is certain of its call alone, before any other process has made its own.
"""

from __future__ import annotations

from mpipp.checks import exchanges
from mpipp.checks.finding import Findings
from mpipp.checks.joined import Joined
from mpipp.checks.process import Process
from mpipp.checks.world import Member


def check(process: Process) -> Findings:
    """Calls whose own part of what is exchanged does not match."""
    for operation in process.operations:
        comm = operation.comm if operation.call.facts.over else None
        if comm is not None:
            found = exchanges.own(Joined(operation, Member(process, comm)))
            if found is not None:
                yield found
