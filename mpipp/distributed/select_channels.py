# SPDX-License-Identifier: MIT
"""Selection of the processes and their channels that must be compared in a large run.

The first step reads the heads of all files and adds their sums by bucket. The second step adds the
sums of the channels in buckets that are not zero. The processes of channels whose sum is not zero
are compared, and one process for each order of calls on several communicators. In a correct run of
10^4 processes mpipp therefore only adds a few numbers from each process. Several processes may
share the work (`Team`).
"""

from __future__ import annotations

import array
import contextlib
import struct
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from mpipp.common.errors import MpippError
from mpipp.common.text import wording
from mpipp.datatypes.signatures.hashing import PRIME
from mpipp.distributed.fingerprints.arithmetic import Pair, added
from mpipp.distributed.fingerprints.process import BUCKETS
from mpipp.distributed.process_file import writer

PORTION = 1000  # channels in a portion; more if they belong to the same processes
MOST_ORDERS = 64  # processes whose orders of calls on communicators are compared at a time
_PART = struct.Struct("=QqqQQI")  # key, rank of the process and of its peer, two sums, node
_Part = tuple[int, int, int, int, int, int]
_KEY = struct.Struct("=QI")  # key, number of ranks that follow
_NOTHING: Pair = (0, 0)
_Orders = dict[int, dict[int, int]]  # the first rank of each node, for each fingerprint of an order


class Team(Protocol):
    """Processes that share the comparison, with the same arguments."""

    rank: int
    size: int

    def exchange(self, parts: Sequence[bytes]) -> list[bytes]:
        """Send `parts[i]` to process i. Return the parts that each process has sent to this one."""
        ...

    def gather(self, part: bytes) -> list[bytes]:
        """Return the part of each process."""
        ...


class SingleProcess:
    """A team of one process."""

    rank, size = 0, 1

    def exchange(self, parts: Sequence[bytes]) -> list[bytes]:
        """Return the process's own parts."""
        return list(parts)

    def gather(self, part: bytes) -> list[bytes]:
        """Return a list of the process's own part."""
        return [part]


class Portion(NamedTuple):
    """A group of channels that are compared together."""

    paths: list[str]  # files of processes
    keys: frozenset[int]  # keys of channels


class Selection(NamedTuple):
    """The channels that must be compared."""

    portions: list[Portion]
    orders: list[list[str]]  # groups of files of processes with different orders
    ranks: set[int]  # of all processes that have left a file
    world_size: int
    logged: bool  # whether there are RMA logs
    unchecked: list[str]  # sentences that name the facts that were not checked
    lost: list[str]  # sentences about unreadable files


def select(paths: Sequence[str], team: Team) -> Selection:
    """Select channels from the files of processes. All processes of a team get the same result."""
    own = paths[team.rank :: team.size]
    heads: dict[str, writer.Head] = {}
    unread: list[str] = []
    for path in own:
        try:
            heads[path] = writer.head(path)
        except MpippError as error:
            unread.append(str(error))
    ranks: dict[int, list[str]] = defaultdict(list)
    known = [_rank(heads.get(path)) for path in own]
    for number, data in enumerate(team.gather(array.array("q", known).tobytes())):
        for path, rank in zip(paths[number :: team.size], array.array("q", data)):
            ranks[rank].append(path)
    ranks.pop(-1, None)
    sizes = [head.info.world_size or 0 for head in heads.values()]
    size = max(_numbers(team, [max(sizes, default=0)]))
    logged = any(_numbers(team, [any(head.info.logged for head in heads.values())]))
    buckets = _buckets(heads, team)
    wrong, orders = _wrong(list(_parts(heads, buckets, unread)), team)
    _add_silent(wrong, ranks, team)
    unordered = [_rank(head) for head in heads.values() if head.unordered]
    not_in_order = _not_in_order(set(_numbers(team, unordered)), orders)
    sentences = [data.decode() for data in team.gather("\n".join(unread).encode())]
    lost = {line for text in sentences for line in text.splitlines()}
    return Selection(
        list(_portions(wrong, ranks)),
        list(_orders(orders, ranks)),
        set(ranks),
        size,
        logged,
        sorted({*lost, *not_in_order}),
        sorted(lost),
    )


def _portions(wrong: dict[int, set[int]], paths: dict[int, list[str]]) -> Iterator[Portion]:
    # Channels of neighboring processes share a portion, so that files are rarely read twice.
    # Channels of the same processes stay together: the findings on one may depend on another.
    groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for key, ranks in wrong.items():
        groups[tuple(sorted(ranks))].append(key)
    keys: set[int] = set()
    concerned: set[int] = set()
    left = len(wrong)
    for together, of in sorted(groups.items()):
        keys.update(of)
        concerned.update(together)
        left -= len(of)
        if len(keys) >= PORTION or not left:
            every = sorted(path for rank in concerned for path in paths.get(rank, ()))
            yield Portion(every, frozenset(keys))
            keys.clear()
            concerned.clear()


def _orders(differing: dict[int, set[int]], paths: dict[int, list[str]]) -> Iterator[list[str]]:
    # Groups of some orders. Orders that differ from each other stay together.
    concerned: set[int] = set()
    for ranks in sorted({tuple(sorted(of)[:MOST_ORDERS]) for of in differing.values()}):
        if concerned and len(concerned.union(ranks)) > MOST_ORDERS:
            yield [path for rank in sorted(concerned) for path in paths.get(rank, ())]
            concerned.clear()
        concerned.update(ranks)
    if concerned:
        yield [path for rank in sorted(concerned) for path in paths.get(rank, ())]


def _not_in_order(unordered: set[int], differing: dict[int, set[int]]) -> Iterator[str]:
    if unordered:
        has = "has" if len(unordered) == 1 else "have"
        yield (
            f"{wording.ranks(unordered)} {has} too many changes of communicator for mpipp to "
            f"compare the order of their collective calls between nodes"
        )
    most = max(map(len, differing.values()), default=0)
    if most > MOST_ORDERS:
        yield (
            f"only {MOST_ORDERS} of {most:,} processes with different orders of calls on the same "
            f"communicators were compared"
        )


def _rank(head: writer.Head | None) -> int:
    rank = head.info.world_rank if head is not None else None
    return -1 if rank is None else rank


def _numbers(team: Team, of: Sequence[int]) -> Iterator[int]:
    for data in team.gather(array.array("Q", of).tobytes()):
        yield from array.array("Q", data)


def _buckets(heads: dict[str, writer.Head], team: Team) -> set[int]:
    # The buckets whose sums are not zero.
    totals = [_NOTHING] * BUCKETS
    for head in heads.values():
        for bucket, one, other in head.sums:
            totals[bucket] = added(totals[bucket], (one, other))
    flat = [number for total in totals for number in total]
    everywhere = [0] * len(flat)
    for data in team.gather(array.array("Q", flat).tobytes()):
        everywhere = [(a + b) % PRIME for a, b in zip(everywhere, array.array("Q", data))]
    return {number // 2 for number, total in enumerate(everywhere) if total}


def _parts(heads: dict[str, writer.Head], buckets: set[int], unread: list[str]) -> Iterator[_Part]:
    # The terms that processes have added to the sums of channels in these buckets.
    for path, head in heads.items():
        if buckets.isdisjoint(bucket for bucket, _, _ in head.sums):
            continue
        try:
            node = zlib.crc32(head.node.encode())
            for key, peer, one, other in writer.sums(path):
                if key % BUCKETS in buckets:
                    yield key, _rank(head), peer, one, other, node
        except MpippError as error:
            unread.append(str(error))


def _wrong(parts: Sequence[_Part], team: Team) -> tuple[dict[int, set[int]], dict[int, set[int]]]:
    # Returns the channels whose sums are not zero, with their ranks. For orders of calls, returns
    # some ranks that differ. Each process of the team adds the sums of a part of the channels.
    boxes = [bytearray() for _ in range(team.size)]
    for part in parts:
        boxes[part[0] // BUCKETS % team.size] += _PART.pack(*part)
    totals: dict[int, Pair] = {}
    ranks: dict[int, set[int]] = defaultdict(set)
    orders: dict[int, _Orders] = defaultdict(lambda: defaultdict(dict))
    for data in team.exchange([bytes(box) for box in boxes]):
        for key, rank, peer, one, other, node in _PART.iter_unpack(data):
            totals[key] = added(totals.get(key, _NOTHING), (one, other))
            if peer < -1:
                of = orders[key][peer]
                of[node] = min(rank, of.get(node, rank))
            else:
                ranks[key].update((rank, peer))
    wrong = (_packed(key, of) for key, of in ranks.items() if totals[key] != _NOTHING)
    found = dict(_unpacked(team.gather(b"".join(wrong))))
    # A process without an order has not finished, or too little is known. Such a process is left
    # out.
    differ = (_packed(key, _of_each(of)) for key, of in orders.items() if len(of) > 1)
    return found, dict(_unpacked(team.gather(b"".join(differ))))


def _of_each(orders: _Orders) -> set[int]:
    # Some ranks whose orders differ, at least one for each order. If a node has several orders of
    # calls, its watcher has already reported the error. All ranks of the node are included, so that
    # the comparison finds the same error again and leaves it out.
    nodes: dict[int, dict[int, int]] = defaultdict(dict)
    for order, ranks in orders.items():
        for node, rank in ranks.items():
            nodes[node][order] = rank
    found: set[int] = set()
    left = set(orders)
    while left:
        most = max(nodes.values(), key=lambda of: (len(left.intersection(of)), -min(of.values())))
        found.update(most.values())
        left.difference_update(most)
    return found


def _add_silent(wrong: dict[int, set[int]], paths: dict[int, list[str]], team: Team) -> None:
    # A process adds nothing for a communicator on which it has made no call. The files of other
    # members list the processes of such a communicator.
    asked: dict[int, list[int]] = defaultdict(list)
    for key, ranks in wrong.items():
        if -1 in ranks:
            ranks.discard(-1)
            if ranks:
                asked[min(ranks)].append(key)
    known = bytearray()
    for rank in sorted(asked)[team.rank :: team.size]:
        for path in paths[rank]:
            with contextlib.suppress(MpippError):  # reported when the channel is compared
                written = writer.read(path, asked[rank])
                for key in asked[rank]:
                    known += _packed(key, written.called_by(key))
    for key, ranks in _unpacked(team.gather(bytes(known))):
        wrong[key] |= ranks


def _packed(key: int, ranks: set[int]) -> bytes:
    return _KEY.pack(key, len(ranks)) + array.array("q", sorted(ranks)).tobytes()


def _unpacked(every: Sequence[bytes]) -> Iterator[tuple[int, set[int]]]:
    for data in every:
        position = 0
        while position < len(data):
            key, count = _KEY.unpack_from(data, position)
            position += _KEY.size
            yield key, set(array.array("q", data[position : position + 8 * count]))
            position += 8 * count
