# SPDX-License-Identifier: MIT
"""What did a call that is over do wrong by itself?"""

from __future__ import annotations

from collections.abc import Iterator

from mpipp.checks import overlaps
from mpipp.checks.accesses import accesses
from mpipp.checks.finding import Findings
from mpipp.checks.process import Operation, Process
from mpipp.model import Comm, Kept


def check(process: Process) -> Findings:
    """Calls that wrote memory twice.

    That of v and w forms is not known: their displacements are not kept.
    """
    going_on = {(one.call.procedure, one.call.site) for one in process.operations}
    seen: set[object] = set()
    for comm, kept in _kept(process):
        if kept.key in seen:
            continue  # which takes a tenth of the time that making the call does
        seen.add(kept.key)
        if (kept.call.procedure, kept.call.site) not in going_on:
            yield from _twice(Operation(process, kept.call, None, None, comm))


def _kept(process: Process) -> Iterator[tuple[Comm, Kept]]:
    for comm in process.registry.objects("comm", ended=True):
        if isinstance(comm, Comm):
            for channel in comm.channels:
                for stretch in process.registry.past(comm, channel):
                    yield from ((comm, kept) for kept in stretch.calls)


def _twice(operation: Operation) -> Findings:
    for access in accesses(operation):
        if access.writes and access.buffer.shares is None:
            yield from overlaps.itself(access)
