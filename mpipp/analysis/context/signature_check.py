# SPDX-License-Identifier: MIT
"""Comparison of the data that one call sends with the data that another one receives.

See MPI-4.1, sections 3.3.1 and 6.2. A call that sends data to its own process is compared with
itself. The comparison is imported late, because most runs compare only fingerprints.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from mpipp.analysis.context.process import Operation
from mpipp.analysis.findings.finding import Finding, Party
from mpipp.common.errors import MpippError
from mpipp.common.lazy_dataclass import dataclass
from mpipp.model import Buffer, DatatypeRecord
from mpipp.render.phrases import Phrase, Value

if TYPE_CHECKING:
    from mpipp.datatypes.signatures.matching import Comparison, Side
    from mpipp.render.signature_mismatch import Entries


@dataclass(frozen=True)
class Data:
    """The data that a call sends or receives: `count` entries of a datatype.

    `role` is the name of the argument that passes the buffer.
    """

    operation: Operation
    role: str
    address: int
    count: int
    datatype: DatatypeRecord
    peer: int | None = None  # the peer of this part (`Operation.peer`); None: the whole buffer
    remote: bool = False  # whether the address is a displacement in a target's window

    @property
    def entries(self) -> Entries:
        """The entries of the buffer, without the call."""
        from mpipp.render.signature_mismatch import Entries

        return Entries(self.role, self.datatype.tree, self.count)


def buffer_data(operation: Operation, buffer: Buffer) -> Data | None:
    """Return the data of a whole buffer; None if it is unknown or invalid."""
    found = _data(operation, buffer, buffer.address, buffer.total_count, buffer.datatype)
    return replace(found, remote=True) if found and "remote" in buffer.access else found


def share(operation: Operation, buffer: Buffer, peer: int) -> Data | None:
    """Return the part of a buffer for one peer; None as in `buffer_data`."""
    if not 0 <= peer < buffer.share_count:
        return None
    try:
        share = buffer.share(peer)
    except MpippError:  # the arrays in the caller's memory are unreadable
        return None
    address = buffer.address + (share.displacement or 0)
    return _data(operation, buffer, address, share.count, share.datatype, peer)


def _data(
    operation: Operation,
    buffer: Buffer,
    address: int,
    count: int,
    datatype: object,
    peer: int | None = None,
) -> Data | None:
    if not isinstance(datatype, DatatypeRecord) or datatype.header.null or count < 0:
        return None
    return Data(operation, buffer.role, address, count, datatype, peer)


class Meeting(NamedTuple):
    """Words and rules for two matching buffers; `exact`: both must have equally many elements."""

    exact: bool
    verbs: tuple[str, str]  # the verbs for the two calls
    rules: str  # beginning of the ids of the rules for types and lengths
    alike: str = ""  # the verb for both, if neither gets the other's data: "reduce"
    differs: str = "the types sent and received do not match"
    by: str = ""  # the procedure, if one call does both: "MPI_Put"

    @property
    def case(self) -> str:
        """The case of the rule's sentence (analysis/rules/type_matching.py); "" for messages."""
        return "both" if self.alike else "itself" if self.by else ""

    @property
    def facts(self) -> dict[str, Value]:
        """The facts for the rule's sentence."""
        verb, other = self.verbs
        verbs = {"verb": self.alike or verb, "other_verb": other}
        return {**verbs, "actor_text": self.by} if self.case else {}


_FIRST = Phrase("at the first element")
MESSAGE = Meeting(False, ("sends", "receives"), "message")
COLLECTIVE = Meeting(True, ("sends", "receives"), "collective")
RECEPTION = Meeting(True, ("receives", "receives"), "collective", "receive")
REDUCTION = Meeting(True, ("reduces", "reduces"), "reduction", "reduce")


def compare(sent: Data, received: Data, meeting: Meeting) -> Finding | None:
    """Return the finding for two matched buffers; None if they are right, or unknown."""
    from mpipp.datatypes.signatures import matching

    try:
        found = matching.compare(sent.entries.signature, received.entries.signature)
    except MpippError:
        return None
    if found.verdict == "match" or (found.verdict == "partial" and not meeting.exact):
        return None
    if found.verdict == "mismatch":
        return _mismatch(found, sent, received, meeting)
    if meeting.exact or meeting.by:
        return _length(found, sent, received, meeting)
    return _truncation(found, sent, received, meeting)


def _mismatch(found: Comparison, sent: Data, received: Data, meeting: Meeting) -> Finding:
    assert found.first is not None and found.second is not None
    kinds = found.first.kind, found.second.kind
    rule = f"{meeting.rules}-types" + ("-byte" if "MPI_BYTE" in kinds else "")
    return Finding.of(
        rule,
        _parties(found, sent, received, meeting),
        meeting.case or "message",
        **meeting.facts,
        clause=meeting.differs,
        where=Phrase.of("after {elements}", elements=found.equal) if found.equal else _FIRST,
        datatype=kinds[0],
        other_datatype=kinds[1],
    )


def _length(found: Comparison, sent: Data, received: Data, meeting: Meeting) -> Finding:
    case = meeting.case or ("longer" if found.verdict == "longer" else "shorter")
    if case == "itself" and found.verdict == "partial":
        case = "itself-less"
    parties, lengths = _parties(found, sent, received, meeting), _lengths(sent, received)
    return Finding.of(f"{meeting.rules}-length", parties, case, **meeting.facts, **lengths)


def _truncation(found: Comparison, sent: Data, received: Data, meeting: Meeting) -> Finding:
    parties = _parties(found, sent, received, meeting)
    return Finding.of("truncation", parties, **_lengths(sent, received))


def _lengths(sent: Data, received: Data) -> dict[str, Value]:
    count, other = (data.entries.signature.elements for data in (sent, received))
    return {"elements": count, "count": count, "other_count": other}


def _parties(found: Comparison, sent: Data, received: Data, meeting: Meeting) -> tuple[Party, ...]:
    sides = found.first, found.second
    rows = zip((sent, received), sides, meeting.verbs)
    parties = tuple(_party(data, side, verb) for data, side, verb in rows)
    if sent.operation is not received.operation:
        return parties
    shown = parties[1] if sent.remote else parties[0]
    return (replace(shown, details=parties[0].details + parties[1].details),)


def _party(data: Data, side: Side | None, verb: str) -> Party:
    if side is None:
        return data.operation.party()
    from mpipp.render import signature_mismatch

    place = signature_mismatch.place(data.entries, side)
    template = "{verb} {datatype}: {element}"
    facts: dict[str, Value] = {"verb": verb, "datatype": side.kind, "element": place.text}
    if data.peer is not None:
        template += " of {peer}"
        facts["peer"] = data.operation.peer(data.peer)
    # The address of a completed call's buffer is unknown.
    if not (data.remote or data.operation.call.state == "over"):
        template += ", at {address}"
        facts["address"] = data.address + place.displacement
    party = data.operation.party(Phrase.of(template, **facts))
    if data.peer is not None or data.remote:
        return party
    evidence = party.evidence._replace(role=data.role, displacement=place.displacement)
    return replace(party, evidence=evidence)
