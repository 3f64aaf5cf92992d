# SPDX-License-Identifier: MIT
"""Arithmetic for fingerprints: pairs of numbers modulo 2^61 - 1, and their weights."""

from __future__ import annotations

from mpipp.analysis.context.signature_check import Data
from mpipp.common.errors import MpippError
from mpipp.datatypes.signatures import hashing
from mpipp.datatypes.signatures.hashing import PRIME, mixed

Pair = tuple[int, int]
NOTHING: Pair = (0, 0)

_SEEDS = (0x3C6EF372FE94F82B, 0x510E527FADE682D1)
_LENGTHS = (0x1F83D9ABFB41BD6B, 0x0BE0CD19137E2179)  # seeds for the number of elements
_WORD = (1 << 64) - 1


def added(one: Pair, other: Pair) -> Pair:
    """Return the sum of two pairs."""
    return (one[0] + other[0]) % PRIME, (one[1] + other[1]) % PRIME


def hashed(*of: int) -> int:
    """Return a hash of 64 bits for several numbers."""
    found = 0
    for number in of:
        found = mixed(found ^ mixed(number & _WORD))
    return found


def weight(*of: int) -> Pair:
    """Return the weight for several numbers; never 0."""
    known = hashed(*of)
    return mixed(known ^ _SEEDS[0]) % PRIME or 1, mixed(known ^ _SEEDS[1]) % PRIME or 1


def negative(one: Pair) -> Pair:
    """Return the additive inverse."""
    return -one[0] % PRIME, -one[1] % PRIME


def times(one: Pair, other: Pair) -> Pair:
    """Return the product."""
    return one[0] * other[0] % PRIME, one[1] * other[1] % PRIME


def data_fingerprint(data: Data | None) -> Pair:
    """Return the fingerprint of sent or received data; that of unknown data is 0."""
    if data is None:
        return NOTHING
    try:
        found = hashing.digest(data.entries.signature)
    except MpippError:
        return NOTHING
    numbers = zip((found.first, found.second), _LENGTHS)
    one, other = ((number + length * found.elements) % PRIME for number, length in numbers)
    return one, other
