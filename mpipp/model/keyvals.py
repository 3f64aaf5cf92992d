# SPDX-License-Identifier: MIT
"""Attribute keys (MPI-4.1, section 7.7)."""

from __future__ import annotations

from typing import NamedTuple

from mpipp.model.object_header import Site


class KeyvalPlace(NamedTuple):
    """A place in the program that creates attribute keys.

    Attributes:
        made: the number of keys that it created.
        freed: how many of these keys may have been freed.
    """

    site: Site
    made: int
    freed: int
