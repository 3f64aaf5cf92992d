# SPDX-License-Identifier: MIT
"""The communication buffers of calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mpipp.model.object_header import Broken, DatatypeRecord


@dataclass(frozen=True)
class Share:
    """One peer's share of a communication buffer of a v or w form."""

    count: int  # entries of `datatype`
    displacement: int | None  # bytes from the buffer's address; None: datatype not known
    datatype: DatatypeRecord | Broken | None  # None: not known
    handle: int | None = None  # the datatype's, in w forms


@dataclass(frozen=True)
class Buffer:
    """A communication buffer of a call.

    `count` entries of `datatype`, `peers` times in a row; or, in v and w forms, `shares`.
    """

    role: str  # the parameter's name in the standard: "sendbuf"
    address: int  # with "remote" in access: a displacement in the target's window
    count: int
    peers: int  # peers of a collective call, or partitions
    datatype: DatatypeRecord | Broken | None  # None: not known
    handle: int  # the datatype's
    access: frozenset[str]  # of "reads" "writes" "remote"; "stale": its datatype was freed before
    shares: Sequence[Share] | None = None  # lazy, one for each peer; None: not a v or w form

    @property
    def displacement(self) -> int:
        """In the target's window, of one that is remote."""
        return (self.address ^ 1 << 63) - (1 << 63)

    @property
    def total_count(self) -> int:
        """Entries of `datatype` over all peers, where this is not a v or w form."""
        return self.count * self.peers

    @property
    def share_count(self) -> int:
        """The number of peers with a share, or of partitions."""
        return self.peers if self.shares is None else len(self.shares)

    def share(self, i: int) -> Share:
        """Peer `i`'s share; where this is not a v or w form they are equal, one after another."""
        if self.shares is not None:
            return self.shares[i]
        known = self.datatype
        if not isinstance(known, DatatypeRecord):
            return Share(self.count, None, known)
        return Share(self.count, i * self.count * known.tree.extent, known)
