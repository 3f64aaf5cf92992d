# SPDX-License-Identifier: MIT
"""What a process adds for the buffers of a call on an intercommunicator."""

from __future__ import annotations

from collections.abc import Callable

from mpipp.analysis.context.collective_call import CollectiveCall
from mpipp.distributed.fingerprints.arithmetic import (
    NOTHING,
    Pair,
    added,
    buffer_fingerprint,
    share,
)
from mpipp.distributed.fingerprints.collective_call import Calls, Make


def _others(joined: CollectiveCall) -> range:
    return range(joined.member.comm.remote_size)


def _rooted(
    calls: Calls, joined: CollectiveCall, role: str, to: Callable[[CollectiveCall, int], Pair]
) -> Pair:
    # What the root has for each of the other group, and what they have.
    if not joined.root:
        return calls.exchange_with_root(buffer_fingerprint(joined, role))
    found = NOTHING
    if joined.root == "MPI_ROOT":
        for peer in _others(joined):
            found = added(found, calls.exchange_as_root(peer, to(joined, peer)))
    return found


def _bcast(calls: Calls, joined: CollectiveCall) -> Pair:
    return _rooted(calls, joined, "buffer", lambda root, _: buffer_fingerprint(root, "buffer"))


def _reduce(calls: Calls, joined: CollectiveCall) -> Pair:
    return _rooted(calls, joined, "sendbuf", lambda root, _: buffer_fingerprint(root, "recvbuf"))


def _gather(calls: Calls, joined: CollectiveCall) -> Pair:
    return _rooted(calls, joined, "sendbuf", lambda root, peer: share(root, peer, "recvbuf"))


def _scatter(calls: Calls, joined: CollectiveCall) -> Pair:
    return _rooted(calls, joined, "recvbuf", lambda root, peer: share(root, peer, "sendbuf"))


def _exchange(calls: Calls, joined: CollectiveCall, sent: Callable[[int], Pair]) -> Pair:
    found = NOTHING
    for peer in _others(joined):
        found = added(found, calls.across(peer, sent(peer), True))
        found = added(found, calls.across(peer, share(joined, peer, "recvbuf"), False))
    return found


def _allgather(calls: Calls, joined: CollectiveCall) -> Pair:
    sent = buffer_fingerprint(joined, "sendbuf")
    return _exchange(calls, joined, lambda _: sent)


def _alltoall(calls: Calls, joined: CollectiveCall) -> Pair:
    return _exchange(calls, joined, lambda peer: share(joined, peer, "sendbuf"))


def _allreduce(calls: Calls, joined: CollectiveCall) -> Pair:
    return calls.equal(buffer_fingerprint(joined, "sendbuf"))


TERMS: dict[str, Make] = {
    "Bcast": _bcast,
    "Gather": _gather,
    "Gatherv": _gather,
    "Scatter": _scatter,
    "Scatterv": _scatter,
    "Allgather": _allgather,
    "Allgatherv": _allgather,
    "Alltoall": _alltoall,
    "Alltoallv": _alltoall,
    "Alltoallw": _alltoall,
    "Reduce": _reduce,
    "Allreduce": _allreduce,
    "Reduce_scatter": _allreduce,
    "Reduce_scatter_block": _allreduce,
}
