# SPDX-License-Identifier: MIT
"""Measure and print figures."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """One line of the table: a title, the value and its limit, and their unit."""

    what: str
    value: float
    aim: float
    unit: str
    note: str = ""

    @property
    def holds(self) -> bool:
        return self.value <= self.aim

    def line(self) -> str:
        mark = "holds" if self.holds else "MISSED"
        value = f"{self.value:.3g} {self.unit}"
        return (
            f"{self.what:<62} {value:>12}  aim <= {self.aim:g} {self.unit:<6} {mark}  {self.note}"
        )


def ratio(
    run_with: Callable[[], float], run_without: Callable[[], float], rounds: int = 9
) -> float:
    """The ratio of the minimum times. The runs alternate, because other load only adds time."""
    pairs = [(run_with(), run_without()) for _ in range(rounds)]
    return min(pair[0] for pair in pairs) / min(pair[1] for pair in pairs)


def seconds(action: Callable[[], object]) -> float:
    """Wall-clock time of one call."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start
