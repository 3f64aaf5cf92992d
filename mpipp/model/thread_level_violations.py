# SPDX-License-Identifier: MIT
"""Calls that break the thread level that MPI provides (MPI-4.1, section 11.6)."""

from __future__ import annotations

from dataclasses import dataclass

from mpipp.model.object_header import Site


@dataclass(frozen=True)
class ThreadCall:
    """A call of MPI by a thread, which may have returned since."""

    procedure: str
    tid: int  # as gettid says
    site: Site


@dataclass(frozen=True)
class Breach:
    """A call that breaks the thread level.

    Attributes:
        level: as provided, "MPI_THREAD_FUNNELED".
        call: of a thread that may not call MPI, or not then.
        other: what another thread was inside of meanwhile, where the level is
            MPI_THREAD_SERIALIZED; else the call that initialized MPI.
    """

    level: str
    call: ThreadCall
    other: ThreadCall
