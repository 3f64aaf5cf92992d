# SPDX-License-Identifier: MIT
"""Which buffers of a collective operation's calls must have the same type signature?

The rules stand in MPI-4.1, sections 6.4 to 6.12 and 8.6, at each procedure.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from mpipp.analysis.collectives import intercomm_pairs
from mpipp.analysis.context import signature_check, topology_neighbors
from mpipp.analysis.context.collective_call import CollectiveCall, Pairs
from mpipp.analysis.context.signature_check import Meeting
from mpipp.analysis.findings.finding import Finding, Findings
from mpipp.common.errors import MpippError

MOST_PAIRS = 100_000  # of one operation

_ITSELF = Meeting(True, ("sends itself", "receives"), "collective", by="a process")


def check(name: str, joined: Sequence[CollectiveCall]) -> Findings:
    """The first two buffers of an operation that should match and do not, of one process or two.

    Raises MpippError when there are too many to compare them all.
    """
    by_itself = next((found for found in map(self_mismatch, joined) if found is not None), None)
    if by_itself is not None:
        yield by_itself
        return
    inter = joined[0].member.comm.inter
    pairs = (intercomm_pairs.RULES if inter else _RULES).get(name)
    meeting = signature_check.COLLECTIVE
    if name.startswith("reduce") or pairs is _reduction or name == "allreduce":
        meeting = signature_check.REDUCTION
    elif pairs is _bcast and _root(joined) is None:
        meeting = signature_check.RECEPTION
    if pairs is None:
        return
    for number, (sent, received) in enumerate(pairs(joined)):
        if number == MOST_PAIRS:
            procedure = joined[0].operation.call.procedure
            raise MpippError(
                f"of the buffers of {procedure} {number} pairs were compared, and no more"
            )
        if sent is not None and received is not None:
            finding: Finding | None = signature_check.compare(sent, received, meeting)
            if finding is not None:
                yield finding
                return


def self_mismatch(joined: CollectiveCall) -> Finding | None:
    """The mismatch between a process and itself in one call; None if there is none."""
    name = joined.operation.call.facts.operation.lower()
    pairs = None if joined.member.comm.inter else _RULES.get(name)
    for sent, received in pairs([joined]) if pairs is not None else ():
        if sent is not None and received is not None:
            finding = signature_check.compare(sent, received, _ITSELF)
            if finding is not None:
                return finding
    return None


def _root(joined: Sequence[CollectiveCall]) -> CollectiveCall | None:
    return next((one for one in joined if one.rank == one.operation.call.root), None)


def _bcast(joined: Sequence[CollectiveCall]) -> Pairs:
    root = _root(joined) or joined[0]
    for one in joined:
        if one is not root:
            yield root.buffer_data("buffer"), one.buffer_data("buffer")


def _gather(joined: Sequence[CollectiveCall]) -> Pairs:
    root = _root(joined)
    for one in joined:
        if root is not None:
            yield one.buffer_data("sendbuf"), root.share(one.rank, "recvbuf")


def _scatter(joined: Sequence[CollectiveCall]) -> Pairs:
    root = _root(joined)
    for one in joined:
        if root is not None:
            yield root.share(one.rank, "sendbuf"), one.buffer_data("recvbuf")


def _allgather(joined: Sequence[CollectiveCall]) -> Pairs:
    # MPI_IN_PLACE: each sends its share of what it receives.
    first = joined[0]
    for one in joined:
        sent = one.buffer_data("sendbuf") or one.share(one.rank, "recvbuf")
        yield sent, first.share(one.rank, "recvbuf")
    own = first.buffer_data("sendbuf") or first.share(first.rank, "recvbuf")
    for one in joined[1:]:
        yield own, one.share(first.rank, "recvbuf")


def _allgatherv(joined: Sequence[CollectiveCall]) -> Pairs:
    # The same; each may expect something else of each.
    for one, other in itertools.product(joined, joined):
        yield (
            one.buffer_data("sendbuf") or one.share(one.rank, "recvbuf"),
            other.share(one.rank, "recvbuf"),
        )


def _alltoall(joined: Sequence[CollectiveCall]) -> Pairs:
    # MPI_IN_PLACE: what is received takes the place of what is sent.
    for one, other in itertools.product(joined, joined):
        sent = one.share(other.rank, "sendbuf", "recvbuf")
        yield sent, other.share(one.rank, "recvbuf")


def _reduction(joined: Sequence[CollectiveCall]) -> Pairs:
    # MPI_IN_PLACE: recvbuf has what is reduced, in a reduce-scatter the blocks of all processes.
    for one in joined[1:]:
        yield joined[0].buffer_data("sendbuf", "recvbuf"), one.buffer_data("sendbuf", "recvbuf")


_RULES: dict[str, Callable[[Sequence[CollectiveCall]], Pairs]] = {
    "bcast": _bcast,
    "gather": _gather,
    "gatherv": _gather,
    "scatter": _scatter,
    "scatterv": _scatter,
    "allgather": _allgather,
    "allgatherv": _allgatherv,
    "alltoall": _alltoall,
    "alltoallv": _alltoall,
    "alltoallw": _alltoall,
    "reduce": _reduction,
    "allreduce": _reduction,
    "scan": _reduction,
    "exscan": _reduction,
    "reduce_scatter": _reduction,
    "reduce_scatter_block": _reduction,
    **topology_neighbors.RULES,
}
