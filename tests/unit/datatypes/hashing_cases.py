# SPDX-License-Identifier: MIT
"""Random cases: fingerprints are equal exactly if the signatures are."""

from __future__ import annotations

from mpipp.datatypes.signatures import hashing, matching
from tests.unit.makers import Maker


def run(seed: int) -> None:
    """Compare the fingerprints of two random signatures, and of their first elements."""
    maker = Maker(seed)
    first = maker.signature(seed % 5)
    second = maker.like(first) if seed % 2 else maker.signature(seed % 5)
    found = matching.compare(first, second)
    one, other = hashing.digest(first), hashing.digest(second)
    assert (one == other) == (found.verdict == "match"), seed
    # The beginnings have equal fingerprints exactly as far as the signatures agree.
    assert hashing.prefix(first, found.equal) == hashing.prefix(second, found.equal), seed
    if found.verdict == "mismatch":
        longer = found.equal + 1
        assert hashing.prefix(first, longer) != hashing.prefix(second, longer), seed
    if found.verdict == "partial":
        assert hashing.prefix(second, first.elements) == one, seed
