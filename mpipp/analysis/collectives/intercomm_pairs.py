# SPDX-License-Identifier: MIT
"""What one group of an intercommunicator sends the other must be what that receives.

The rules stand in MPI-4.1, sections 6.2.2, 6.2.3 and 6.4 to 6.10.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from mpipp.analysis.context.collective_call import CollectiveCall, Pairs


def _groups(joined: Sequence[CollectiveCall]) -> tuple[list[CollectiveCall], list[CollectiveCall]]:
    # Those of the first's group, and the others; nothing where that is not known.
    ranks = joined[0].member.comm.world_ranks
    if any(one.member.comm.world_ranks is None for one in joined) or ranks is None:
        return [], []
    same = [one for one in joined if list(one.member.comm.world_ranks or ()) == list(ranks)]
    return same, [one for one in joined if one not in same]


def _rooted(joined: Sequence[CollectiveCall]) -> tuple[CollectiveCall | None, list[CollectiveCall]]:
    # The root, and the processes of the other group.
    for group, others in (_groups(joined), _groups(joined)[::-1]):
        for one in group:
            if one.root == "MPI_ROOT":
                return one, [other for other in others if not other.root]
    return None, []


def _bcast(joined: Sequence[CollectiveCall]) -> Pairs:
    root, others = _rooted(joined)
    for one in others:
        if root is not None:
            yield root.buffer_data("buffer"), one.buffer_data("buffer")


def _gather(joined: Sequence[CollectiveCall]) -> Pairs:
    root, others = _rooted(joined)
    for one in others:
        if root is not None:
            yield one.buffer_data("sendbuf"), root.share(one.rank, "recvbuf")


def _scatter(joined: Sequence[CollectiveCall]) -> Pairs:
    root, others = _rooted(joined)
    for one in others:
        if root is not None:
            yield root.share(one.rank, "sendbuf"), one.buffer_data("recvbuf")


def _allgather(joined: Sequence[CollectiveCall]) -> Pairs:
    for group, others in (_groups(joined), _groups(joined)[::-1]):
        for one in group:
            for other in others:
                yield one.buffer_data("sendbuf"), other.share(one.rank, "recvbuf")


def _alltoall(joined: Sequence[CollectiveCall]) -> Pairs:
    for group, others in (_groups(joined), _groups(joined)[::-1]):
        for one in group:
            for other in others:
                yield one.share(other.rank, "sendbuf"), other.share(one.rank, "recvbuf")


def _reduce(joined: Sequence[CollectiveCall]) -> Pairs:
    root, others = _rooted(joined)
    for one in others:
        if root is not None:
            yield root.buffer_data("recvbuf"), one.buffer_data("sendbuf")


def _allreduce(joined: Sequence[CollectiveCall]) -> Pairs:
    # Of those that are scattered, all of the blocks together.
    for one in joined[1:]:
        yield joined[0].buffer_data("sendbuf"), one.buffer_data("sendbuf")


RULES: Mapping[str, Callable[[Sequence[CollectiveCall]], Pairs]] = {
    "bcast": _bcast,
    "gather": _gather,
    "gatherv": _gather,
    "scatter": _scatter,
    "scatterv": _scatter,
    "allgather": _allgather,
    "allgatherv": _allgather,
    "alltoall": _alltoall,
    "alltoallv": _alltoall,
    "alltoallw": _alltoall,
    "reduce": _reduce,
    "allreduce": _allreduce,
    "reduce_scatter": _allreduce,
    "reduce_scatter_block": _allreduce,
}
