# SPDX-License-Identifier: MIT
"""What a process adds for the buffers of a call within one group."""

from __future__ import annotations

from collections.abc import Callable

from mpipp.analysis.context import topology_neighbors
from mpipp.analysis.context.collective_call import CollectiveCall
from mpipp.distributed.fingerprints.arithmetic import (
    NOTHING,
    Pair,
    added,
    buffer_fingerprint,
    share,
    times,
)
from mpipp.distributed.fingerprints.collective_call import Calls, Make

_VECTORS = (0x1B873593CC9E2D51, 0x05EBCA6BC2B2AE35)  # of each entry of a vector


def _is_root(joined: CollectiveCall) -> bool:
    return joined.rank == joined.operation.call.root


def _bcast(calls: Calls, joined: CollectiveCall) -> Pair:
    return calls.equal(buffer_fingerprint(joined, "buffer"))


def _gather(calls: Calls, joined: CollectiveCall) -> Pair:
    if _is_root(joined):
        return added(calls.equal(share(joined, joined.rank, "recvbuf")), _gathered(calls, joined))
    return calls.equal(buffer_fingerprint(joined, "sendbuf"))


def _gathered(calls: Calls, joined: CollectiveCall) -> Pair:
    # By the root from itself.
    if not joined.buffer("sendbuf"):
        return NOTHING
    return calls.self_exchange(
        buffer_fingerprint(joined, "sendbuf"), share(joined, joined.rank, "recvbuf")
    )


def _scatter(calls: Calls, joined: CollectiveCall) -> Pair:
    if _is_root(joined):
        return added(calls.equal(share(joined, joined.rank, "sendbuf")), _scattered(calls, joined))
    return calls.equal(buffer_fingerprint(joined, "recvbuf"))


def _scattered(calls: Calls, joined: CollectiveCall) -> Pair:
    # By the root to itself.
    if not joined.buffer("recvbuf"):
        return NOTHING
    return calls.self_exchange(
        share(joined, joined.rank, "sendbuf"), buffer_fingerprint(joined, "recvbuf")
    )


def _gatherv(calls: Calls, joined: CollectiveCall) -> Pair:
    root = joined.operation.call.root
    if root is None or not _is_root(joined):
        return calls.goes(joined.rank, root or 0, buffer_fingerprint(joined, "sendbuf"))
    found = _gathered(calls, joined)
    for peer in calls.each():
        if peer != root:
            found = added(found, calls.goes(peer, root, share(joined, peer, "recvbuf")))
    return found


def _scatterv(calls: Calls, joined: CollectiveCall) -> Pair:
    root = joined.operation.call.root
    if root is None or not _is_root(joined):
        return calls.goes(root or 0, joined.rank, buffer_fingerprint(joined, "recvbuf"))
    found = _scattered(calls, joined)
    for peer in calls.each():
        if peer != root:
            found = added(found, calls.goes(root, peer, share(joined, peer, "sendbuf")))
    return found


def _allgather(calls: Calls, joined: CollectiveCall) -> Pair:
    received = share(joined, joined.rank, "recvbuf")
    sent = buffer_fingerprint(joined, "sendbuf") if joined.buffer("sendbuf") else received
    return added(calls.equal(received), calls.self_exchange(sent, received))


def _allgatherv(calls: Calls, joined: CollectiveCall) -> Pair:
    every = NOTHING
    for peer in calls.each():
        every = added(times(every, _VECTORS), share(joined, peer, "recvbuf"))
    received = share(joined, joined.rank, "recvbuf")
    sent = buffer_fingerprint(joined, "sendbuf") if joined.buffer("sendbuf") else received
    return added(calls.equal(every), calls.self_exchange(sent, received))


def _alltoall(calls: Calls, joined: CollectiveCall) -> Pair:
    received = share(joined, joined.rank, "recvbuf")
    sent = share(joined, joined.rank, "sendbuf", "recvbuf")
    return added(calls.equal(received), calls.self_exchange(sent, received))


def _alltoallv(calls: Calls, joined: CollectiveCall) -> Pair:
    found, own = NOTHING, joined.rank
    for peer in calls.each():
        sent = share(joined, peer, "sendbuf", "recvbuf")
        received = share(joined, peer, "recvbuf")
        if peer == own:
            found = added(found, calls.self_exchange(sent, received))
            continue
        found = added(found, calls.goes(own, peer, sent))
        found = added(found, calls.goes(peer, own, received))
    return found


def _reduction(calls: Calls, joined: CollectiveCall) -> Pair:
    return calls.equal(buffer_fingerprint(joined, "sendbuf", "recvbuf"))


def _neighbors(calls: Calls, joined: CollectiveCall, sent: Callable[[int], Pair]) -> Pair:
    # Several edges from one process to another have one weight: they match in any order.
    found, own = NOTHING, joined.rank
    for number, rank in enumerate(topology_neighbors.targets(joined.member) or ()):
        if rank == own:
            found = added(found, calls.self_exchange(sent(number), NOTHING))
        elif rank is not None:
            found = added(found, calls.goes(own, rank, sent(number)))
    for number, rank in enumerate(topology_neighbors.sources(joined.member) or ()):
        received = share(joined, number, "recvbuf") if rank is not None else NOTHING
        if rank == own:
            found = added(found, calls.self_exchange(NOTHING, received))
        elif rank is not None:
            found = added(found, calls.goes(rank, own, received))
    return found


def _neighbor_allgather(calls: Calls, joined: CollectiveCall) -> Pair:
    sent = buffer_fingerprint(joined, "sendbuf")
    return _neighbors(calls, joined, lambda _: sent)


def _neighbor_alltoall(calls: Calls, joined: CollectiveCall) -> Pair:
    return _neighbors(calls, joined, lambda number: share(joined, number, "sendbuf"))


TERMS: dict[str, Make] = {
    "Bcast": _bcast,
    "Gather": _gather,
    "Gatherv": _gatherv,
    "Scatter": _scatter,
    "Scatterv": _scatterv,
    "Allgather": _allgather,
    "Allgatherv": _allgatherv,
    "Alltoall": _alltoall,
    "Alltoallv": _alltoallv,
    "Alltoallw": _alltoallv,
    "Reduce": _reduction,
    "Allreduce": _reduction,
    "Scan": _reduction,
    "Exscan": _reduction,
    "Reduce_scatter": _reduction,
    "Reduce_scatter_block": _reduction,
    "Neighbor_allgather": _neighbor_allgather,
    "Neighbor_allgatherv": _neighbor_allgather,
    "Neighbor_alltoall": _neighbor_alltoall,
    "Neighbor_alltoallv": _neighbor_alltoall,
    "Neighbor_alltoallw": _neighbor_alltoall,
}
