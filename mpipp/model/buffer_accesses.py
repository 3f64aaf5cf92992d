# SPDX-License-Identifier: MIT
"""Accesses of the program to the buffer of a pending operation."""

from __future__ import annotations

from typing import NamedTuple

from mpipp.model.object_header import Site

NEVER, MEANWHILE = "never", "meanwhile"


class Touch(NamedTuple):
    """A load or store in the buffer of an operation that was pending then.

    Attributes:
        serial: number of the operation's request.
        address: of the first byte that is guarded.
        site: the instruction, with its callers.
        moved: whether MPI had the data when the process called it next; None: not known.
        end: what the active call does to the operation: "completes", "may complete", "gives up";
            MEANWHILE: it completes the operation, and was under way already; NEVER: it is
            MPI_Finalize, and nothing has completed it; "": not known.
        variable: the program's, with the distance from its beginning: "faces+3968"; "": not known.
        bytes: that the whole access has; 0: not known.
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
