# SPDX-License-Identifier: MIT
"""Rows of the tables that a run's end says: what was guarded, and what was provoked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple


class Guarded(NamedTuple):
    """The guard coverage of the operations that one call has started, as numbers."""

    place: str
    procedure: str
    pages: int  # of theirs were protected
    compared: int  # their bytes were
    skipped: int  # for want of time
    nothing: int  # nobody could look at them
    accesses: int  # of all of these: the program, which was compiled so, looked itself, too

    def operations(self) -> int:
        """The number of operations."""
        return self.pages + self.compared + self.skipped + self.nothing


class Provoked(NamedTuple):
    """The perturbations of calls of one place in one way: see mpipp.model.Provoked."""

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
        """From a list of JSON. Raises TypeError if it is none."""
        found = cls(*row)._replace(ranks=tuple(row[5]))
        if not all(type(one) is str for one in found[:5]):
            raise TypeError
        if not all(type(one) is int for one in (*found.ranks, *found[6:])):
            raise TypeError
        return found
