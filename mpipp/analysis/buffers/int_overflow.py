# SPDX-License-Identifier: MIT
"""Search for displacements of MPI_Alltoallv and similar calls that overflowed an int.

Sums of positive numbers never decrease. At an overflow, the number is 2^32 too small, and so are
all that follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mpipp.model import Buffer, DatatypeRecord

_SPAN = 1 << 32
_MOST = (1 << 31) - 1
_MOST_SHARES = 1 << 16
_FEW = 3  # displacements needed to show a regular pattern


class Wrapped(NamedTuple):
    """A displacement as it was passed, and as it would be without the overflow.

    Attributes:
        is_certain: whether the corrected displacements form a regular pattern: their distances are
            equal, or each is the end of the previous share.
    """

    number: int
    meant: int
    is_certain: bool


def displacement(buffer: Buffer, peer: int) -> int | None:
    """Return the displacement that was passed for a peer, in extents or, for w forms, bytes.

    None if the buffer has no displacements.
    """
    if buffer.shares is None:
        return None
    share = buffer.share(peer)
    if share.displacement is None or share.handle is not None:
        return share.displacement
    known = share.datatype
    extent = known.tree.extent if isinstance(known, DatatypeRecord) else 0
    return share.displacement // extent if extent else None


def wrapped(buffer: Buffer) -> dict[int, Wrapped]:
    """Return the displacements that overflowed, by peer."""
    if buffer.shares is None or buffer.share_count > _MOST_SHARES:
        return {}
    every = [displacement(buffer, peer) for peer in range(buffer.share_count)]
    passed = [one for one in every if one is not None]
    if len(passed) != len(every) or not all(-_MOST - 1 <= one <= _MOST for one in passed):
        return {}
    meant = _unwrapped(passed)
    if meant is None or meant == passed:
        return {}
    lengths = [_length(buffer, peer) for peer in range(len(passed))]
    is_certain = len(meant) >= _FEW and _have_rule(meant, lengths)
    return {
        peer: Wrapped(number, whole, is_certain)
        for peer, (number, whole) in enumerate(zip(passed, meant))
        if number != whole
    }


def _unwrapped(passed: Sequence[int]) -> list[int] | None:
    # Corrects displacements, assuming they are sums of positive ints; None if they cannot be.
    found = [passed[0]] if passed else []
    for number in passed[1:]:
        missing = -(-max(found[-1] - number, 0) // _SPAN) * _SPAN
        found.append(number + missing)
        if found[-1] - found[-2] > _MOST:
            return None
    return found if not passed or passed[0] >= 0 else None


def _length(buffer: Buffer, peer: int) -> int:
    # The length of a share, in the unit of displacements.
    share = buffer.share(peer)
    if share.handle is None or not isinstance(share.datatype, DatatypeRecord):
        return share.count
    return share.count * share.datatype.tree.extent


def _have_rule(numbers: Sequence[int], lengths: Sequence[int]) -> bool:
    steps = [after - before for before, after in zip(numbers, numbers[1:])]
    return len(set(steps)) == 1 or steps == list(lengths[:-1])
