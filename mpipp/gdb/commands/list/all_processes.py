# SPDX-License-Identifier: MIT
"""Lists of all processes in this gdb. Equal lines are merged."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator

import gdb

from mpipp.common.errors import MpippError
from mpipp.common.text import wording
from mpipp.gdb.program import sessions
from mpipp.gdb.program.inferior_memory import selected
from mpipp.gdb.program.ranks import inferiors, rank
from mpipp.gdb.program.sessions import Session

# Ignore numbers that differ in every process: addresses, and its own rank in a communicator.
_OWN = re.compile(r"\b(0x)[0-9a-f]{5,}\b|\b(rank = )\d+(?=, size = )")
_OTHER = r"\1\2..."

_Entry = list[str]  # the lines of one list entry


def lines(listed: Callable[[Session], list[_Entry]]) -> Iterator[str]:
    """The output of `listed` for all processes. Equal output is shown once, below its ranks."""
    every = inferiors()
    if not every:
        sessions.required()  # raises an error with advice
    entries, ends = _Same(), _Same()
    for number, inferior in enumerate(every):
        with selected(inferior):
            *own, end = _listed(listed, inferior)
        entries.add(number, own)
        ends.add(number, [end])
    names = _Names(every)
    sections: dict[str, _Entry] = {}
    for chosen, shown in [*entries.all(), *ends.all()]:
        sections.setdefault(names.of(chosen), []).extend(shown)
    for name, lines_of_it in sections.items():
        yield f"{name}:"
        yield from (f"  {line}" for line in lines_of_it)


class _Same:
    # The entries of all processes, with equal entries merged.

    def __init__(self) -> None:
        self._found: dict[tuple[str, int], list[tuple[int, _Entry]]] = {}

    def add(self, process: int, entries: list[_Entry]) -> None:
        seen: Counter[str] = Counter()
        for entry in entries:
            same = "\n".join(_OWN.sub(_OTHER, line) for line in entry)
            seen[same] += 1  # do not merge equal entries of one process
            self._found.setdefault((same, seen[same]), []).append((process, entry))

    def all(self) -> list[tuple[list[int], _Entry]]:
        """The merged entries, each with its processes, in the order of the first process."""
        found = []
        for (same, _), entries in self._found.items():
            equal = all(entry == entries[0][1] for _, entry in entries)
            shown = entries[0][1] if equal else same.split("\n")
            found.append(([number for number, _ in entries], shown))
        return sorted(found, key=lambda one: one[0])


def _listed(listed: Callable[[Session], list[_Entry]], inferior: gdb.Inferior) -> list[_Entry]:
    try:
        return listed(sessions.required())
    except MpippError as error:
        return [[f"process {inferior.pid}: {error}"]]


class _Names:
    # Names processes by rank if the ranks are all different, else by inferior.

    def __init__(self, every: list[gdb.Inferior]) -> None:
        ranks = [rank(inferior) for inferior in every]
        known = [number for number in ranks if number is not None]
        self._by_rank = len(set(known)) == len(every)
        self._numbers = known if self._by_rank else [inferior.num for inferior in every]

    def of(self, chosen: list[int]) -> str:
        numbers = [self._numbers[i] for i in chosen]
        return wording.numbered("rank" if self._by_rank else "inferior", numbers)
