# SPDX-License-Identifier: MIT
"""The indices of an array dimension that a process owns, for subarray and darray.

Subarrays and distributed arrays (MPI-4.1, sections 5.1.3 and 5.1.4) are products of dimensions.
Each dimension selects an increasing sequence of global indices. A formula describes it, never a
list: local index i is global index `index(i)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from mpipp.common.errors import MpippError
from mpipp.common.lazy_dataclass import dataclass


@dataclass(frozen=True)
class Dimension:
    """The selected part of one dimension.

    The selected indices form cycles of `chunk` consecutive global indices. Cycles start every
    `period` indices, the first at index `first`. In total `count` indices are selected. A plain
    range is one cycle (`chunk >= count`).
    """

    count: int
    first: int
    chunk: int
    period: int

    def index(self, i: int) -> int:
        """Return the global index of local index `i`."""
        if i < self.chunk:  # the usual case: a plain range
            return self.first + i
        cycle, rest = divmod(i, self.chunk)
        return self.first + cycle * self.period + rest

    def at_or_below(self, index: int) -> int:
        """Return the largest local index whose global index is <= `index`; -1 if there is none."""
        offset = index - self.first
        if offset < 0:
            return -1
        cycle, rest = divmod(offset, self.period)
        return min(cycle * self.chunk + min(rest, self.chunk - 1), self.count - 1)

    @property
    def last(self) -> int:
        """The largest global index of a dimension that is not empty."""
        return self.index(self.count - 1)


@lru_cache(maxsize=4096)
def undistributed(count: int) -> Dimension:
    """Return a dimension that selects all of its `count` indices."""
    return _range(count, 0)


def subarray_dimensions(subsizes: Sequence[int], starts: Sequence[int]) -> tuple[Dimension, ...]:
    """Return the dimensions of MPI_Type_create_subarray, in declared order."""
    return tuple(_range(count, start) for count, start in zip(subsizes, starts))


def darray_dimensions(
    rank: int,
    gsizes: Sequence[int],
    distribs: Sequence[str],
    dargs: Sequence[int | None],
    psizes: Sequence[int],
) -> tuple[Dimension, ...]:
    """Return the dimensions of MPI_Type_create_darray for process `rank`, in declared order.

    None in `dargs` is MPI_DISTRIBUTE_DFLT_DARG. The process grid is row-major for both storage
    orders (MPI-4.1, section 5.1.4). Raises MpippError for sizes that MPI does not allow.
    """
    if any(psize < 1 for psize in psizes) or any(darg is not None and darg < 1 for darg in dargs):
        raise MpippError("MPI_Type_create_darray: psizes and dargs must be positive")
    coordinates = []
    for psize in reversed(psizes):
        rank, coordinate = divmod(rank, psize)
        coordinates.append(coordinate)
    coordinates.reverse()
    return tuple(map(_distributed, gsizes, distribs, dargs, psizes, coordinates))


def _distributed(gsize: int, distrib: str, darg: int | None, psize: int, coord: int) -> Dimension:
    if distrib == "NONE":
        return _range(gsize, 0)
    if distrib == "BLOCK":
        block = -(-gsize // psize) if darg is None else darg
        first = coord * block
        return _range(max(0, min(block, gsize - first)), first)
    if distrib == "CYCLIC":
        chunk = 1 if darg is None else darg
        period = chunk * psize
        first = coord * chunk
        cycles, rest = divmod(max(0, gsize - first), period)
        return Dimension(cycles * chunk + min(rest, chunk), first, chunk, period)
    raise MpippError(f"{distrib} is not a distribution: BLOCK, CYCLIC or NONE was expected")


def _range(count: int, first: int) -> Dimension:
    chunk = max(count, 1)
    return Dimension(count, first, chunk, chunk)
