# SPDX-License-Identifier: MIT
"""Check for programs that need MPI to buffer messages, or collective calls not to synchronize.

A run of such a program ends well, but may hang with another library or longer messages (MPI-4.1,
sections 3.5 and 6.14). Cycles of collective calls alone belong to
`analysis/collectives/comm_order.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mpipp.analysis.buffering.replay import Replay, Wait
from mpipp.analysis.buffering.steps import Step, Steps, recorded
from mpipp.analysis.context.process import Operation
from mpipp.analysis.context.world import World
from mpipp.analysis.findings.finding import Finding, Findings, Party
from mpipp.common.errors import MpippError
from mpipp.model import Call
from mpipp.render.phrases import Phrase

MOST = 1 << 17  # steps of all processes together
_MOST_TOLD = 64


def check(known: World) -> Findings:
    """Yield the cycles in which the processes would wait for each other.

    Raises MpippError at the end if there were too many steps.
    """
    every = recorded(known, MOST)
    replay = Replay(every)
    told: set[object] = set()
    for cycle in replay.cycles():
        places = frozenset((wait.rank, wait.step.call.site, wait.of.call.site) for wait in cycle)
        if places in told or all(wait.of.kind == "collective" for wait in cycle):
            continue
        if len(told) == _MOST_TOLD:
            raise MpippError(f"only the first {_MOST_TOLD} cycles of messages were reported")
        told.add(places)
        yield _finding(replay, every, cycle)


def _finding(replay: Replay, every: dict[int, Steps], cycle: list[Wait]) -> Finding:
    first = min(range(len(cycle)), key=lambda i: cycle[i].rank)
    cycle = cycle[first:] + cycle[:first]
    parties = [party for wait in cycle for party in _parties(replay, every, wait)]
    rule = "needs-buffering"
    if any(wait.of.kind == "collective" for wait in cycle):
        rule = "crossed-collective"
    ranks = tuple(sorted(wait.rank for wait in cycle))
    return Finding.of(rule, parties, "itself" if len(ranks) == 1 else "circle", ranks=ranks)


def _parties(replay: Replay, every: dict[int, Steps], wait: Wait) -> Iterator[Party]:
    of = every[wait.rank]
    detail = _detail(replay, wait)
    if wait.of is not wait.step and wait.step.kind == "completed":
        subject = Phrase.of("{procedure}", procedure=wait.step.call.procedure)
        site = wait.step.call.site
        yield Party(of.process.number, subject, "called at", site, details=(detail,))
        detail = Phrase.of("completed there")
    comm = of.comms.get(wait.of.identity)
    yield Operation(
        of.process, _shown(wait.of, comm.header.handle if comm else None), None, None, comm
    ).party(detail)


def _detail(replay: Replay, wait: Wait) -> Phrase:
    awaited = replay.awaited(wait)
    if awaited is None:
        return Phrase.of("waits for {other_rank}", other_rank=_rank(wait.on))
    template = "waits for {other_rank}, which calls {procedure} later"
    return Phrase.of(template, other_rank=_rank(wait.on), procedure=awaited.call.procedure)


def _rank(rank: int) -> Phrase:
    return Phrase.of("{ranks}", ranks=(rank,))


def _shown(step: Step, comm: int | None) -> Call:
    # Returns the call with the arguments that a report shows.
    call = replace(step.call, arguments={}, comm=comm)
    if step.kind == "send":
        return replace(call, dest=call.source, source=None)
    if step.is_any and step.channel is not None and call.source is not None and call.source < 0:
        return replace(call, source=None, tag=None)
    return call
