# SPDX-License-Identifier: MIT
"""Are digests equal exactly where signatures are?"""

from __future__ import annotations

from makers import Maker

from mpipp.datatypes.signatures import digests, matching


def run(seed: int) -> None:
    """A case: two signatures, and their beginnings."""
    maker = Maker(seed)
    first = maker.signature(seed % 5)
    second = maker.like(first) if seed % 2 else maker.signature(seed % 5)
    found = matching.compare(first, second)
    one, other = digests.digest(first), digests.digest(second)
    assert (one == other) == (found.verdict == "match"), seed
    # Beginnings agree as far as the signatures do, and no further.
    assert digests.prefix(first, found.equal) == digests.prefix(second, found.equal), seed
    if found.verdict == "mismatch":
        longer = found.equal + 1
        assert digests.prefix(first, longer) != digests.prefix(second, longer), seed
    if found.verdict == "partial":
        assert digests.prefix(second, first.elements) == one, seed
