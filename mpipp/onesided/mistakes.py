# SPDX-License-Identifier: MIT
"""Synchronisation that is wrong by itself, whatever memory is accessed."""

from __future__ import annotations

from typing import NamedTuple

from mpipp.model.onesided import Event

# What is wrong, and the section of MPI-4.1 that says so.
MISTAKES = {
    "rma-no-epoch": ("an operation where no epoch is open for its target", "12.5"),
    "rma-nested": ("an epoch is opened while another is open that excludes it", "12.5"),
    "rma-locked": ("a target is locked that this process has locked", "12.5.3"),
    "rma-not-open": ("an epoch is ended that is not open", "12.5"),
    "rma-not-ended": ("an epoch is open at the end", "12.5"),
    "rma-noprecede": ("MPI_MODE_NOPRECEDE, but operations precede", "12.5.5"),
    "rma-noput": ("MPI_MODE_NOPUT, but there is an update", "12.5.5"),
    "rma-nostore": ("MPI_MODE_NOSTORE, but there was a store", "12.5.5"),
}


class Mistake(NamedTuple):
    """What is wrong with an event.

    Attributes:
        rule: of MISTAKES.
        other: what it does not go together with: the epoch that is open, the assertion ...
        times: how often at these lines.
    """

    rule: str
    event: Event
    other: Event | None
    times: int


class Mistakes:
    """Those of a run: the first of each pair of lines."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, int, int], Mistake] = {}

    def add(self, rule: str, event: Event, other: Event | None = None) -> None:
        """One more."""
        key = rule, event.moment.place, other.moment.place if other else 0
        before = self.found.get(key)
        self.found[key] = (
            before._replace(times=before.times + 1) if before else Mistake(rule, event, other, 1)
        )
