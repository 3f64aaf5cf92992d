# SPDX-License-Identifier: MIT
"""What one group of an intercommunicator sends the other must be what that receives.

The rules stand in MPI-4.1, sections 6.2.2, 6.2.3 and 6.4 to 6.10.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from mpipp.analysis.context.collective_call import Joined, Pairs


def _groups(joined: Sequence[Joined]) -> tuple[list[Joined], list[Joined]]:
    # Those of the first's group, and the others; nothing where that is not known.
    ranks = joined[0].member.comm.world_ranks
    if any(one.member.comm.world_ranks is None for one in joined) or ranks is None:
        return [], []
    same = [one for one in joined if list(one.member.comm.world_ranks or ()) == list(ranks)]
    return same, [one for one in joined if one not in same]


def _rooted(joined: Sequence[Joined]) -> tuple[Joined | None, list[Joined]]:
    # The root, and the processes of the other group.
    for group, others in (_groups(joined), _groups(joined)[::-1]):
        for one in group:
            if one.root == "MPI_ROOT":
                return one, [other for other in others if not other.root]
    return None, []


def _bcast(joined: Sequence[Joined]) -> Pairs:
    root, others = _rooted(joined)
    for one in others:
        if root is not None:
            yield root.whole("buffer"), one.whole("buffer")


def _gather(joined: Sequence[Joined]) -> Pairs:
    root, others = _rooted(joined)
    for one in others:
        if root is not None:
            yield one.whole("sendbuf"), root.share(one.rank, "recvbuf")


def _scatter(joined: Sequence[Joined]) -> Pairs:
    root, others = _rooted(joined)
    for one in others:
        if root is not None:
            yield root.share(one.rank, "sendbuf"), one.whole("recvbuf")


def _allgather(joined: Sequence[Joined]) -> Pairs:
    for group, others in (_groups(joined), _groups(joined)[::-1]):
        for one in group:
            for other in others:
                yield one.whole("sendbuf"), other.share(one.rank, "recvbuf")


def _alltoall(joined: Sequence[Joined]) -> Pairs:
    for group, others in (_groups(joined), _groups(joined)[::-1]):
        for one in group:
            for other in others:
                yield one.share(other.rank, "sendbuf"), other.share(one.rank, "recvbuf")


def _reduce(joined: Sequence[Joined]) -> Pairs:
    root, others = _rooted(joined)
    for one in others:
        if root is not None:
            yield root.whole("recvbuf"), one.whole("sendbuf")


def _allreduce(joined: Sequence[Joined]) -> Pairs:
    # Of those that are scattered, all of the blocks together.
    for one in joined[1:]:
        yield joined[0].whole("sendbuf"), one.whole("sendbuf")


RULES: Mapping[str, Callable[[Sequence[Joined]], Pairs]] = {
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
