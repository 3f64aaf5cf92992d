# SPDX-License-Identifier: MIT
"""Sums that vanish over all processes where what they did agrees.

What one process did is written as terms that others cancel: a message is added by its sender and
subtracted by its receiver; what must be equal in all calls of a collective operation is added by
each process with the weight of its rank less that of the next. Terms are numbers modulo 2^61 - 1
made of digests of signatures; weights are made of the channel, the ranks and the ordinal, and never
0. There are two sums, with digests, weights and ordinals of their own.

They choose what is compared, and nothing more: whether something is wrong is for the checks to say.
What these do not compare may make a sum that does not vanish, which costs time alone. Something
wrong is passed over with a chance of (n / 2^61)^2, n the number of elements and of calls.

Which terms an operation has follows from the rules of `checks.exchanges`, `checks.neighbors` and
`checks.collectives`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import NamedTuple

from mpipp.checks import neighbors, ownops, signatures
from mpipp.checks.collectives import reduction
from mpipp.checks.joined import Joined
from mpipp.checks.past import sides
from mpipp.checks.past.sides import Side
from mpipp.checks.process import Process
from mpipp.checks.signatures import Data
from mpipp.checks.world import World
from mpipp.datatypes.signatures import digests
from mpipp.datatypes.signatures.digests import PRIME, mixed
from mpipp.errors import MpippError
from mpipp.model import Kept, Stretch

BUCKETS = 256

_ORDINALS = (0x13C6EF3720E1B947, 0x0A54FF53A5F1D36F)  # the weight of ordinal n is the n-th power
_VECTORS = (0x1B873593CC9E2D51, 0x05EBCA6BC2B2AE35)  # the same of peers in a call
_SEEDS = (0x3C6EF372FE94F82B, 0x510E527FADE682D1)
_LENGTHS = (0x1F83D9ABFB41BD6B, 0x0BE0CD19137E2179)  # of the number of elements
_EXISTS = (0x0CBBB9D5DC1059ED, 0x029A292A367CD507)  # of an empty message, too
_WORD = (1 << 64) - 1

Pair = tuple[int, int]
_NOTHING: Pair = (0, 0)


class Part(NamedTuple):
    """What a process adds to the sum of a channel."""

    key: int  # of 64 bits, the same in all its processes
    peer: int  # rank in MPI_COMM_WORLD of the other process of messages, else -1
    sum: Pair

    @property
    def bucket(self) -> int:
        """The number of the sum that it belongs to."""
        return self.key % BUCKETS


def added(one: Pair, other: Pair) -> Pair:
    """Of both."""
    return (one[0] + other[0]) % PRIME, (one[1] + other[1]) % PRIME


def parts(process: Process) -> Iterator[tuple[Side, Part]]:
    """What a process adds, by channel. Raises MpippError when its records make no sense."""
    known = World([process])
    messages: dict[Hashable, Pair] = {}
    for side in sides.every(known):
        of = sides.key(known, side)
        if of is not None:
            key = _hash(1, *of)
            total = _over(side, messages, functools.partial(_message, side))
            yield side, Part(key, _other(side, of), _signed(side, _weight(key, 0), total))
        elif sides.is_joined(side.channel) and process.registry.info.world_rank is not None:
            comm = side.member.comm
            key = _hash(2, comm.identity, *map(ord, side.channel.sequence), side.channel.tag)
            calls = _Calls(key, side)
            yield side, Part(key, -1, _over(side, {}, calls.terms))
    for side in sides.complete(known):
        of = sides.key(known, side) if side.channel.shared else None
        if of is not None:
            key = _hash(1, *of)
            yield side, Part(key, _other(side, of), _signed(side, _weight(key, 1), _kinds(side)))


# Numbers.


def _hash(*of: int) -> int:
    found = 0
    for number in of:
        found = mixed(found ^ mixed(number & _WORD))
    return found


def _weight(*of: int) -> Pair:
    known = _hash(*of)
    return mixed(known ^ _SEEDS[0]) % PRIME or 1, mixed(known ^ _SEEDS[1]) % PRIME or 1


def _negative(one: Pair) -> Pair:
    return -one[0] % PRIME, -one[1] % PRIME


def _times(one: Pair, other: Pair) -> Pair:
    return one[0] * other[0] % PRIME, one[1] * other[1] % PRIME


def _over(side: Side, known: dict[Hashable, Pair], terms: Callable[[Kept], Pair]) -> Pair:
    # The terms of all calls, each with the weight of its ordinal; runs are not written out.
    one = other = 0
    at, x, y = 0, 1, 1  # an ordinal, and its weights: single calls often follow each other
    for stretch in side.stretches:
        of_each = []
        for kept in stretch.calls:
            term = known.get(kept.key)
            if term is None:
                term = known[kept.key] = terms(kept)
            of_each.append(term)
        if not stretch.written_out:
            found = _of_stretch(stretch, of_each)
            one, other = one + found[0], other + found[1]
            continue
        if stretch.first != at:
            x, y = (pow(base, stretch.first, PRIME) for base in _ORDINALS)
        for term in of_each:
            one, other = (one + x * term[0]) % PRIME, (other + y * term[1]) % PRIME
            x, y = x * _ORDINALS[0] % PRIME, y * _ORDINALS[1] % PRIME
        at = stretch.end
    return one % PRIME, other % PRIME


def _of_stretch(stretch: Stretch, of_each: Sequence[Pair]) -> Pair:
    period = len(of_each)
    turns, rest = divmod(stretch.count, period)
    found = []
    for number, base in enumerate(_ORDINALS):
        power = pow(base, stretch.first, PRIME)
        cycle, step = 0, pow(base, period, PRIME)
        fewer = _geometric(step, turns)
        more = (fewer + pow(step, turns, PRIME)) % PRIME  # one turn more
        for position, term in enumerate(of_each):
            cycle += power * term[number] % PRIME * (more if position < rest else fewer)
            power = power * base % PRIME
        found.append(cycle % PRIME)
    return found[0], found[1]


def _geometric(step: int, count: int) -> int:
    # 1 + step + ... + step^(count - 1)
    if count < 2:
        return count
    return (pow(step, count, PRIME) - 1) * pow(step - 1, -1, PRIME) % PRIME


# Messages.


def _other(side: Side, of: sides.Key) -> int:
    return of.receiver if sides.is_sent(side.channel) else of.sender


def _signed(side: Side, weight: Pair, total: Pair) -> Pair:
    return _times(weight if sides.is_sent(side.channel) else _negative(weight), total)


def _kinds(side: Side) -> Pair:
    # Of a channel that threads share what is different, whatever the order: where both sides have
    # the same, each has one that it matches.
    found = _NOTHING
    for term in {_message(side, kept) for kept in side.kinds}:
        found = added(found, term)
    return found


def _message(side: Side, kept: Kept) -> Pair:
    call = kept.call
    if len(call.buffers) != 1:
        return _EXISTS
    return added(_EXISTS, _data(signatures.whole(side.operation(call), call.buffers[0])))


def _data(data: Data | None) -> Pair:
    # Of what is not known nothing is compared.
    if data is None:
        return _NOTHING
    try:
        found = digests.digest(data.entries.signature)
    except MpippError:
        return _NOTHING
    numbers = zip((found.first, found.second), _LENGTHS)
    one, other = ((number + length * found.elements) % PRIME for number, length in numbers)
    return one, other


# Collective calls.


class _Calls:
    # Those of a process on a communicator, window or file.

    def __init__(self, key: int, side: Side) -> None:
        self._key = key
        self._side = side
        comm = side.member.comm
        self._rank, self._size = comm.rank, comm.size
        place, self._group = comm.rank, _NOTHING
        if comm.inter:  # a ring through both groups, and one through its own
            ours, theirs = comm.world_ranks, comm.remote_world_ranks
            if ours:
                ranks = comm.rank, (comm.rank + 1) % len(ours)
                one, other = (_weight(key, 4, ours[0], rank) for rank in ranks)
                self._group = added(one, _negative(other))
            if ours and theirs and ours[0] > theirs[0]:
                place += comm.remote_size
            self._size += comm.remote_size
        following = (place + 1) % self._size if self._size else 0
        self._ring = added(_weight(key, 1, place), _negative(_weight(key, 1, following)))

    def terms(self, kept: Kept) -> Pair:
        """Of one call."""
        joined = Joined(self._side.operation(kept.call), self._side.member)
        found = _times(self._ring, _facts(joined))
        if joined.member.comm.inter:
            return added(found, _times(self._group, _counts(joined)))
        make = _TERMS.get(joined.operation.call.facts.operation)
        if make is None:
            return found
        return added(found, make(self, joined))

    # What must be equal in all processes; what goes from one to another; what goes to itself.

    def equal(self, data: Pair) -> Pair:
        return _times(self._ring, data)

    def goes(self, sender: int, receiver: int, data: Pair) -> Pair:
        weight = _weight(self._key, 2, sender, receiver)
        return _times(weight if sender == self._rank else _negative(weight), data)

    def own(self, sent: Pair, received: Pair) -> Pair:
        return _times(_weight(self._key, 3, self._rank), added(sent, _negative(received)))

    def each(self) -> range:
        return range(self._size)


def _facts(joined: Joined) -> Pair:
    # All but the buffers, as text.
    call, comm = joined.operation.call, joined.member.comm
    facts = call.facts
    root = None if comm.inter else call.root
    words: list[object] = [facts.operation, facts.form, root, reduction(joined)]
    words += [None if comm.inter else call.counts, ownops.own(joined)]
    words += [(name, call.arguments[name]) for name in sorted(call.arguments)]
    if facts.in_place is not None and facts.in_place.where == "all":
        process = joined.operation.process
        words += [b.role for b in call.buffers if process.in_place(b)]
    found = digests.letter(repr(words))
    return found.first, found.second


def _counts(joined: Joined) -> Pair:
    # What all of a group must give alike.
    found = digests.letter(repr(joined.operation.call.counts))
    return found.first, found.second


def _whole(joined: Joined, *roles: str) -> Pair:
    return _data(joined.whole(*roles))


def _share(joined: Joined, peer: int, *roles: str) -> Pair:
    return _data(joined.share(peer, *roles))


def _is_root(joined: Joined) -> bool:
    return joined.rank == joined.operation.call.root


def _bcast(calls: _Calls, joined: Joined) -> Pair:
    return calls.equal(_whole(joined, "buffer"))


def _gather(calls: _Calls, joined: Joined) -> Pair:
    if _is_root(joined):
        return calls.equal(_share(joined, joined.rank, "recvbuf"))
    return calls.equal(_whole(joined, "sendbuf"))


def _scatter(calls: _Calls, joined: Joined) -> Pair:
    if _is_root(joined):
        return calls.equal(_share(joined, joined.rank, "sendbuf"))
    return calls.equal(_whole(joined, "recvbuf"))


def _gatherv(calls: _Calls, joined: Joined) -> Pair:
    root = joined.operation.call.root
    if root is None or not _is_root(joined):
        return calls.goes(joined.rank, root or 0, _whole(joined, "sendbuf"))
    found = _NOTHING
    for peer in calls.each():
        if peer != root:
            found = added(found, calls.goes(peer, root, _share(joined, peer, "recvbuf")))
    return found


def _scatterv(calls: _Calls, joined: Joined) -> Pair:
    root = joined.operation.call.root
    if root is None or not _is_root(joined):
        return calls.goes(root or 0, joined.rank, _whole(joined, "recvbuf"))
    found = _NOTHING
    for peer in calls.each():
        if peer != root:
            found = added(found, calls.goes(root, peer, _share(joined, peer, "sendbuf")))
    return found


def _allgather(calls: _Calls, joined: Joined) -> Pair:
    received = _share(joined, joined.rank, "recvbuf")
    sent = _whole(joined, "sendbuf") if joined.buffer("sendbuf") else received
    return added(calls.equal(received), calls.own(sent, received))


def _allgatherv(calls: _Calls, joined: Joined) -> Pair:
    every = _NOTHING
    for peer in calls.each():
        every = added(_times(every, _VECTORS), _share(joined, peer, "recvbuf"))
    received = _share(joined, joined.rank, "recvbuf")
    sent = _whole(joined, "sendbuf") if joined.buffer("sendbuf") else received
    return added(calls.equal(every), calls.own(sent, received))


def _alltoall(calls: _Calls, joined: Joined) -> Pair:
    received = _share(joined, joined.rank, "recvbuf")
    sent = _share(joined, joined.rank, "sendbuf", "recvbuf")
    return added(calls.equal(received), calls.own(sent, received))


def _alltoallv(calls: _Calls, joined: Joined) -> Pair:
    found, own = _NOTHING, joined.rank
    for peer in calls.each():
        sent = _share(joined, peer, "sendbuf", "recvbuf")
        received = _share(joined, peer, "recvbuf")
        if peer == own:
            found = added(found, calls.own(sent, received))
            continue
        found = added(found, calls.goes(own, peer, sent))
        found = added(found, calls.goes(peer, own, received))
    return found


def _reduction(calls: _Calls, joined: Joined) -> Pair:
    return calls.equal(_whole(joined, "sendbuf", "recvbuf"))


def _neighbors(calls: _Calls, joined: Joined, sent: Callable[[int], Pair]) -> Pair:
    # Several edges from one process to another have one weight: they match in any order.
    found, own = _NOTHING, joined.rank
    for number, rank in enumerate(neighbors.targets(joined.member) or ()):
        if rank == own:
            found = added(found, calls.own(sent(number), _NOTHING))
        elif rank is not None:
            found = added(found, calls.goes(own, rank, sent(number)))
    for number, rank in enumerate(neighbors.sources(joined.member) or ()):
        received = _share(joined, number, "recvbuf") if rank is not None else _NOTHING
        if rank == own:
            found = added(found, calls.own(_NOTHING, received))
        elif rank is not None:
            found = added(found, calls.goes(rank, own, received))
    return found


def _neighbor_allgather(calls: _Calls, joined: Joined) -> Pair:
    sent = _whole(joined, "sendbuf")
    return _neighbors(calls, joined, lambda _: sent)


def _neighbor_alltoall(calls: _Calls, joined: Joined) -> Pair:
    return _neighbors(calls, joined, lambda number: _share(joined, number, "sendbuf"))


_TERMS: dict[str, Callable[[_Calls, Joined], Pair]] = {
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
