# SPDX-License-Identifier: MIT
"""The calls that a finding of an earlier run is about, for a run that is to stop there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from mpipp.errors import MpippError

if TYPE_CHECKING:
    from mpipp.reports.directory import Party

OPTION = "--stop-at"
_PROCEDURE = re.compile(r"MPI_\w+(?=\()")
_ARGUMENTS = re.compile(r"\b(tag|dest|source|root) = ([\w-]+)")
_RANKS = re.compile(r"ranks? (.*)")


class Target(NamedTuple):
    """A call."""

    ranks: list[int]  # in MPI_COMM_WORLD, of any of which it may be
    procedure: str  # "": any, of the place where an object was made
    place: str  # "halo.c:12 in main"
    ordinal: int  # in its channel; 0: not known
    text: str  # "MPI_Send(dest = 1, ..."

    def fits(self, rank: int | None, procedure: str, place: str, text: str) -> bool:
        """Whether a call is at this place, and of the same channel as far as that is known."""
        if rank not in self.ranks or self.procedure not in ("", procedure) or self.place != place:
            return False
        alike = ("tag",) if len(self.ranks) > 1 else ("tag", "dest", "source", "root")
        given = dict(_ARGUMENTS.findall(text))
        wanted = dict(_ARGUMENTS.findall(self.text)) if self.ordinal else {}
        return all(given.get(name) == wanted[name] for name in alike if name in wanted)


def targets(finding: str) -> list[Target]:
    """Those of DIR:NUMBER, a run's directory and a finding's number in its report.

    Raises MpippError: there is no such finding, or it is about no call that is known.
    """
    from mpipp.reports import directory  # it takes some time to load

    name, _, number = finding.rpartition(":")
    if not name or not number.isdigit():
        raise MpippError(
            f"{OPTION} {finding}: write DIR:NUMBER, as mpipp report DIR says it of each finding"
        )
    run = directory.read(name)
    if not 1 <= int(number) <= len(run.findings):
        raise MpippError(f"{OPTION} {finding}: the report has {_counted(len(run.findings))}")
    found = list(of(run.findings[int(number) - 1].parties))
    if not found:
        raise MpippError(f"{OPTION} {finding}: of this finding no call is known")
    return found


def of(parties: Sequence[Party]) -> Iterator[Target]:
    """The calls of a finding's parties."""
    for party in parties:
        ranks = _numbers(party.process)
        if not party.places or not ranks or party.made == "at":  # a load or store is no call
            continue
        made = _PROCEDURE.match(party.text) if party.made == "called at" else None
        procedure, ordinal = (made[0], party.ordinal) if made else ("", 0)
        yield Target(ranks, procedure, party.places[0].frame.text, ordinal, party.text)
        if party.started:
            place = party.started[0].frame.text
            yield Target(ranks, party.starter, place, 0, party.starter)


def _numbers(label: str) -> list[int]:
    # Of "rank 3", "ranks 0, 2 to 5 and 8".
    found = _RANKS.fullmatch(label)
    numbers: list[int] = []
    for word in re.split(", | and ", found[1]) if found else ():
        first, _, last = word.partition(" to ")
        if not first.isdigit() or not (last or first).isdigit():
            return []
        numbers += range(int(first), int(last or first) + 1)
    return numbers


def _counted(findings: int) -> str:
    return f"{findings} finding{'' if findings == 1 else 's'}"
