# SPDX-License-Identifier: MIT
"""The bytes of a buffer as sequences of equal blocks with one stride each."""

from __future__ import annotations

from collections.abc import Iterator

from mpipp.datatypes.memory.buffer_overlap import Region
from mpipp.datatypes.memory.strided_sets import Comb, Listing

MOST = 1 << 14  # pieces; a region with more is not flattened

Piece = tuple[int, int, int, int]  # first byte, bytes of a block, stride in bytes, number of blocks


def pieces(of: Region) -> tuple[Piece, ...] | None:
    """Return all bytes of a region; None if there are too many pieces."""
    found: list[Piece] = []
    for piece in _flat(of.comb) if of.comb is not None else ():
        found.append(piece)
        if len(found) > MOST:
            return None
    return tuple(found)


def _flat(part: Comb) -> Iterator[Piece]:
    # The dimension with the largest count becomes the sequence of blocks; the others are expanded.
    dims = sorted(part.dims)
    starts, along = [part.start], (1, 0)
    if dims and part.items is None:
        along = dims.pop()
    for count, stride in dims:
        if len(starts) * count > MOST:
            starts = [part.start] * (MOST + 1)
            break
        starts = [start + i * stride for start in starts for i in range(count)]
    for start in starts:
        if part.items is None:
            yield start, part.length, along[1], along[0]
            continue
        flat = part.items.flat() if isinstance(part.items, Listing) else None
        if flat is None:
            yield from ((start, 1, 1, 1) for _ in range(MOST + 1))
            return
        for low, high in zip(flat.starts, flat.ends):
            yield start + low, high - low, 0, 1
