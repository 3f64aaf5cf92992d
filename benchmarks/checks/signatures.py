# SPDX-License-Identifier: MIT
"""The cost of matching type signatures, compared with the paper's loop over run-length lists.

In the paper, typesig is a list of pairs of a basic type and a number. The loop walks it `count`
times on either side ("Scalable usage checking", section VI.A).
"""

from __future__ import annotations

import gc
import random
from collections.abc import Callable, Iterator, Sequence
from statistics import median

from benchmarks.table import Figure, seconds
from mpipp.render import signature_mismatch as matchtext
from mpipp.render.signature_mismatch import Entries
from mpipp.typetree import Datatype, Extents, named

ENTRIES = 100_000
LOOPED = 1_000_000  # entries that the baseline walks; its time is scaled from that
ROUNDS = 5
INT = named("MPI_INT", Extents(4, 0, 4, 0, 4))
DOUBLE = named("MPI_DOUBLE", Extents(8, 0, 8, 0, 8))
CHAR = named("MPI_CHAR", Extents(1, 0, 1, 0, 1))
Block = tuple[int, Datatype]
Typesig = Sequence[tuple[str, int]]


def struct(blocks: Sequence[Block]) -> Datatype:
    """A struct datatype of contiguous blocks, each with a length and a datatype."""
    displacements = []
    end = 0
    for length, _ in blocks:
        displacements.append(end)
        end += length * 8
    lengths, parts = zip(*blocks)
    arguments = {"count": len(blocks), "blocklengths": lengths, "displacements": displacements}
    return Datatype("STRUCT", arguments, parts)


def irregular(last: Datatype) -> list[Block]:
    """10^5 blocks without any regularity, and one more element."""
    numbers = random.Random(1)
    kinds = (INT, DOUBLE, CHAR)
    order = [0]
    while len(order) < ENTRIES:
        order.append((order[-1] + numbers.randint(1, 2)) % 3)
    return [*((numbers.randint(1, 9), kinds[kind]) for kind in order), (1, last)]


def loop(first: Typesig, count: int, second: Typesig, other: int) -> int:
    """The paper's loop: the number of elements before the first difference."""
    i = j = equal = 0
    (kind, left), (with_kind, with_left) = first[0], second[0]
    while True:
        if kind != with_kind:
            return equal
        step = min(left, with_left)
        equal += step
        left -= step
        with_left -= step
        if not left:
            i += 1
            if i == len(first):
                i, count = 0, count - 1
                if not count:
                    return equal
            kind, left = first[i]
        if not with_left:
            j += 1
            if j == len(second):
                j, other = 0, other - 1
                if not other:
                    return equal
            with_kind, with_left = second[j]


def figures() -> Iterator[Figure]:
    """All figures. None of them needs MPI."""
    yield repeated()
    yield at_the_end()


def repeated() -> Figure:
    """10^9 entries of a pair type against 10^6 entries of a thousand pairs."""

    def match() -> None:
        pair = Entries("pair", struct([(1, INT), (1, DOUBLE)]), 10**9)
        thousand = Entries("row", struct([(1, INT), (1, DOUBLE)] * 1000), 10**6)
        if matchtext.compare(pair, thousand).verdict != "match":
            raise RuntimeError("the signatures were found to be different")

    typesig = [("MPI_INT", 1), ("MPI_DOUBLE", 1)]
    baseline = seconds(lambda: loop(typesig, LOOPED // 2, typesig * 1000, LOOPED // 2000))
    note = f"paper's loop: {baseline * 2e9 / LOOPED:.0f} s (from {LOOPED} entries)"
    what = "match of 10^9 x {int,double} with 10^6 x (1000 x {int,double})"
    return Figure(what, typical(match) * 1e3, 10, "ms", note)


def at_the_end() -> Figure:
    """Two irregular structs that differ in the last element, and its address on both sides."""
    blocks = [irregular(last) for last in (INT, DOUBLE)]
    trees = [[struct(block) for block in blocks] for _ in range(ROUNDS)]

    def match() -> None:
        sides = [Entries(text, tree, 1) for text, tree in zip("ab", trees.pop())]
        found = matchtext.compare(*sides)
        lines = list(matchtext.lines(found, *sides, cite=str))
        if "a(STRUCT)[100000][0](INT)" not in lines[1]:
            raise RuntimeError(f"another element was found: {lines}")

    typesigs = [[(part.name, length) for length, part in block] for block in blocks]
    baseline = seconds(lambda: loop(typesigs[0], 1, typesigs[1], 1))
    note = f"paper's loop: {baseline * 1e3:.0f} ms, without building and addresses"
    what = "match of two irregular structs of 10^5, first mismatch at the end"
    return Figure(what, typical(match) * 1e3, 500, "ms", note)


def typical(action: Callable[[], None]) -> float:
    """The median time of several rounds, without garbage collection as in gdb commands."""
    gc.disable()
    try:
        return median(seconds(action) for _ in range(ROUNDS))
    finally:
        gc.enable()
