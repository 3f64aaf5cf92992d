# SPDX-License-Identifier: MIT
"""Functions from what processes have recorded to findings; one module for each question."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from mpipp.checks import (
    arguments,
    collectives,
    constructors,
    datatypes,
    inplace,
    leaks,
    matching,
    memory,
    overlaps,
)
from mpipp.checks.finding import Finding
from mpipp.checks.process import Process
from mpipp.checks.processes import Processes, worlds

_OF_ONE: tuple[Callable[[Process], Iterator[Finding]], ...] = (
    arguments.check,
    constructors.check,
    datatypes.check,
    inplace.check,
    memory.check,
    overlaps.check,
)
_BETWEEN: tuple[Callable[[Processes], Iterator[Finding]], ...] = (
    matching.check,
    collectives.check,
)


def findings(processes: Sequence[Process], leaks_too: bool = False) -> Iterator[Finding]:
    """What every check finds, those of one process first."""
    for process in processes:
        for check in _OF_ONE:
            yield from check(process)
        if leaks_too or leaks.at_the_end(process):
            yield from leaks.check(process)
    for world in worlds(processes):
        for between in _BETWEEN:
            yield from between(world)
