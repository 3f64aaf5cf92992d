# SPDX-License-Identifier: MIT
"""The calls of a finding from an earlier run, in which a new run stops."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from mpipp.common.errors import MpippError

if TYPE_CHECKING:
    from mpipp.reports.findings_file import Party

OPTION = "--stop-at"
_LONGEST = 19  # digits of a number


class Target(NamedTuple):
    """A call to stop in."""

    ranks: Sequence[int]  # ranks in MPI_COMM_WORLD that may make the call
    procedure: str  # "" for any procedure, at the place where an object was created
    place: str  # "halo.c:12 in main"
    ordinal: int  # position in its channel; 0 if unknown
    arguments: Mapping[str, int]  # arguments that select the channel: dest, source, tag, root

    def fits(
        self, rank: int | None, procedure: str, place: str, arguments: Mapping[str, int]
    ) -> bool:
        """Return whether a call is at this place, and in the same channel as far as
        that is known."""
        if rank not in self.ranks or self.procedure not in ("", procedure) or self.place != place:
            return False
        equal = ("tag",) if len(self.ranks) > 1 else ("tag", "dest", "source", "root")
        wanted = self.arguments if self.ordinal else {}
        return all(arguments.get(name) == wanted[name] for name in equal if name in wanted)


def targets(finding: str) -> list[Target]:
    """The calls of DIR:NUMBER, a run's directory and the number of a finding in its report.

    Raises MpippError: there is no such finding, or its calls are unknown.
    """
    from mpipp.reports import findings_file  # slow to import

    name, _, number = finding.rpartition(":")
    if not name or not (number.isascii() and number.isdigit() and len(number) < _LONGEST):
        raise MpippError(
            f"{OPTION} {finding}: write DIR:NUMBER, which mpipp report DIR prints below each "
            "finding"
        )
    run = findings_file.read(name)
    if not 1 <= int(number) <= len(run.findings):
        raise MpippError(f"{OPTION} {finding}: the report has {_counted(len(run.findings))}")
    found = list(of(run.findings[int(number) - 1].parties))
    if not found:
        raise MpippError(f"{OPTION} {finding}: mpipp knows no call of this finding")
    return found


def of(parties: Sequence[Party]) -> Iterator[Target]:
    """The calls of a finding's parties."""
    for party in parties:
        # Loads and stores are not calls.
        if not party.places or not party.ranks or party.place_label == "at":
            continue
        ordinal = party.ordinal if party.procedure else 0
        place = party.places[0].frame.text
        yield Target(party.ranks, party.procedure, place, ordinal, party.arguments)
        if party.started:
            place = party.started[0].frame.text
            yield Target(party.ranks, party.starter, place, 0, {})


def _counted(findings: int) -> str:
    return f"{findings} finding{'' if findings == 1 else 's'}"
