# SPDX-License-Identifier: MIT
"""Displacements of v and w forms that were computed in an int which could not hold them.

Sums of positive numbers go up; where an int overflows, 2^32 is missing from there on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mpipp.model import Buffer, DatatypeRecord

_SPAN = 1 << 32
_MOST = (1 << 31) - 1
_MOST_SHARES = 1 << 16
_FEW = 3  # displacements that show a rule


class Wrapped(NamedTuple):
    """A displacement as it was passed, and as it would be without the overflow.

    Attributes:
        is_certain: whether all displacements follow one rule then: they are equally far apart, or
            each is where the share before it ends.
    """

    number: int
    meant: int
    is_certain: bool


def displacement(buffer: Buffer, peer: int) -> int | None:
    """The displacement that was passed for a peer, in extents or, in w forms, bytes.

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
    """The displacements that overflowed, by peer."""
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
    # As sums of positive ints; None if they cannot be that.
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
