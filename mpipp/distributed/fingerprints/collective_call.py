# SPDX-License-Identifier: MIT
"""What a process adds for a collective call."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mpipp.analysis.collectives import user_ops
from mpipp.analysis.collectives.active import reduction
from mpipp.analysis.collectives.arguments import as_meant
from mpipp.analysis.context.channel_history import Side
from mpipp.analysis.context.collective_call import CollectiveCall
from mpipp.datatypes.signatures import hashing
from mpipp.datatypes.signatures.hashing import PRIME
from mpipp.distributed.fingerprints.arithmetic import (
    NOTHING,
    Pair,
    added,
    negative,
    times,
    weight,
)
from mpipp.model import KeptCall

# What the buffers of a call add.
Make = Callable[["Calls", CollectiveCall], Pair]


class Calls:
    """Those of a process on a communicator, window or file."""

    def __init__(self, key: int, side: Side, makes: Mapping[str, Make]) -> None:
        self._key = key
        self._side = side
        self._makes = makes
        comm = side.member.comm
        self._rank, self._size = comm.rank, comm.size
        place, self._group = comm.rank, NOTHING
        if comm.inter:  # a ring through both groups, and one through its own
            ours, theirs = comm.world_ranks, comm.remote_world_ranks
            if ours:
                ranks = comm.rank, (comm.rank + 1) % len(ours)
                one, other = (weight(key, 4, ours[0], rank) for rank in ranks)
                self._group = added(one, negative(other))
            if ours and theirs and ours[0] > theirs[0]:
                place += comm.remote_size
            self._size += comm.remote_size
        following = (place + 1) % self._size if self._size else 0
        self._ring = added(weight(key, 1, place), negative(weight(key, 1, following)))

    def terms(self, kept: KeptCall) -> Pair:
        """Of one call."""
        joined = CollectiveCall(self._side.operation(kept.call), self._side.member)
        found = times(self._ring, _facts(joined))
        if joined.member.comm.inter:
            found = added(found, times(self._group, _counts(joined)))
            found = added(found, self._root(joined))
        make = self._makes.get(joined.operation.call.facts.operation)
        if make is None:
            return found
        return added(found, make(self, joined))

    def _root(self, joined: CollectiveCall) -> Pair:
        # All name the root's group alike; the root names its rank as often as there are processes
        # that are told.
        comm, root = joined.member.comm, joined.operation.call.root
        ours, theirs = comm.world_ranks, comm.remote_world_ranks
        if root is None or not ours or not theirs:
            return NOTHING
        group = hashing.letter(repr(ours[0] if joined.root else theirs[0]))
        found = times(self._ring, (group.first, group.second))
        if joined.root == "MPI_PROC_NULL":
            return found
        rank = hashing.letter(repr(comm.rank if joined.root else root))
        often = comm.remote_size if joined.root else -1
        named = times(weight(self._key, 5), (rank.first, rank.second))
        return added(found, times((often % PRIME, often % PRIME), named))

    # What must be equal in all processes; what goes from one to another; what goes to itself.

    def equal(self, data: Pair) -> Pair:
        return times(self._ring, data)

    def across(self, peer: int, data: Pair, is_sent: bool) -> Pair:
        """To a process of the other group, or from it."""
        own, other = self._worlds(peer)
        by = weight(self._key, 2, *((own, other) if is_sent else (other, own)))
        return times(by if is_sent else negative(by), data)

    def exchange_with_root(self, data: Pair) -> Pair:
        """The data between this process and the root of the other group."""
        own, _ = self._worlds(0)
        return times(weight(self._key, 6, own), data)

    def exchange_as_root(self, peer: int, data: Pair) -> Pair:
        """The data between this process, which is the root, and a process of the other group."""
        _, other = self._worlds(peer)
        return times(negative(weight(self._key, 6, other)), data)

    def _worlds(self, peer: int) -> tuple[int, int]:
        # The ranks in MPI_COMM_WORLD; without those nothing is compared
        # (analysis/collectives/intercomm_roots.py).
        comm = self._side.member.comm
        ours, theirs = comm.world_ranks, comm.remote_world_ranks
        return (ours[comm.rank] if ours else -1), (theirs[peer] if theirs else -1)

    def goes(self, sender: int, receiver: int, data: Pair) -> Pair:
        by = weight(self._key, 2, sender, receiver)
        return times(by if sender == self._rank else negative(by), data)

    def self_exchange(self, sent: Pair, received: Pair) -> Pair:
        return times(weight(self._key, 3, self._rank), added(sent, negative(received)))

    def each(self) -> range:
        return range(self._size)


def _facts(joined: CollectiveCall) -> Pair:
    # All but the buffers, as text.
    call, comm = joined.operation.call, joined.member.comm
    facts = call.facts
    root = None if comm.inter else call.root
    words: list[object] = [facts.operation, facts.form, root, reduction(joined)]
    words += [None if comm.inter else call.counts, user_ops.user_op(joined)]
    words += [(name, as_meant(name, call.arguments[name])) for name in sorted(call.arguments)]
    if facts.in_place is not None and facts.in_place.where == "all":
        process = joined.operation.process
        words += [b.role for b in call.buffers if process.in_place(b)]
    found = hashing.letter(repr(words))
    return found.first, found.second


def _counts(joined: CollectiveCall) -> Pair:
    # What all of a group must give alike.
    found = hashing.letter(repr(joined.operation.call.counts))
    return found.first, found.second
