# SPDX-License-Identifier: MIT
"""The terms of a process: sums of them over all processes become zero if the processes agree.

Each process writes its calls as terms that terms of other processes cancel. The sender of a message
adds a term, and its receiver subtracts it. Some values must be equal in all calls of a collective
operation. Each process adds such a value with the weight of its rank, less that of the next rank.
Terms are numbers modulo 2^61 - 1, made of fingerprints of signatures. Weights are made of the
channel, the ranks and the ordinal, and are never 0. A process has two sums, each with fingerprints,
weights and ordinals of its own.

The sums only select the channels that are compared; the checks decide whether there is an error. If
a term describes a property that no check compares, its sum may differ from zero without an error.
Then the comparison finds nothing, and only time is lost. An error
remains unseen with a probability of (n / 2^61)^2 for n elements and calls.

The rules in `analysis.collectives` define the terms of an operation: `buffer_pairs`,
`intercomm_roots`, `dist_graph_edges`, `arguments` and `active`.
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
_EXISTS = (0x0CBBB9D5DC1059ED, 0x029A292A367CD507)  # added for each message, even an empty one


class Part(NamedTuple):
    """The term that a process adds to the sum of a channel."""

    key: int  # 64 bits, equal in all processes of the channel
    # For messages the rank in MPI_COMM_WORLD of the other process, else -1. Below -1: see
    # `comm_order`.
    peer: int
    sum: Pair

    @property
    def bucket(self) -> int:
        """The number of the bucket whose sum the term belongs to."""
        return self.key % BUCKETS


def parts(process: Process) -> Iterator[Part]:
    """Yield the terms of a process, one for each channel and each distributed graph.

    Raises MpippError if the records are invalid.
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
            yield Part(key, -1, _over(side, {}, Calls(key, side).terms))
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
    """Return the key of a channel, also without calls; None if the channel belongs to no sum."""
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
    # Both processes of an edge add its weight, with opposite signs.
    found = NOTHING
    for to in comm.destinations or ():
        if 0 <= to < comm.size:
            found = added(found, weight(key, comm.rank, to))
    for source in comm.sources or ():
        if 0 <= source < comm.size:
            found = added(found, negative(weight(key, source, comm.rank)))
    return found


# Sums over calls.


def _over(side: Side, known: dict[Hashable, Pair], terms: Callable[[KeptCall], Pair]) -> Pair:
    # The sum of the terms of all calls, each with the weight of its ordinal. Runs are not expanded.
    one = other = 0
    at, x, y = 0, 1, 1  # the last ordinal with its weights: ordinals are often adjacent
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
        more = (fewer + pow(step, turns, PRIME)) % PRIME  # with the incomplete last repetition
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


# Sums over messages.


def _other(known: World, side: Side) -> int:
    rank = known.world_rank(side.member, side.channel.peer)
    assert rank is not None  # `key_of` has returned a key
    return rank


def _signed(side: Side, by: Pair, total: Pair) -> Pair:
    return times(by if channel_history.is_sent(side.channel) else negative(by), total)


def _kinds(side: Side) -> Pair:
    # Threads that share a channel call in any order, so only the set of different calls counts. If
    # both sides have the same set, each call has a match.
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
