# SPDX-License-Identifier: MIT
"""The totals of watchers, and their sums. `mpipp run` needs no more to print its last line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from mpipp.common.text import wording
from mpipp.common.text.sanitize import Styled
from mpipp.render import finding_head
from mpipp.reports.table_rows import Guarded, Provoked

_NO_LOADS = "; loads and stores of windows not checked (compile with mpipp cc, or add --rma-loads)"
SO_FAR = "total so far"  # name of the message with the total when all processes exit
_NOT_OF_WINDOWS = "; loads and stores of windows not checked"  # valgrind cannot check them


class Total(NamedTuple):
    """The total of a watcher at its end, or the sum for several nodes."""

    processes: int
    calls: int
    errors: int
    warnings: int
    unreported: int  # findings beyond the limits, which are only counted
    unchecked: tuple[str, ...]  # sentences on things that mpipp cannot check in this program
    suppressed: tuple[tuple[str, int], ...] = ()  # reasons, each with its number of findings
    queries: int = 0  # number of calls that the call filter could not prove correct
    covered: tuple[Guarded, ...] = ()  # buffers that the run has guarded
    provoked: tuple[Provoked, ...] = ()
    in_valgrind: bool = False  # valgrind reports errors, too
    # True if only MPI operations on windows were checked, not loads and stores.
    no_loads: bool = False
    failures: tuple[str, ...] = ()  # sentences on checks that failed
    ending: str = ""  # the way of an abnormal end, "exit status 3"; else ""
    found: tuple[str, ...] = ()  # fingerprints of all findings: with ranks, and without

    def plus(self, other: Total) -> Total:
        """The sum of two totals."""
        return Total(
            self.processes + other.processes,
            self.calls + other.calls,
            self.errors + other.errors,
            self.warnings + other.warnings,
            self.unreported + other.unreported,
            tuple(dict.fromkeys((*self.unchecked, *other.unchecked))),
            _added(self.suppressed, other.suppressed),
            self.queries + other.queries,
            covered((*self.covered, *other.covered)),
            provoked((*self.provoked, *other.provoked)),
            self.in_valgrind or other.in_valgrind,
            self.no_loads or other.no_loads,
            tuple(dict.fromkeys((*self.failures, *other.failures))),
            self.ending or other.ending,
            (*self.found, *other.found),
        )

    @property
    def has_failed(self) -> bool:
        """Return whether there are errors, or a check has failed."""
        return bool(self.errors or self.failures)

    @property
    def is_well(self) -> bool:
        """Return whether there is no finding, and the program and the checks completed."""
        return not (self.has_failed or self.warnings or self.ending)

    def remarks(self) -> Iterator[str]:
        """The sentences before the last line."""
        yield from (f"not checked: {sentence}" for sentence in (*self.failures, *self.unchecked))
        if self.suppressed:
            count = sum(number for _, number in self.suppressed)
            reasons = ", ".join(f"{reason} ({number})" for reason, number in self.suppressed)
            yield f"{count} suppressed: {reasons}"

    def line(self, coloured: bool = False) -> str:
        """The last line, such as "no errors in 4 processes (1,204 MPI calls checked)".

        If the program or the checks did not complete, other errors are possible: "nothing found in
        4 processes (1,204 MPI calls checked); exit status 3".
        """
        found = [
            wording.counted(number, noun)
            for number, noun in ((self.errors, "error"), (self.warnings, "warning"))
            if number
        ]
        told = ", ".join(found) or ("no errors" if self.is_well else "nothing found")
        told += " beside valgrind's" * self.in_valgrind
        processes = wording.counted(self.processes, "process", "processes")
        calls = f"({self.calls:,} MPI call{'' if self.calls == 1 else 's'} checked)"
        more = f" ({self.unreported} more not shown)" if self.unreported else ""
        if self.no_loads:
            calls += _NOT_OF_WINDOWS if self.in_valgrind else _NO_LOADS
        calls += _partly_guarded(self.covered) if not self.in_valgrind else ""
        ending = f"; {self.ending}" if self.ending and not found else ""
        severity = "error" if self.has_failed else "warning" if not self.is_well else ""
        rest = f"{more} in {processes} {calls}{ending}"
        return finding_head.summary(told, rest, severity, coloured)

    def last(self, coloured: bool) -> str:
        """The last line for the terminal: a name before it, and a newline after it."""
        text = f"mpipp: {self.line(coloured)}\n"
        return Styled(text) if coloured else text


def _partly_guarded(rows: Sequence[Guarded]) -> str:
    # Comparisons do not notice loads, and page guards only the first access to each page. If the
    # program is compiled with mpipp cc, unguarded operations stand only in the report's table.
    if any(row.accesses for row in rows) or not any(row.compared or row.pages for row in rows):
        return ""
    return "; some accesses to buffers of pending operations not checked (compile with mpipp cc)"


def _added(*of: Iterable[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    found: Counter[str] = Counter()
    for reason, number in (one for each in of for one in each):
        found[reason] += number
    return tuple(found.items())


def covered(rows: Iterable[Sequence[Any]]) -> tuple[Guarded, ...]:
    """One row for each call, with the sums of its counts."""
    found: dict[tuple[str, str], list[int]] = {}
    for place, procedure, *counts in rows:
        known = found.setdefault((place, procedure), [0] * len(counts))
        found[place, procedure] = [one + other for one, other in zip(known, counts)]
    return tuple(Guarded(*names, *counts) for names, counts in sorted(found.items()))


def provoked(rows: Iterable[Sequence[Any]]) -> tuple[Provoked, ...]:
    """One row for each place and perturbation, with the sums for all processes."""
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
