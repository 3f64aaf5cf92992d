# SPDX-License-Identifier: MIT
"""The communication buffers of calls."""

from __future__ import annotations

from collections.abc import Sequence

from mpipp.common.lazy_dataclass import dataclass
from mpipp.model.object_header import Broken, DatatypeRecord


@dataclass(frozen=True)
class Share:
    """The data for one peer, in a buffer with a count for each peer (a v or w form)."""

    count: int  # entries of `datatype`
    displacement: int | None  # bytes from the buffer's address; None: unknown datatype
    datatype: DatatypeRecord | Broken | None  # None: unknown
    handle: int | None = None  # handle of the datatype, in w forms


@dataclass(frozen=True)
class Buffer:
    """A communication buffer of a call.

    The buffer has `count` entries of `datatype`, `peers` times in a row. In v and w forms, such as
    MPI_Alltoallv, it has `shares` instead.
    """

    role: str  # the argument's name in the standard: "sendbuf"
    address: int  # if `access` has "remote": a displacement in the target's window
    count: int
    peers: int  # number of peers of a collective call, or of partitions
    datatype: DatatypeRecord | Broken | None  # None: unknown
    handle: int  # handle of the datatype
    access: frozenset[str]  # "reads" "writes" "remote"; "stale": the datatype was freed before
    shares: Sequence[Share] | None = None  # lazy, one for each peer; None: no v or w form

    @property
    def displacement(self) -> int:
        """The displacement in the target's window, for a remote buffer."""
        return (self.address ^ 1 << 63) - (1 << 63)

    @property
    def total_count(self) -> int:
        """The entries of `datatype` for all peers together; not for v and w forms."""
        return self.count * self.peers

    @property
    def share_count(self) -> int:
        """The number of peers with a share, or of partitions."""
        return self.peers if self.shares is None else len(self.shares)

    def share(self, i: int) -> Share:
        """Return the share of peer `i`.

        Except in v and w forms, all peers have equal, contiguous shares.
        """
        if self.shares is not None:
            return self.shares[i]
        known = self.datatype
        if not isinstance(known, DatatypeRecord):
            return Share(self.count, None, known)
        return Share(self.count, i * self.count * known.tree.extent, known)
