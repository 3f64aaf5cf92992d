# SPDX-License-Identifier: MIT
"""Fingerprints of type signatures: equal signatures have equal fingerprints.

A basic type is a letter, and a signature of n letters the polynomial a1 x^(n-1) + ... + an modulo
the prime 2^61 - 1. So H(ab) = H(a) x^|b| + H(b), and copies cost the logarithm of their number. A
fingerprint has two such values, for two points x, with different letters. Different signatures of n
elements have equal fingerprints with a probability of (n / 2^61)^2. No finding rests on a
fingerprint alone.

The wrapper computes the same numbers: wrapper/generated/letters.inc is generated from this module.
"""

from __future__ import annotations

import bisect
import weakref
from typing import NamedTuple

from mpipp.datatypes import element_address, predefined
from mpipp.datatypes.signatures.runlength import Basic, Node, Signature, pair_kinds

PRIME = (1 << 61) - 1
POINTS = (0x0B5C1A3F6E2D9847, 0x16E97D2A4C83F15B)  # random numbers below the prime
SEEDS = (0x243F6A8885A308D3, 0x13198A2E03707344)  # seeds of the letters: digits of pi

BYTE, PACKED = 1, 2  # bits: basic types for which matching is more than equality
_BITS = {"MPI_BYTE": BYTE, "MPI_PACKED": PACKED}

_WORD = (1 << 64) - 1


class Digest(NamedTuple):
    """The fingerprint of a signature.

    `bits` mark MPI_BYTE and MPI_PACKED in the signature, and add no information.
    """

    elements: int
    first: int
    second: int
    bits: int

    def then(self, other: Digest) -> Digest:
        """Return the fingerprint of this signature followed by another."""
        x, y = _powers(other.elements)
        return Digest(
            self.elements + other.elements,
            (self.first * x + other.first) % PRIME,
            (self.second * y + other.second) % PRIME,
            self.bits | other.bits,
        )

    def times(self, count: int) -> Digest:
        """Return the fingerprint of `count` copies."""
        found, power = EMPTY, self
        while count:
            if count & 1:
                found = found.then(power)
            count >>= 1
            if count:
                power = power.then(power)
        return found


def _powers(exponent: int) -> tuple[int, int]:
    exponent %= PRIME - 1  # Fermat's little theorem; there may be 2^1000 elements
    return pow(POINTS[0], exponent, PRIME), pow(POINTS[1], exponent, PRIME)


EMPTY = Digest(0, 0, 0, 0)

_known: weakref.WeakKeyDictionary[Node, Digest] = weakref.WeakKeyDictionary()


def mixed(word: int) -> int:
    """Mix the 64 bits of a word: each bit of the result depends on all of them (splitmix64)."""
    word = (word + 0x9E3779B97F4A7C15) & _WORD
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & _WORD
    word = (word ^ word >> 27) * 0x94D049BB133111EB & _WORD
    return word ^ word >> 31


def letter(kind: str) -> Digest:
    """Return the fingerprint of one element of a basic type.

    `kind` is `Basic.kind`: "MPI_INT", "F90_REAL(p 6, r 30)". The name's FNV-1a hash of 64 bits is
    mixed with each seed and reduced modulo the prime. The values are never 0.
    """
    name = 0xCBF29CE484222325
    for byte in kind.encode("utf-8", "surrogateescape"):
        name = (name ^ byte) * 0x100000001B3 & _WORD
    first, second = (mixed(name ^ seed) % PRIME or 1 for seed in SEEDS)
    return Digest(1, first, second, _BITS.get(kind, 0))


def letters(name: str) -> tuple[Digest, ...]:
    """Return the letters of predefined datatype `name`: two for a pair type, none for MPI_LB."""
    if predefined.is_marker(name):
        return ()
    if predefined.is_pair(name):
        return tuple(letter(kind) for kind in pair_kinds(name))
    other = element_address.ALIASES.get(name[len("MPI_") :])
    return (letter(f"MPI_{other}" if other else name),)


def digest(signature: Signature) -> Digest:
    """Return the fingerprint of a signature, which is cached as long as the signature exists."""
    # Parts first, without recursion: a chain of constructors may be very long.
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
    # There may be 10^5 items, most of them equal, so the values of each are computed once.
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
    """Return the fingerprint of the first `count` elements, or of all if there are fewer."""
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
