# SPDX-License-Identifier: MIT
"""Fingerprints of signatures: equal signatures have equal ones, for any construction.

A basic type is a letter, and a signature of n letters the polynomial a1 x^(n-1) + ... + an modulo
the prime 2^61 - 1. So H(ab) = H(a) x^|b| + H(b), and copies cost the logarithm of their number.
There are two, at two points x, each with letters of its own. Different signatures of n elements
have equal fingerprints with a chance of (n / 2^61)^2; no finding rests on a fingerprint alone.

The wrapper computes the same numbers: wrapper/generated/letters.inc is made of what stands here.
"""

from __future__ import annotations

import bisect
import weakref
from typing import NamedTuple

from mpipp.datatypes import element_address, predefined
from mpipp.datatypes.signatures.runlength import Basic, Node, Signature, pair_kinds

PRIME = (1 << 61) - 1
POINTS = (0x0B5C1A3F6E2D9847, 0x16E97D2A4C83F15B)  # chosen at random, below the prime
SEEDS = (0x243F6A8885A308D3, 0x13198A2E03707344)  # of the letters: digits of pi

BYTE, PACKED = 1, 2  # bits: letters of which the rules say more than that they are equal
_BITS = {"MPI_BYTE": BYTE, "MPI_PACKED": PACKED}

_WORD = (1 << 64) - 1


class Digest(NamedTuple):
    """The fingerprint of a signature. `bits` mark MPI_BYTE and MPI_PACKED in it, and add no
    information.
    """

    elements: int
    first: int
    second: int
    bits: int

    def then(self, other: Digest) -> Digest:
        """That of this signature with another behind it."""
        x, y = _powers(other.elements)
        return Digest(
            self.elements + other.elements,
            (self.first * x + other.first) % PRIME,
            (self.second * y + other.second) % PRIME,
            self.bits | other.bits,
        )

    def times(self, count: int) -> Digest:
        """That of `count` copies."""
        found, power = EMPTY, self
        while count:
            if count & 1:
                found = found.then(power)
            count >>= 1
            if count:
                power = power.then(power)
        return found


def _powers(exponent: int) -> tuple[int, int]:
    exponent %= PRIME - 1  # Fermat's: there may be 2^1000 elements
    return pow(POINTS[0], exponent, PRIME), pow(POINTS[1], exponent, PRIME)


EMPTY = Digest(0, 0, 0, 0)

_known: weakref.WeakKeyDictionary[Node, Digest] = weakref.WeakKeyDictionary()


def mixed(word: int) -> int:
    """A word of 64 bits in which each bit depends on all of another's (splitmix64)."""
    word = (word + 0x9E3779B97F4A7C15) & _WORD
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & _WORD
    word = (word ^ word >> 27) * 0x94D049BB133111EB & _WORD
    return word ^ word >> 31


def letter(kind: str) -> Digest:
    """That of one element of a basic type, by `Basic.kind`: "MPI_INT", "F90_REAL(p 6, r 30)".

    The name's bytes by FNV-1a of 64 bits; with a seed, mixed, modulo the prime; never 0.
    """
    name = 0xCBF29CE484222325
    for byte in kind.encode("utf-8", "surrogateescape"):
        name = (name ^ byte) * 0x100000001B3 & _WORD
    first, second = (mixed(name ^ seed) % PRIME or 1 for seed in SEEDS)
    return Digest(1, first, second, _BITS.get(kind, 0))


def letters(name: str) -> tuple[Digest, ...]:
    """The letters of predefined datatype `name`: two for a pair type, none for MPI_LB."""
    if predefined.is_marker(name):
        return ()
    if predefined.is_pair(name):
        return tuple(letter(kind) for kind in pair_kinds(name))
    other = element_address.ALIASES.get(name[len("MPI_") :])
    return (letter(f"MPI_{other}" if other else name),)


def digest(signature: Signature) -> Digest:
    """That of a signature, remembered as long as it is there."""
    # Parts first and without recursion: a chain of constructors may be very long.
    pending: list[Node] = [signature]
    while pending:
        node = pending[-1]
        if node not in _known:
            if isinstance(node, Basic):
                _known[node] = letter(node.kind)
            else:
                unknown = {part for part, _ in node.items if part not in _known}
                if unknown:
                    pending.extend(unknown)
                    continue
                _known[node] = _of_items(node.items)
        pending.pop()
    return _known[signature]


def _of_items(items: tuple[tuple[Node, int], ...]) -> Digest:
    # Few of 10^5 items differ.
    terms: dict[tuple[Node, int], tuple[int, int, int, int]] = {}
    first = second = bits = 0
    for item in items:
        term = terms.get(item)
        if term is None:
            part = _known[item[0]].times(item[1])
            x, y = _powers(part.elements)
            term = terms[item] = x, part.first, y, part.second
            bits |= part.bits
        x, h, y, k = term
        first = (first * x + h) % PRIME
        second = (second * y + k) % PRIME
    length = sum(node.elements * count for node, count in items)
    return Digest(length, first, second, bits)


def prefix(signature: Signature, count: int) -> Digest:
    """That of the first `count` elements, all if it has fewer."""
    if count >= signature.elements:
        return digest(signature)
    digest(signature)
    found = EMPTY
    node: Node = signature
    while count:
        assert isinstance(node, Signature)
        item = bisect.bisect_right(node.starts, count) - 1
        part, _ = node.items[item]
        copies, rest = divmod(count - node.starts[item], part.elements)
        found = found.then(_of_items((*node.items[:item], (part, copies))))
        node, count = part, rest
    return found
