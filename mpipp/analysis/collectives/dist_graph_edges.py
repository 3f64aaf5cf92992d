# SPDX-License-Identifier: MIT
"""Check that both processes of each edge of a distributed graph list the edge (MPI-4.1, section
8.5.4).

MPI_Dist_graph_create_adjacent does not compare the neighbors that the processes pass. If a source
does not list the edge, its destination waits forever in a neighborhood collective call.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from mpipp.analysis.context.world import Member, World
from mpipp.analysis.findings.finding import Finding, Findings
from mpipp.common.text.wording import counted
from mpipp.render.phrases import Phrase

_SHOWN = 16  # neighbors of a process that a finding lists


def check(known: World) -> Findings:
    """Yield the first edge of each communicator that its processes do not list equally often."""
    looked_at: set[int] = set()
    for process in known.processes:
        for comm in known.comms(process):
            if comm.topology != "distributed graph" or comm.identity in looked_at:
                continue
            looked_at.add(comm.identity)
            members = known.peers(Member(process, comm))
            yield from differing([one for one in members if one is not None])


def differing(members: Sequence[Member]) -> Findings:
    """Yield the first edge that two of these members do not list equally often."""
    # Compare only edges between known processes: mpipp knows nothing about absent processes.
    given = {one.comm.rank: one for one in members if one.comm.sources is not None}
    sent = Counter(
        (rank, to)
        for rank, one in given.items()
        for to in one.comm.destinations or ()
        if to in given
    )
    received = Counter(
        (of, rank) for rank, one in given.items() for of in one.comm.sources or () if of in given
    )
    different = [edge for edge in {**sent, **received} if sent[edge] != received[edge]]
    if not different:
        return
    edge = min(different)
    source, destination = (given[rank] for rank in edge)
    ends = [
        Phrase.of("{text}", text=counted(n, "edge") if n else "no edge")
        for n in (sent[edge], received[edge])
    ]
    parties = [
        source.process.object_party(source.comm, _listed("destinations", source.comm.destinations)),
        destination.process.object_party(
            destination.comm, _listed("sources", destination.comm.sources)
        ),
    ]
    yield Finding.of(
        "graph-ends",
        parties,
        rank=edge[0],
        other_rank=edge[1],
        sent=ends[0],
        received=ends[1],
    )


def _listed(name: str, ranks: Sequence[int] | None) -> Phrase:
    shown = [str(rank) for rank in (ranks or ())[:_SHOWN]]
    more = ["..."] if len(ranks or ()) > _SHOWN else []
    listed = ", ".join(shown + more)
    return Phrase.of("{argument} = {{{value}}}", argument=name, value=listed)
