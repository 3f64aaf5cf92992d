# SPDX-License-Identifier: MIT
"""The terms of a process for the buffers of a collective call.

Terms are of two kinds. For signatures that must be equal, each process adds its signature with its
weight on a ring of all processes; equal signatures cancel. For data that one process sends to
another, the sender adds the signature, and the receiver subtracts it. The table of procedures
(wrapper/generator/agreement.py) has the kind of each operation.
"""

from __future__ import annotations

from collections.abc import Iterator

from mpipp.analysis.context import topology_neighbors
from mpipp.analysis.context.collective_call import CollectiveCall
from mpipp.distributed.fingerprints.arithmetic import (
    NOTHING,
    Pair,
    added,
    data_fingerprint,
    negative,
    times,
    weight,
)

_VECTORS = (0x1B873593CC9E2D51, 0x05EBCA6BC2B2AE35)  # weights of a vector's entries


def buffer_terms(key: int, ring: Pair, joined: CollectiveCall) -> Pair:
    """Return the terms of a call's buffers.

    Args:
        key: that of the call's channel.
        ring: the weight of the process on the ring of all processes.
    """
    facts, inter = joined.operation.call.facts, joined.member.comm.inter
    if not facts.signatures:
        return NOTHING
    if facts.reduces and not (inter and "root" in facts.agree):
        return times(ring, data_fingerprint(joined.sent(0)))
    if inter or facts.signatures == "pairs":
        return _transfers(key, joined)
    found = times(ring, _equal(joined))
    if joined.has_both_buffers:
        sent, received = (data(joined.rank) for data in (joined.sent, joined.received))
        own = added(data_fingerprint(sent), negative(data_fingerprint(received)))
        found = added(found, times(weight(key, 3, joined.rank), own))
    return found


def _equal(joined: CollectiveCall) -> Pair:
    # The fingerprint of the call's signature, which must be equal in all processes.
    facts = joined.operation.call.facts
    if facts.signatures == "vector":
        every = NOTHING
        for peer in range(joined.member.comm.size):
            every = added(times(every, _VECTORS), data_fingerprint(joined.received(peer)))
        return every
    receives = joined.buffer(facts.buffers[-1].role) is not None
    return data_fingerprint((joined.received if receives else joined.sent)(joined.rank))


def _transfers(key: int, joined: CollectiveCall) -> Pair:
    # All transfers from one process to another have the same weight, because edges between the same
    # two processes of a topology match in any order.
    found, own = NOTHING, _weight_number(joined)
    for number, peer in _peers(joined, True):
        data = data_fingerprint(joined.sent(number))
        found = added(found, times(weight(key, 2, own, peer), data))
    for number, peer in _peers(joined, False):
        data = data_fingerprint(joined.received(number))
        found = added(found, times(negative(weight(key, 2, peer, own)), data))
    return found


def _peers(joined: CollectiveCall, is_sent: bool) -> Iterator[tuple[int, int]]:
    # Yields receivers or senders: each as the index of its share in the buffer, and the number that
    # enters the weight. With MPI_IN_PLACE a process sends nothing to itself.
    comm, facts = joined.member.comm, joined.operation.call.facts
    if facts.flow == "edges":
        edges = topology_neighbors.targets if is_sent else topology_neighbors.sources
        numbered = enumerate(edges(joined.member) or ())
        yield from ((number, rank) for number, rank in numbered if rank is not None)
        return
    root = joined.operation.call.root
    numbers = range(comm.remote_size if comm.inter else comm.size)
    if facts.flow == ("to root" if is_sent else "from root"):
        numbers = range(root, root + 1) if root is not None and root in numbers else range(0)
    elif facts.flow in ("from root", "to root") and not joined.is_root:
        return
    for number in numbers:
        if comm.inter:
            yield number, comm.remote_world_ranks[number] if comm.remote_world_ranks else -1
        elif number != joined.rank or joined.has_both_buffers:
            yield number, number


def _weight_number(joined: CollectiveCall) -> int:
    # Ranks in MPI_COMM_WORLD distinguish the two groups of an intercommunicator. If they are
    # unknown, the call is not compared (analysis/collectives/intercomm_roots.py).
    comm = joined.member.comm
    if not comm.inter:
        return comm.rank
    return comm.world_ranks[comm.rank] if comm.world_ranks else -1
