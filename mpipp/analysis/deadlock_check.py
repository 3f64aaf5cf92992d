# SPDX-License-Identifier: MIT
"""Check for processes that wait for events that can never come.

See MPI-4.1, sections 3.5, 6.14 and 11.2.2. Only a hang that is certain from one snapshot is an
error. A circle in which the library need not wait may still resolve. The program certainly relies
on the library here, and gets a warning.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mpipp.analysis.collectives import active
from mpipp.analysis.context.process import Process
from mpipp.analysis.context.world import World
from mpipp.analysis.findings.finding import Finding, Findings, Party
from mpipp.render.phrases import Phrase

if TYPE_CHECKING:
    from mpipp.analysis.deadlock.analysis import Explanation, Knot

_MOST = 8  # processes that are listed with their calls


def check(known: World) -> Findings:
    """Yield cycles of processes that wait for each other, and waits for processes that have ended.

    Also yields different collective calls on one window or file; `collectives.active` reports those
    on communicators.
    """
    if not any(map(_is_inside, known.processes)):
        return
    # Loading the module is slow, and few jobs hang.
    from mpipp.analysis.deadlock.analysis import explain

    found = explain(known)
    for knot in found.knots:
        if not found.certain(knot) or set(knot.ended) & set(found.died):
            continue  # waiting for a process that died is not an error
        if knot.mismatch:
            yield from _meetings(found, knot)
        elif found.relies(knot):
            yield _unsafe(found, knot)
        else:
            yield finding(found, knot)


def _unsafe(found: Explanation, knot: Knot) -> Finding:
    ranks = tuple(sorted(knot.ranks))
    case = "itself" if len(ranks) == 1 else "circle"
    return Finding.of("unsafe-deadlock", tuple(_parties(found, knot)), case, ranks=ranks)


def _meetings(found: Explanation, knot: Knot) -> Findings:
    for edge in found.edges:
        other = edge.event.mismatch
        if edge.rank in knot.ranks and other is not None and edge.event.kind != "collective":
            yield active.meeting([edge.event.operation, other])
            return


def _is_inside(process: Process) -> bool:
    # Return whether an MPI call may wait; MPI_Finalize does not after its end in MPI.
    if process.registry.info.status == "finalized" and not process.live_sessions:
        return False
    return any(thread.call is not None for thread in process.threads)


def finding(found: Explanation, knot: Knot) -> Finding:
    """Return the finding for a knot."""
    parties = tuple(_parties(found, knot))
    ranks = tuple(sorted(knot.ranks))
    if knot.mismatch:
        return Finding.of("deadlock", parties, "mismatch", clause=mismatch(found, knot))
    if knot.circle:
        case = "itself" if len(ranks) == 1 else "circle"
        return Finding.of("deadlock", parties, case, ranks=ranks)
    case = "one" if len(ranks) == 1 else "several"
    return Finding.of("lone-wait", parties, case, ranks=ranks, ended_ranks=tuple(knot.ended))


def mismatch(found: Explanation, knot: Knot) -> Phrase:
    """Return the sentence for a mismatch of collective operations."""
    ranks, over = found.differing(knot)
    if not over:
        template = "{ranks} are in different collective operations"
    elif len(ranks) == 1:
        template = "{ranks} is in a different collective operation than the others were"
    else:
        template = "{ranks} are in a different collective operation than the others were"
    return Phrase.of(template, ranks=tuple(sorted(ranks)))


def _parties(found: Explanation, knot: Knot) -> Iterator[Party]:
    # The processes with the clearest evidence.
    for rank in list(dict.fromkeys((*knot.circle, *sorted(knot.ranks))))[:_MOST]:
        for wait in found.states[rank].waits:
            needed = {to for event in found.lacks(wait, knot.lenient) for to in event.ranks}
            detail = Phrase.of("waits for {ranks}", ranks=tuple(sorted(needed)))
            yield wait.operation.party(detail)
