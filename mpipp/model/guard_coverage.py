# SPDX-License-Identifier: MIT
"""The guard coverage of buffers of pending operations."""

from __future__ import annotations

from typing import NamedTuple

from mpipp.model.object_header import Site


class Coverage(NamedTuple):
    """The operations that one call in the program started, counted by the method of guarding.

    Attributes:
        procedure: its name; "" for a group of calls that got no entry of their own.
        pages: pages of their buffers were protected.
        compared: only the bytes of their buffers were compared.
        over_budget: unguarded, because guarding would have taken too long.
        unguardable: unguarded, because guarding was impossible.
        accesses: all of these operations for which instrumented code checked its accesses, too.
    """

    procedure: str
    site: Site
    pages: int
    compared: int
    over_budget: int
    unguardable: int
    accesses: int
