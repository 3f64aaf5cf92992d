# SPDX-License-Identifier: MIT
"""Rows of the tables at the end of a run: guard coverage, and perturbations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple


class Guarded(NamedTuple):
    """The guard coverage of the operations that one call has started, as numbers of operations."""

    place: str
    procedure: str
    pages: int  # guarded by protected pages
    compared: int  # guarded by comparison of their bytes
    skipped: int  # not guarded, to save time
    nothing: int  # impossible to guard
    accesses: int  # number of these operations that instrumented code also checked at each access

    def operations(self) -> int:
        """The number of operations."""
        return self.pages + self.compared + self.skipped + self.nothing


class Provoked(NamedTuple):
    """The perturbations of one kind at one place: see mpipp.model.Provoked."""

    place: str
    procedure: str
    way: str
    by: str
    by_place: str
    ranks: Sequence[int]
    times: int
    least: int
    most: int

    @classmethod
    def of(cls, row: Sequence[Any]) -> Provoked:
        """The row from a JSON list. Raises TypeError if the list is invalid."""
        found = cls(*row)._replace(ranks=tuple(row[5]))
        if not all(type(one) is str for one in found[:5]):
            raise TypeError
        if not all(type(one) is int for one in (*found.ranks, *found[6:])):
            raise TypeError
        return found
