# SPDX-License-Identifier: MIT
"""Processes that ended abnormally, as parties of a finding: the place of death, and MPI calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from mpipp.analysis.context.process import Process
from mpipp.analysis.findings.finding import Party
from mpipp.model import Site
from mpipp.render.phrases import Phrase, Varies
from mpipp.watcher.ipc import protocol
from mpipp.watcher.processes.exit_status import Ending
from mpipp.watcher.processes.fatal_signal import FatalSignal
from mpipp.watcher.processes.process import WatchedProcess, marked, operations

_ANNOUNCED = (protocol.EXITING, protocol.ABORTING)  # the reason of these ends is known
_NO_SITE = Site(0)


class AbnormalExit(NamedTuple):
    """A process that ended abnormally.

    Attributes:
        end: the end that it announced (`protocol`), 0 for none.
        by: the way in which it ended, None if unknown.
        is_wrong: True if an error was reported for its current call.
        fatal: the signal that it died of, and its stack; None if unknown.
        unfinished: the requests and locks that it has left, a line each.
    """

    process: Process
    end: int
    by: Ending | None
    is_wrong: bool = False
    fatal: FatalSignal | None = None
    unfinished: Sequence[str] = ()

    @classmethod
    def of(
        cls, one: WatchedProcess, number: int, is_wrong: bool, unfinished: Sequence[str] = ()
    ) -> AbnormalExit:
        """Create it from a watched process; `number` is the process's index in the findings."""
        return cls(one.process(number), one.end, one.ending(), is_wrong, one.fatal, unfinished)

    @property
    def way(self) -> tuple[int, Ending | None]:
        """The end of the process as plain values. Processes with equal values share one finding."""
        return self.end, None if self.end in _ANNOUNCED else self.by


def groups(
    alike: Sequence[AbnormalExit], where: Callable[[Party], Sequence[str]]
) -> list[list[AbnormalExit]]:
    """Group processes with equal stacks. All these processes ended in the same way."""
    found: dict[object, list[AbnormalExit]] = {}
    for one in alike:
        places = [
            (party.subject.key(Varies.CALLS), party.place_label, tuple(where(party)))
            for party in _of_one(one)
        ]
        key = tuple(places) if one.fatal is not None else one.process.number
        found.setdefault(key, []).append(one)
    return list(found.values())


def parties(group: Sequence[AbnormalExit]) -> list[Party]:
    """The parties of a finding about a group, from its first process."""
    first, *others = group
    found = _of_one(first)
    ranks = [rank for one in others if (rank := one.process.registry.info.world_rank) is not None]
    if ranks:
        verb = "died" if first.fatal is not None and first.fatal.signal else "ended"
        too = Phrase.of("{ranks} {verb} there, too", ranks=tuple(sorted(ranks)), verb=verb)
        found[0] = found[0].with_details(too)
    return found


def _of_one(ended: AbnormalExit) -> list[Party]:
    # The line where the process died, and its current MPI calls.
    process, fatal = ended.process, ended.fatal
    inside = [operation.party() for operation in operations(process)]
    for one in marked(process):
        subject = Phrase.of("in {procedure}", procedure=one.procedure)
        inside.append(Party(process.number, subject, "called at", one.site, one.tid))
    died = fatal.party(process.number) if fatal is not None else None
    if inside:
        inside = [fatal.in_call(party) for party in inside] if fatal is not None else inside
    else:
        inside = [_last_call(process)]
    left = [Phrase.of("{text}", text=line) for line in ended.unfinished]
    inside[-1] = inside[-1].with_details(
        *(Phrase(one.template, one.facts, Varies.RANKS) for one in left)
    )
    return inside if died is None else [died, *inside]


def _last_call(process: Process) -> Party:
    last = next(process.registry.last_calls(), None)
    if last is None:
        subject = Phrase("not in MPI")
        return Party(process.number, subject, "called at", _NO_SITE, is_wrong=False)
    subject = Phrase.of("not in MPI; its last call was {procedure}", procedure=last.procedure)
    return Party(process.number, subject, "called at", last.site, last.tid, is_wrong=False)
