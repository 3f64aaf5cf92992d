# SPDX-License-Identifier: MIT
"""The guard coverage of buffers of pending operations."""

from __future__ import annotations

from typing import NamedTuple

from mpipp.model.object_header import Site


class Coverage(NamedTuple):
    """The operations that one call of the program has started: their number by method.

    Attributes:
        procedure: "" for several calls beyond the capacity.
        pages: pages of theirs were protected.
        compared: their bytes were compared, and no page was protected.
        over_budget: not guarded, since it would have taken too long.
        unguardable: not guarded, since that was impossible.
        accesses: the operations of all these that instrumented code of the program also checked.
    """

    procedure: str
    site: Site
    pages: int
    compared: int
    over_budget: int
    unguardable: int
    accesses: int
