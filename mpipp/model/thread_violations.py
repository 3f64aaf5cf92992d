# SPDX-License-Identifier: MIT
"""Calls that MPI does not allow a thread to make (MPI-4.1, section 11.6)."""

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
    """A call that violates the thread level, or must not be made during another thread's call.

    Attributes:
        kind: "level"; or the object of both calls, "communicator", "window" or "file"; or
            "completion" if both complete one request.
        level: the provided level, "MPI_THREAD_FUNNELED".
        call: the call of a thread that must not call MPI, or not at that time.
        other: the concurrent call of another thread. For the kind "level" below
            MPI_THREAD_SERIALIZED, the call that initialized MPI.
    """

    kind: str
    level: str
    call: ThreadCall
    other: ThreadCall
