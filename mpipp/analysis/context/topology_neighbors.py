# SPDX-License-Identifier: MIT
"""Neighbors in topologies, and the data along each edge (MPI-4.1, 8.6).

If there are several edges from one process to another, their order is unknown: mpipp reports them
only if every order is wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from mpipp.analysis.context.collective_call import CollectiveCall, Pairs
from mpipp.analysis.context.signature_check import Data
from mpipp.analysis.context.world import Member
from mpipp.common.errors import MpippError
from mpipp.datatypes.signatures import hashing
from mpipp.datatypes.signatures.hashing import Digest
from mpipp.model import Comm


def sources(member: Member) -> list[int | None] | None:
    """Return the neighbors that send to a process in a topology, in order.

    An item is None for a neighbor that does not exist. The result is None if neighbors are unknown.
    """
    comm = member.comm
    if comm.topology == "cartesian":
        return list(_around(comm))
    return None if comm.sources is None else list(comm.sources)


def targets(member: Member) -> list[int | None] | None:
    """Return the neighbors that a process sends to in a topology, as `sources` does."""
    comm = member.comm
    if comm.topology == "cartesian":
        return list(_around(comm))
    return None if comm.destinations is None else list(comm.destinations)


def _around(comm: Comm) -> Iterator[int | None]:
    # The neighbors in a Cartesian topology.
    for i, (size, periodic) in enumerate(zip(comm.dims, comm.periods)):
        for step in (-1, 1):
            at = list(comm.coords)
            at[i] += step
            if not periodic and not 0 <= at[i] < size:
                yield None
                continue
            at[i] %= size
            rank = 0
            for extent, position in zip(comm.dims, at):
                rank = rank * extent + position
            yield rank


def _edges(
    joined: Sequence[CollectiveCall],
) -> Iterator[tuple[CollectiveCall, list[int], CollectiveCall, list[int]]]:
    # Yields each sender with the receiver's positions among its neighbors, and each receiver with
    # the sender's positions.
    by_rank = {one.rank: (one, _numbers(sources(one.member))) for one in joined}
    for one in joined:
        for rank, numbers in _numbers(targets(one.member)).items():
            if rank not in by_rank:
                continue
            other, theirs = by_rank[rank]
            places = theirs.get(one.rank, [])
            if len(places) == len(numbers):
                yield one, numbers, other, places


def _numbers(neighbors: Sequence[int | None] | None) -> dict[int, list[int]]:
    # The positions of each neighbor in the list, by its rank.
    found: dict[int, list[int]] = {}
    for number, rank in enumerate(neighbors or ()):
        if rank is not None:
            found.setdefault(rank, []).append(number)
    return found


def pairs(joined: Sequence[CollectiveCall]) -> Pairs:
    """Yield the data that is sent along each edge, with the data that the other end expects."""
    for one, numbers, other, places in _edges(joined):
        sent = [one.sent(number) for number in numbers]
        yield from _in_any_order(sent, [other.received(number) for number in places])


def _in_any_order(sent: Sequence[Data | None], received: Sequence[Data | None]) -> Pairs:
    # Both sides have equally many data. If all data of each side are equal, any pair is tested.
    # Otherwise only the first unmatched data of each side are tested. MPI_PACKED matches different
    # types, so then nothing is certain.
    if len(sent) == 1:
        yield sent[0], received[0]
        return
    kinds, others = ([_digest(data) for data in side] for side in (sent, received))
    if len(set(kinds)) == len(set(others)) == 1:
        yield sent[0], received[0]
        return
    if any(kind is None or kind.bits & hashing.PACKED for kind in (*kinds, *others)):
        return
    more, fewer = Counter(kinds) - Counter(others), Counter(others) - Counter(kinds)
    if more:
        yield (
            next(data for data, kind in zip(sent, kinds) if kind in more),
            next(data for data, kind in zip(received, others) if kind in fewer),
        )


def _digest(data: Data | None) -> Digest | None:
    # The fingerprint of the data's signature; None if the data are unknown.
    try:
        return None if data is None else hashing.digest(data.entries.signature)
    except MpippError:
        return None
