# SPDX-License-Identifier: MIT
"""What watchers say at their end, added up: `mpipp run` loads no more of what a run has found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from mpipp.common.text import wording
from mpipp.reports.table_rows import Guarded, Provoked

_NO_LOADS = "; loads and stores not looked at (--rma-loads)"
_NOT_OF_WINDOWS = "; loads and stores of windows not looked at"  # valgrind cannot


class Total(NamedTuple):
    """What a watcher says at its end; those of several nodes are added."""

    processes: int
    calls: int
    errors: int
    warnings: int
    untold: int  # findings beyond what is told
    unchecked: tuple[str, ...]  # sentences: what the checks cannot tell of this program
    suppressed: tuple[tuple[str, int], ...] = ()  # reasons, each with how many findings it has
    questions: int = 0  # calls that a watcher was asked about
    covered: tuple[Guarded, ...] = ()  # in runs that guard buffers
    provoked: tuple[Provoked, ...] = ()
    in_valgrind: bool = False  # which tells of errors, too
    no_loads: bool = False  # nor stores of windows were looked at, only what is done on them
    lost: tuple[str, ...] = ()  # sentences: what they could have told, had nothing failed
    ending: str = ""  # how the program has ended, if not well: "exit status 3"
    found: tuple[str, ...] = ()  # fingerprints of all that watchers have found: of ranks, of any

    def plus(self, other: Total) -> Total:
        """Of both."""
        return Total(
            self.processes + other.processes,
            self.calls + other.calls,
            self.errors + other.errors,
            self.warnings + other.warnings,
            self.untold + other.untold,
            tuple(dict.fromkeys((*self.unchecked, *other.unchecked))),
            _added(self.suppressed, other.suppressed),
            self.questions + other.questions,
            covered((*self.covered, *other.covered)),
            provoked((*self.provoked, *other.provoked)),
            self.in_valgrind or other.in_valgrind,
            self.no_loads or other.no_loads,
            tuple(dict.fromkeys((*self.lost, *other.lost))),
            self.ending or other.ending,
            (*self.found, *other.found),
        )

    @property
    def has_failed(self) -> bool:
        """Whether there are errors, or nobody can say that there are none."""
        return bool(self.errors or self.lost)

    @property
    def is_well(self) -> bool:
        """Whether nothing was found, and the program and the checks came to their ends."""
        return not (self.has_failed or self.warnings or self.ending)

    def remarks(self) -> Iterator[str]:
        """What is said before the last line."""
        yield from (f"not checked: {sentence}" for sentence in (*self.lost, *self.unchecked))
        if self.suppressed:
            count = sum(number for _, number in self.suppressed)
            reasons = ", ".join(f"{reason} ({number})" for reason, number in self.suppressed)
            yield f"{count} suppressed: {reasons}"

    def line(self) -> str:
        """ "no errors in 4 processes, 1,204 calls".

        Where the program or the checks have not come to their ends, nobody knows that there are
        none: "nothing found in 4 processes, 1,204 calls; exit status 3".
        """
        found = [
            wording.counted(number, noun)
            for number, noun in ((self.errors, "error"), (self.warnings, "warning"))
            if number
        ]
        told = ", ".join(found) or ("no errors" if self.is_well else "nothing found")
        told += " beside valgrind's" * self.in_valgrind
        processes = wording.counted(self.processes, "process", "processes")
        calls = f"{self.calls:,} call{'' if self.calls == 1 else 's'}"
        if self.questions:
            calls += f", {wording.counted(self.questions, 'question')}"
        more = f" ({self.untold} more not told)" if self.untold else ""
        if self.no_loads:
            calls += _NOT_OF_WINDOWS if self.in_valgrind else _NO_LOADS
        ending = f"; {self.ending}" if self.ending and not found else ""
        return f"{told}{more} in {processes}, {calls}{ending}"


def _added(*of: Iterable[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    found: Counter[str] = Counter()
    for reason, number in (one for each in of for one in each):
        found[reason] += number
    return tuple(found.items())


def covered(rows: Iterable[Sequence[Any]]) -> tuple[Guarded, ...]:
    """One row for each call, with what all of them count."""
    found: dict[tuple[str, str], list[int]] = {}
    for place, procedure, *counts in rows:
        known = found.setdefault((place, procedure), [0] * len(counts))
        found[place, procedure] = [one + other for one, other in zip(known, counts)]
    return tuple(Guarded(*names, *counts) for names, counts in sorted(found.items()))


def provoked(rows: Iterable[Sequence[Any]]) -> tuple[Provoked, ...]:
    """One row for each place and what was done there, of all processes."""
    found: dict[tuple[str, ...], Provoked] = {}
    for row in map(Provoked.of, rows):
        known = found.get(row[:5])
        if known is not None:
            row = row._replace(
                ranks=tuple(sorted({*known.ranks, *row.ranks})),
                times=known.times + row.times,
                least=min(known.least, row.least),
                most=max(known.most, row.most),
            )
        found[row[:5]] = row
    return tuple(sorted(found.values()))


NOTHING = Total(0, 0, 0, 0, 0, ())
