# SPDX-License-Identifier: MIT
"""Findings as text and as JSON; findings that differ only by rank are combined.

Runs, reports, gdb, and the merged findings of several nodes use this module for all output.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Optional

from mpipp.analysis.findings.finding import Finding, Party
from mpipp.common.lazy_dataclass import dataclass
from mpipp.model import Call
from mpipp.render import header_calls
from mpipp.render.phrases import Phrase, Varies
from mpipp.symbolizer.source_frames import Frame

Where = Callable[[Party], Sequence[str]]  # source lines, innermost first; [] if they are unknown
Frames = Callable[[Party], Sequence[Frame]]  # the same lines as frames
# The words for processes by number: "rank 0 (inferior 1)", "ranks 0 to 3 (inferiors 1 to 4)". "" if
# only one process is checked.
Label = Callable[..., str]
Rank = Callable[[int], Optional[int]]  # of a process in MPI_COMM_WORLD; None: it has none


@dataclass
class Folded:
    """A finding that stands for equal ones of other ranks."""

    finding: Finding
    processes: list[tuple[int, ...]]  # for each of these findings, the processes of its parties
    differ: bool  # whether the combined findings differ in their facts


def folded(findings: Iterable[Finding], where: Where) -> list[Folded]:
    """Combine findings that differ only by rank, in the order of the first."""
    result: list[Folded] = []
    known: dict[object, list[Folded]] = {}
    for finding in findings:
        processes = tuple(party.process for party in finding.parties)
        key = folding_key(finding, where)
        # Two findings of the same processes are not combined.
        groups = known.setdefault(key, [])
        free = [one for one in groups if processes not in one.processes]
        group = min(free, key=lambda one: facts(one.finding) != facts(finding), default=None)
        if group is None:
            groups.append(Folded(finding, [processes], False))
            result.append(groups[-1])
        else:
            group.processes.append(processes)
            group.differ = group.differ or facts(group.finding) != facts(finding)
    return result


def folding_key(finding: Finding, where: Where) -> object:
    """Return a key, equal for combined findings; its `repr` is the same in every process."""
    numbers = [party.process for party in finding.parties]
    places = tuple(
        (numbers.index(p.process), p.place_label, tuple(where(p))) for p in finding.placed
    )
    return finding.key(Varies.LOOKS), places


def facts(finding: Finding) -> object:
    """Return everything that is shown of a finding, except its processes and places."""
    texts = (line.text for party in finding.parties for line in (party.subject, *party.details))
    return finding.what.text, finding.demanded, finding.advice.text, finding.follows, *texts


class Line(NamedTuple):
    """A line of a finding's text; `place`: the source line that it names, else ""."""

    text: str
    place: str = ""


def lines(record: Mapping[str, Any]) -> Iterator[Line]:
    """Yield a finding's record as text."""
    yield Line(f"{record['severity']}: {record['what']}")
    for party in record["parties"]:
        name = party["process"]
        yield Line(f"  {name}{': ' if name else ''}{party['text']}")
        for number, place in enumerate(party["where"]):
            yield Line(f"    {party['made'] if not number else 'from'} {place}", place)
        yield from _started(party["started"])
        yield from (Line(f"    {detail}") for detail in party["details"])
    if record["shown_as"]:
        yield Line(f"  shown as in {record['shown_as']}")
    if record["follows"]:
        yield Line(f"  may follow from: {record['follows']}")
    yield Line(f"  rule: {record['rule']}")
    yield Line(f"  to do: {record['advice']}")
    if record["must"]:
        yield Line(f"  MUST: {record['must']}")


def _started(by: Mapping[str, Any] | None) -> Iterator[Line]:
    for number, place in enumerate(by["where"] if by else ()):
        how = f"started by {by['procedure']} at" if by and not number else "from"
        yield Line(f"    {how} {place}", place)


def started(party: Party, where: Where) -> dict[str, Any] | None:
    """Return the call that started a party's operation, as data; None if there is none."""
    starting = party.starting
    if starting is None:
        return None
    return {"procedure": starting.text, "where": list(where(starting))}


def record(
    one: Finding | Folded,
    where: Where,
    label: Label,
    rank: Rank = lambda process: None,
    frames: Frames = lambda party: (),
) -> dict[str, Any]:
    """Return a finding as data; docs/reference/json.md has the schema."""
    if isinstance(one, Finding):
        one = Folded(one, [tuple(party.process for party in one.parties)], False)
    finding = one.finding
    parties = [
        _party(party, sorted({of[number] for of in one.processes}), where, label, rank)
        for number, party in enumerate(finding.parties)
    ]
    found = {
        "check": finding.rule.check,
        "id": finding.rule.id,
        "severity": finding.severity,
        "what": finding.what.text,
        "facts": finding.what.json(),
        "point": _point(finding, frames),
        "parties": parties,
        "shown_as": label(*sorted(set(one.processes[0]))) if one.differ else "",
        "rule": finding.demanded,
        "advice": finding.advice.text,
        "must": finding.rule.must,
        "follows": finding.follows.text if finding.follows is not None else "",
        "fingerprint": fingerprint(finding, where),
    }
    return {**found, **shown(lines(found))}


def _point(finding: Finding, frames: Frames) -> dict[str, Any] | None:
    # The common source line of all calls of the finding; None if they have several.
    sources = ([(frame.path, frame.line) for frame in frames(p)] for p in finding.pointing)
    places = {header_calls.own(lines) for lines in sources}
    place = places.pop() if len(places) == 1 else None
    return None if place is None else {"path": place[0], "line": place[1]}


def shown(lines: Iterable[Line]) -> dict[str, Any]:
    """Return the text of a finding, for its record."""
    known = list(lines)
    return {
        "text": "\n".join(line.text for line in known),
        "lines": [line._asdict() for line in known],
    }


def identity(finding: Finding, where: Where, label: Label = lambda *numbers: "") -> object:
    """Return a key that is equal for the same error at another time, with any order of parties."""
    parties = sorted((label(p.process), tuple(where(p))) for p in finding.parties)
    return finding.rule.id, finding.what.template, _names(finding.what), tuple(parties)


def _names(phrase: Phrase) -> tuple[str, ...]:
    # The facts that are equal in each check of the same calls. Either call may come first, so they
    # are sorted.
    return tuple(sorted(repr(value) for value in phrase.values(Varies.LOOKS)))


def fingerprint(finding: Finding, where: Where, label: Label = lambda *numbers: "") -> str:
    """Return a key of a finding as 32 hex digits, equal in every process, like `identity`."""
    # Loading the module is slow.
    import hashlib

    return hashlib.sha256(repr(identity(finding, where, label)).encode()).hexdigest()[:32]


def _party(
    party: Party, processes: Sequence[int], where: Where, label: Label, rank: Rank
) -> dict[str, Any]:
    call = party.evidence.call if party.place_label == "called at" else None
    ranks = [rank(process) for process in processes]
    return {
        "process": label(*processes),
        "ranks": ranks if None not in ranks else [],
        "text": party.text,
        "facts": [fact for one in (party.subject, *party.details) for fact in one.json()],
        "procedure": call.procedure if call is not None else "",
        "arguments": matched(call) if call is not None else {},
        "made": party.place_label,
        "where": list(where(party)),
        "started": started(party, where),
        "details": [detail.text for detail in party.details],
    }


def matched(call: Call) -> dict[str, int]:
    """Return the arguments of a call that decide its matching with other calls, as integers."""
    names = "dest", "source", "tag", "root"
    return {name: value for name in names if (value := getattr(call, name)) is not None}
