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

Which terms an operation has follows from the rules in `analysis.collectives`: `buffer_pairs`,
`intercomm_pairs`, `intercomm_roots`, `dist_graph_edges`, `arguments` and `active`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import NamedTuple

from mpipp.analysis.context import channel_history, signature_check
from mpipp.analysis.context.channel_history import Side
from mpipp.analysis.context.process import Process
from mpipp.analysis.context.world import World
from mpipp.datatypes.signatures.hashing import PRIME
from mpipp.distributed.fingerprints import intercomm, intracomm
from mpipp.distributed.fingerprints.arithmetic import (
    NOTHING,
    Pair,
    added,
    data_fingerprint,
    hashed,
    negative,
    times,
    weight,
)
from mpipp.distributed.fingerprints.collective_call import Calls
from mpipp.model import Comm, KeptCall, Stretch

BUCKETS = 256

_ORDINALS = (0x13C6EF3720E1B947, 0x0A54FF53A5F1D36F)  # the weight of ordinal n is the n-th power
_EXISTS = (0x0CBBB9D5DC1059ED, 0x029A292A367CD507)  # of an empty message, too


class Part(NamedTuple):
    """What a process adds to the sum of a channel."""

    key: int  # of 64 bits, the same in all its processes
    # Rank in MPI_COMM_WORLD of the other process of messages, else -1; less: see `comm_order`.
    peer: int
    sum: Pair

    @property
    def bucket(self) -> int:
        """The number of the sum that it belongs to."""
        return self.key % BUCKETS


def parts(process: Process) -> Iterator[Part]:
    """What a process adds, by channel, and for the edges of distributed graphs.

    Raises MpippError when its records make no sense.
    """
    known = World([process])
    messages: dict[Hashable, Pair] = {}
    for side in channel_history.every(known):
        key = key_of(known, side)
        if key is None:
            continue
        if channel_history.is_start(side.channel):
            total = _over(side, {}, lambda _: _EXISTS)
        elif channel_history.is_message(side.channel):
            total = _over(side, messages, functools.partial(_message, side))
        else:
            terms = intercomm.TERMS if side.member.comm.inter else intracomm.TERMS
            yield Part(key, -1, _over(side, {}, Calls(key, side, terms).terms))
            continue
        yield Part(key, _other(known, side), _signed(side, weight(key, 0), total))
    for side in channel_history.complete(known):
        key = key_of(known, side) if side.channel.shared else None
        if key is not None:
            yield Part(key, _other(known, side), _signed(side, weight(key, 1), _kinds(side)))
    for comm in known.comms(process):
        if comm.topology == "distributed graph" and comm.sources is not None:
            key = hashed(3, comm.identity)
            yield Part(key, -1, _edges(key, comm))


def key_of(known: World, side: Side) -> int | None:
    """The key of a channel, also of one that adds nothing; None of what is in no sum."""
    starts, of = channel_history.starts_key(known, side), channel_history.key(known, side)
    if starts is not None:
        return hashed(4, *starts)
    if of is not None:
        return hashed(1, *of)
    if channel_history.is_collective(side.channel) and known.rank(side.member.process) is not None:
        made = *map(ord, side.channel.sequence), side.channel.tag
        return hashed(2, side.member.comm.identity, *made)
    return None


def _edges(key: int, comm: Comm) -> Pair:
    # Each at both of its ends.
    found = NOTHING
    for to in comm.destinations or ():
        if 0 <= to < comm.size:
            found = added(found, weight(key, comm.rank, to))
    for source in comm.sources or ():
        if 0 <= source < comm.size:
            found = added(found, negative(weight(key, source, comm.rank)))
    return found


# Numbers.


def _over(side: Side, known: dict[Hashable, Pair], terms: Callable[[KeptCall], Pair]) -> Pair:
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


def _other(known: World, side: Side) -> int:
    rank = known.world_rank(side.member, side.channel.peer)
    assert rank is not None  # it has a key
    return rank


def _signed(side: Side, by: Pair, total: Pair) -> Pair:
    return times(by if channel_history.is_sent(side.channel) else negative(by), total)


def _kinds(side: Side) -> Pair:
    # Of a channel that threads share what is different, whatever the order: where both sides have
    # the same, each has one that it matches.
    found = NOTHING
    for term in {_message(side, kept) for kept in side.kinds}:
        found = added(found, term)
    return found


def _message(side: Side, kept: KeptCall) -> Pair:
    call = kept.call
    if len(call.buffers) != 1:
        return _EXISTS
    return added(
        _EXISTS,
        data_fingerprint(signature_check.buffer_data(side.operation(call), call.buffers[0])),
    )
