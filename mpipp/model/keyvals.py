# SPDX-License-Identifier: MIT
"""Keys of attributes (MPI-4.1, section 7.7)."""

from __future__ import annotations

from typing import NamedTuple

from mpipp.model.object_header import Site


class KeyvalPlace(NamedTuple):
    """A place that creates keys.

    Attributes:
        made: how many it has created.
        freed: how many of these may have been freed.
    """

    site: Site
    made: int
    freed: int
