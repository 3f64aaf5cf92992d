# SPDX-License-Identifier: MIT
"""How the buffers of pending operations were looked at."""

from __future__ import annotations

from typing import NamedTuple

from mpipp.model.object_header import Site


class Cover(NamedTuple):
    """Of the operations that one call of the program has started: how many, and how.

    Attributes:
        procedure: "" of several calls, for which there was no room.
        pages: pages of theirs were protected.
        compared: their bytes were compared, and no page was protected.
        skipped: not at all, since it would have taken too long.
        nothing: not at all, since nobody could.
        accesses: of all of these, those that the program, where it was compiled so, looked at
            itself, too.
    """

    procedure: str
    site: Site
    pages: int
    compared: int
    skipped: int
    nothing: int
    accesses: int
