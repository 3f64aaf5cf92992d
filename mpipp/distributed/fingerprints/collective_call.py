# SPDX-License-Identifier: MIT
"""The terms of a process for a collective call."""

from __future__ import annotations

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
from mpipp.distributed.fingerprints.buffer_terms import buffer_terms
from mpipp.model import KeptCall


class Calls:
    """The terms of a process's calls on a communicator, window or file."""

    def __init__(self, key: int, side: Side) -> None:
        self._key = key
        self._side = side
        comm = side.member.comm
        place, size, self._group = comm.rank, comm.size, NOTHING
        if comm.inter:  # weights on two rings: of both groups, and of the process's own group
            ours, theirs = comm.world_ranks, comm.remote_world_ranks
            if ours:
                ranks = comm.rank, (comm.rank + 1) % len(ours)
                one, other = (weight(key, 4, ours[0], rank) for rank in ranks)
                self._group = added(one, negative(other))
            if ours and theirs and ours[0] > theirs[0]:
                place += comm.remote_size
            size += comm.remote_size
        following = (place + 1) % size if size else 0
        self._ring = added(weight(key, 1, place), negative(weight(key, 1, following)))

    def terms(self, kept: KeptCall) -> Pair:
        """Return the terms of one call."""
        joined = CollectiveCall(self._side.operation(kept.call), self._side.member)
        found = times(self._ring, _facts(joined))
        if joined.member.comm.inter:
            found = added(found, times(self._group, _counts(joined)))
            found = added(found, self._root(joined))
        return added(found, buffer_terms(self._key, self._ring, joined))

    def _root(self, joined: CollectiveCall) -> Pair:
        # All processes must name the same root. Each process adds the name of the root's group on
        # the ring. The root adds its own rank once for each process that must name it, and each of
        # them subtracts the rank that it names.
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


def _facts(joined: CollectiveCall) -> Pair:
    # All facts on which processes must agree, except the buffers, as text.
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
    # The counts, which must be equal in all processes of a group.
    found = hashing.letter(repr(joined.operation.call.counts))
    return found.first, found.second
