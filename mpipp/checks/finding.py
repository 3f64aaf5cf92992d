# SPDX-License-Identifier: MIT
"""A finding: one reported fact about a program, with its evidence, the rule and what to do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from mpipp.checks.rules import RULES, Rule, Version, cited
from mpipp.model import Call, Comm, Object, Site, ThreadCall

if TYPE_CHECKING:
    from mpipp.checks.lifelines import Lifelines


class Evidence(NamedTuple):
    """What a party is, for those who draw it: a call or an object."""

    call: Call | None = None
    comm: Comm | None = None  # of a call that is over: its communicator, freed or not
    made: Object | None = None
    role: str = ""  # of the buffer whose element is concerned, and where it begins in that, bytes
    displacement: int = 0


@dataclass(frozen=True)
class Party:
    """A call or an object that a finding is about."""

    process: int  # its number among the processes that are checked
    text: str  # "MPI_Irecv(source = 0, tag = 1, ...)", or "MPI_Datatype VECTOR[3, 2, 4]"
    made: str  # how its place is introduced: "called at", "made at"
    site: Site
    tid: int | None = None  # the thread that is inside of the call now
    details: tuple[str, ...] = ()  # its part in what was found, a line each: element addresses
    evidence: Evidence = field(default=Evidence(), compare=False, repr=False)
    # The text without the buffer that only the root of a collective operation has; "": it is whole.
    of_all: str = field(default="", compare=False, repr=False)
    start: ThreadCall | None = None  # what started it: of a persistent operation

    @property
    def starting(self) -> Party | None:
        """The call that started the operation, as a party; None if nothing is known of one."""
        if self.start is None:
            return None
        how = f"started by {self.start.procedure} at"
        return Party(self.process, self.start.procedure, how, self.start.site)


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong: a rule that is broken, where, and by whom."""

    rule: Rule
    what: str  # one sentence without its full stop
    parties: tuple[Party, ...]
    sentence: str  # the rule's, its words filled in
    advice: str
    standard: Version = None  # of the library of the first party's process
    error_class: str = ""  # as the rule has it
    follows: str = ""  # what another finding says, of which this may be a consequence
    lifelines: Lifelines | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, rule: str, what: str, parties: Sequence[Party], **words: str) -> Finding:
        """A finding of the rule with this id; `words` are those of its sentence and advice."""
        broken = RULES[rule]
        told = (broken.sentence, broken.advice, broken.error_class)
        sentence, advice, error_class = (text.format(**words) for text in told)
        return cls(broken, what, tuple(parties), sentence, advice, error_class=error_class)

    @property
    def placed(self) -> Iterator[Party]:
        """The parties, and behind each the call that started its operation."""
        for party in self.parties:
            yield party
            if (starting := party.starting) is not None:
                yield starting

    @property
    def demanded(self) -> str:
        """What the standard says, and where: "MPI-4.1, section 3.7.2: ..."."""
        return f"{cited(self.rule.section, self.standard)}: {self.sentence}"


def merged(findings: Iterable[Finding]) -> Iterator[Finding]:
    """The first of those that say the same of the same calls, as a loop makes them."""
    alike: dict[object, list[Finding]] = {}
    for one in findings:
        places = tuple((party.process, party.made, party.site) for party in one.placed)
        known = all(party.site.address for party in one.parties)
        what = re.sub("0x[0-9a-f]+", "", one.what)
        alike.setdefault((one.rule.id, what, places) if known else id(one), []).append(one)
    for first, *others in alike.values():
        yield with_others(first, len(others))


def with_others(finding: Finding, count: int) -> Finding:
    """A finding that stands for so many others, too."""
    if count == 0:
        return finding
    *before, last = finding.parties
    places = "the same places" if before else "the same place"
    others = f"and {count} other{'s' * (count > 1)} at {places}"
    parties = (*before, replace(last, details=(*last.details, others)))
    return replace(finding, parties=parties)


Findings = Iterator[Finding]
