# SPDX-License-Identifier: MIT
"""Accesses of the program to the buffer of a pending operation."""

from __future__ import annotations

from typing import NamedTuple

from mpipp.model.object_header import Site

NEVER, MEANWHILE = "never", "meanwhile"


class Touch(NamedTuple):
    """A load or store in the buffer of an operation that was pending at that time.

    Attributes:
        serial: number of the operation's request.
        address: address of the first guarded byte that was accessed.
        site: the instruction, with its callers.
        moved: whether MPI had transferred the data by the process's next MPI call; None: unknown.
        end: the effect of the queried call on the operation: "completes", "may complete", "gives
            up" (frees it). MEANWHILE: it completes the operation, and had begun before the access.
            NEVER: it is MPI_Finalize, and nothing has completed the operation. "": unknown.
        variable: the accessed variable of the program, with a byte offset: "faces+3968"; "":
            unknown.
        bytes: length of the whole access; 0: unknown.
    """

    serial: int
    address: int
    stores: bool
    tid: int
    site: Site
    moved: bool | None = None
    end: str = ""
    variable: str = ""
    bytes: int = 0
