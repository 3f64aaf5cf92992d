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
_INTERVAL = re.compile(r"([0-9]{1,18})(?: to ([0-9]{1,18}))?")


class Target(NamedTuple):
    """A call."""

    ranks: list[list[int]]  # the first and last of some in MPI_COMM_WORLD, of any of which it is
    procedure: str  # "": any, of the place where an object was made
    place: str  # "halo.c:12 in main"
    ordinal: int  # in its channel; 0: not known
    text: str  # "MPI_Send(dest = 1, ..."

    def fits(self, rank: int | None, procedure: str, place: str, text: str) -> bool:
        """Whether a call is at this place, and of the same channel as far as that is known."""
        known = rank is not None and any(first <= rank <= last for first, last in self.ranks)
        if not known or self.procedure not in ("", procedure) or self.place != place:
            return False
        is_one = len(self.ranks) == 1 and self.ranks[0][0] == self.ranks[0][1]
        alike = ("tag", "dest", "source", "root") if is_one else ("tag",)
        given = dict(_ARGUMENTS.findall(text))
        wanted = dict(_ARGUMENTS.findall(self.text)) if self.ordinal else {}
        return all(given.get(name) == wanted[name] for name in alike if name in wanted)


def targets(finding: str) -> list[Target]:
    """Those of DIR:NUMBER, a run's directory and a finding's number in its report.

    Raises MpippError: there is no such finding, or it is about no call that is known.
    """
    from mpipp.reports import directory  # it takes some time to load

    name, _, number = finding.rpartition(":")
    if not name or not _INTERVAL.fullmatch(number):
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
        ranks = _intervals(party.process)
        if not party.places or not ranks or party.made == "at":  # a load or store is no call
            continue
        made = _PROCEDURE.match(party.text) if party.made == "called at" else None
        procedure, ordinal = (made[0], party.ordinal) if made else ("", 0)
        yield Target(ranks, procedure, party.places[0].frame.text, ordinal, party.text)


def _intervals(label: str) -> list[list[int]]:
    # Of "rank 3", "ranks 0, 2 to 5 and 8". A label may say "ranks 0 to 99999999999".
    found = _RANKS.fullmatch(label)
    intervals = []
    for word in re.split(", | and ", found[1]) if found else ():
        ends = _INTERVAL.fullmatch(word)
        if ends is None:
            return []
        intervals.append([int(ends[1]), int(ends[2] or ends[1])])
    return intervals


def _counted(findings: int) -> str:
    return f"{findings} finding{'' if findings == 1 else 's'}"
