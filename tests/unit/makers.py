# SPDX-License-Identifier: MIT
"""Random datatypes and signatures."""

from __future__ import annotations

import random

from mpipp.datatypes.signatures import runlength
from mpipp.datatypes.signatures.runlength import (
    Basic,
    Signature,
    concatenate,
    repeated,
    signature,
)
from mpipp.typetree import Datatype
from tests.unit.samples import (
    CHAR,
    DOUBLE,
    DOUBLE_INT,
    INT,
    LB,
    SHORT_INT,
    UB,
    contiguous,
    dup,
    indexed,
    indexed_block,
    resized,
    struct,
    subarray,
    vector,
)


def expanded(part: Signature) -> list[str]:
    """All elements of a signature, without repetitions."""
    result = []
    for node, count in part.items:
        result += count * ([node.kind] if isinstance(node, Basic) else expanded(node))
    return result


class Maker:
    """Random datatypes and signatures of few kinds, so that many agree for long."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.leaves = self.random.choice(([INT], [INT, DOUBLE], [INT, DOUBLE, CHAR, DOUBLE_INT]))

    def count(self) -> int:
        return self.random.choice((0, 1, 1, 1, 2, 2, 3, 4))

    def datatype(self, depth: int) -> Datatype:
        choice = self.random.randrange(11)
        if not depth or choice == 0:
            return self.random.choice([*self.leaves, *self.leaves, SHORT_INT, LB, UB])
        if choice <= 4:
            blocks = self.random.randint(0, 4)
            return struct(
                *[(self.count(), 40 * i, self.datatype(depth - 1)) for i in range(blocks)]
            )
        base = self.datatype(depth - 1)
        if choice == 5:
            return contiguous(self.count(), base)
        if choice == 6:
            return vector(self.count(), self.count(), 5, base)
        if choice == 7:
            lengths = [self.count() for _ in range(self.random.randint(0, 3))]
            return indexed(lengths, [9 * i for i in range(len(lengths))], base)
        if choice == 8:
            return indexed_block(self.count(), range(self.random.randint(0, 3)), base)
        if choice == 9:
            order = self.random.choice("CF")
            return subarray((3, 4), (2, 3), (1, 0), base, {"C": "C", "F": "FORTRAN"}[order])
        return self.random.choice((dup(base), resized(-4, 64, base)))

    def signature(self, depth: int) -> Signature:
        choice = self.random.randrange(4)
        if not depth or choice == 0:
            leaf = self.random.choice(self.leaves)
            return signature(leaf, self.random.choice((1, 1, 2, 3)))
        if choice <= 2:
            return repeated(self.signature(depth - 1), self.random.choice((0, 1, 2, 2, 3, 5)))
        return concatenate(self.signature(depth - 1) for _ in range(self.random.randint(1, 3)))

    def like(self, part: Signature) -> Signature:
        """A signature with the same elements, built in another way. Sometimes one or a
        few differ."""
        kinds = expanded(part)
        if kinds and self.random.random() < 0.5:
            kinds[self.random.randrange(len(kinds))] = self.random.choice(kinds)
        if self.random.random() < 0.2:
            kinds = kinds[: self.random.randint(0, len(kinds))]
        cuts = sorted(self.random.randint(0, len(kinds)) for _ in range(3))
        pieces = [
            kinds[start:end] for start, end in zip((0, *cuts), (*cuts, len(kinds))) if start < end
        ]
        return concatenate(
            concatenate(runlength._normal([(runlength.basic(kind, 1), 1)]) for kind in piece)
            for piece in pieces
        )
