# SPDX-License-Identifier: MIT
"""Calls that violate the thread level that MPI provides (MPI-4.1, section 11.6)."""

from __future__ import annotations

from mpipp.common.lazy_dataclass import dataclass
from mpipp.model.object_header import Site


@dataclass(frozen=True)
class ThreadCall:
    """A thread's call of MPI; it may have returned."""

    procedure: str
    tid: int  # from gettid
    site: Site


@dataclass(frozen=True)
class Breach:
    """A call that violates the thread level.

    Attributes:
        level: the provided level, "MPI_THREAD_FUNNELED".
        call: the call of a thread that must not call MPI, or not at that time.
        other: with MPI_THREAD_SERIALIZED the concurrent call of another thread; otherwise the call
            that initialized MPI.
    """

    level: str
    call: ThreadCall
    other: ThreadCall
