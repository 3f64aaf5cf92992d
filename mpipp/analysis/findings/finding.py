# SPDX-License-Identifier: MIT
"""A finding: a violated rule, with typed facts and the parties that violated it.

Sentences are made last, in `analysis/findings/formatting.py`; no code parses them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, NamedTuple

from mpipp.analysis.rules import RULES, Rule, Version, cited, template
from mpipp.analysis.rules.rule import REMARK
from mpipp.common.lazy_dataclass import dataclass
from mpipp.model import Call, Comm, Object, Site, ThreadCall
from mpipp.render.phrases import Phrase, Value, Varies

if TYPE_CHECKING:
    from mpipp.analysis.findings.rma_timeline import Lifelines


class Evidence(NamedTuple):
    """The call or object that a party stands for, for pictures of it."""

    call: Call | None = None
    comm: Comm | None = None  # communicator of a completed call, freed or not
    made: Object | None = None
    # The argument whose buffer has the element concerned, and the element's offset in it, in bytes.
    role: str = ""
    displacement: int = 0


@dataclass(frozen=True)
class Party:
    """A call or an object that a finding is about."""

    process: int  # its number among the checked processes
    subject: Phrase  # "MPI_Irecv(source = 0, tag = 1, ...)", or "MPI_Datatype VECTOR[3, 2, 4]"
    place_label: str  # the words before its place: "called at", "made at"
    site: Site
    tid: int | None = None  # thread, if the call is active
    details: tuple[Phrase, ...] = ()  # its part in the finding, one line each: element addresses
    evidence: Evidence = field(default=Evidence(), compare=False, repr=False)
    start: ThreadCall | None = None  # the call that started a persistent operation
    is_wrong: bool = True  # False: its place is not that of the error, but of an earlier call

    @property
    def starting(self) -> Party | None:
        """The call that started the operation, as a party; None if it is unknown."""
        if self.start is None:
            return None
        how = f"started by {self.start.procedure} at"
        subject = Phrase.of("{procedure}", procedure=self.start.procedure)
        return Party(self.process, subject, how, self.start.site)

    @property
    def text(self) -> str:
        """The subject as text."""
        return self.subject.text

    def with_details(self, *details: Phrase) -> Party:
        """Return a copy with more details."""
        return replace(self, details=(*self.details, *details))

    def key(self, varies: Varies) -> object:
        """Return the key of equal parties of several findings, without process and place."""
        details = (one for one in self.details if not one.is_left_out(varies))
        return self.subject.key(varies), tuple(one.key(varies) for one in details)


@dataclass(frozen=True)
class Finding:
    """One error: the violated rule, and the calls or objects that violate it."""

    rule: Rule
    what: Phrase  # one sentence without its full stop
    parties: tuple[Party, ...]
    sentence: Phrase  # the sentence of the rule
    advice: Phrase
    standard: Version = None  # version of the library in the first party's process
    error_class: str = ""  # as in the rule
    follows: Phrase | None = None  # `what` of the finding that may be the cause of this one
    lifelines: Lifelines | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, rule: str, parties: Sequence[Party], case: str = "", /, **facts: Value) -> Finding:
        """Return a finding of the rule with this id.

        Args:
            case: selects one of the rule's sentences, if it has several.
            facts: those of the sentence, the demand and the advice (`render/phrases.py`).

        Raises KeyError for an unknown rule, case or fact.
        """
        broken = RULES[rule]
        what = Phrase.of(template(rule, case), **facts)
        sentence, advice, error_class = (
            what.reworded(words) for words in (broken.sentence, broken.advice, broken.error_class)
        )
        return cls(broken, what, tuple(parties), sentence, advice, error_class=error_class.text)

    @property
    def placed(self) -> Iterator[Party]:
        """The parties, each followed by the call that started its operation."""
        for party in self.parties:
            yield party
            if (starting := party.starting) is not None:
                yield starting

    @property
    def severity(self) -> str:
        """The rule's severity; REMARK if another finding is the cause, which is the error."""
        return self.rule.severity if self.follows is None else REMARK

    @property
    def pointing(self) -> Sequence[Party]:
        """The calls, or objects without a call. If all parties have the same place, the error is
        there."""
        wrong = [party for party in self.parties if party.is_wrong]
        return [party for party in wrong if party.place_label == "called at"] or wrong

    @property
    def demanded(self) -> str:
        """The standard's demand, with its section: "MPI-4.1, section 3.7.2: ..."."""
        return f"{cited(self.rule.section, self.standard)}: {self.sentence}"

    def key(self, varies: Varies) -> object:
        """Return the key of findings of one error, without processes and places."""
        follows = self.follows.key(varies) if self.follows is not None else None
        phrases = (self.what, self.sentence, self.advice)
        parties = tuple(party.key(varies) for party in self.parties)
        return self.rule.id, tuple(one.key(varies) for one in phrases), follows, parties

    def with_detail(self, detail: Phrase) -> Finding:
        """Return a copy with a further detail of its last party."""
        *before, last = self.parties
        return replace(self, parties=(*before, last.with_details(detail)))


def merged(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield the first of several findings about the same calls, as a loop makes them."""
    equal: dict[object, list[Finding]] = {}
    for one in findings:
        places = tuple((party.process, party.place_label, party.site) for party in one.placed)
        known = all(party.site.address for party in one.parties)
        key = one.rule.id, one.what.key(Varies.CALLS), places
        equal.setdefault(key if known else id(one), []).append(one)
    for first, *others in equal.values():
        yield with_repeat_count(first, len(others))


def with_repeat_count(finding: Finding, count: int) -> Finding:
    """Return the finding with a note that it stands for `count` others."""
    if count == 0:
        return finding
    places = "the same place" if len(finding.parties) == 1 else "the same places"
    others = "and {others} others at {place}" if count > 1 else "and {others} other at {place}"
    detail = Phrase.of(others, others=count, place=places)
    return finding.with_detail(replace(detail, varies=Varies.RANKS))


Findings = Iterator[Finding]
