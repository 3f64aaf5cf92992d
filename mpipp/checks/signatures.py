# SPDX-License-Identifier: MIT
"""Is what one call sends what another receives? (MPI-4.1, sections 3.3.1 and 6.2)

Both may be one call, which moves something by itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from mpipp.checks.finding import Finding, Party
from mpipp.checks.process import Operation
from mpipp.datatypes.signatures import matching
from mpipp.datatypes.signatures.matching import Comparison, Side
from mpipp.errors import MpippError
from mpipp.model import Buffer, DatatypeRecord
from mpipp.show import match
from mpipp.show.match import Entries


@dataclass(frozen=True)
class Data:
    """What a call sends or receives: `count` entries of a datatype, as its argument `role` says."""

    operation: Operation
    role: str
    address: int
    count: int
    datatype: DatatypeRecord
    of: str = ""  # whose share it is: " of rank 3", " of neighbor 1"
    remote: bool = False  # the address is a displacement in a target's window

    @property
    def entries(self) -> Entries:
        """The same without the call."""
        return Entries(self.role, self.datatype.tree, self.count)


def whole(operation: Operation, buffer: Buffer) -> Data | None:
    """All of a buffer; None where that is not known, or senseless."""
    found = _data(operation, buffer, buffer.address, buffer.total_count, buffer.datatype)
    return replace(found, remote=True) if found and "remote" in buffer.access else found


def share(operation: Operation, buffer: Buffer, peer: int) -> Data | None:
    """What a buffer has for one peer; None as in `whole`."""
    if not 0 <= peer < buffer.share_count:
        return None
    try:
        share = buffer.share(peer)
    except MpippError:  # arrays of the caller that cannot be read
        return None
    address = buffer.address + (share.displacement or 0)
    return _data(
        operation, buffer, address, share.count, share.datatype, f" of {operation.peer(peer)}"
    )


def _data(
    operation: Operation,
    buffer: Buffer,
    address: int,
    count: int,
    datatype: object,
    of: str = "",
) -> Data | None:
    if not isinstance(datatype, DatatypeRecord) or datatype.header.null or count < 0:
        return None
    return Data(operation, buffer.role, address, count, datatype, of)


class Meeting(NamedTuple):
    """How two buffers meet; `exact`: neither may have fewer elements than the other."""

    exact: bool
    verbs: tuple[str, str]  # what the two calls do
    rules: str  # the first word of those for types and lengths
    alike: str = ""  # what both do, where neither gets what the other has: "reduce"
    differs: str = "what is sent does not match what is received"
    by: str = ""  # who does both, if it is one: "MPI_Put"


MESSAGE = Meeting(False, ("sends", "receives"), "message")
COLLECTIVE = Meeting(True, ("sends", "receives"), "collective")
RECEPTION = Meeting(True, ("receives", "receives"), "collective", "receive")
REDUCTION = Meeting(True, ("reduces", "reduces"), "reduction", "reduce")


def compare(sent: Data, received: Data, meeting: Meeting) -> Finding | None:
    """What is wrong where two buffers meet; None if nothing is, or it cannot be known."""
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
    after = f"after {_elements(found.equal)}" if found.equal else "at the first element"
    if meeting.alike:
        what = f"the processes {meeting.alike} different types, {after}: {kinds[0]} and {kinds[1]}"
    elif meeting.by:
        does, too = meeting.verbs
        what = f"what {meeting.by} {does} does not match what it {too}, {after}: "
        what += f"{kinds[0]} and {kinds[1]}"
    else:
        what = f"{meeting.differs}, {after}: {kinds[0]} is sent, {kinds[1]} received"
    rule = f"{meeting.rules}-types" + ("-byte" if "MPI_BYTE" in kinds else "")
    return Finding.of(rule, what, _parties(found, sent, received, meeting))


def _length(found: Comparison, sent: Data, received: Data, meeting: Meeting) -> Finding:
    lengths = [data.entries.signature.elements for data in (sent, received)]
    if meeting.alike:
        what = f"the processes {meeting.alike} different numbers of elements: "
        what += f"{lengths[0]} and {lengths[1]}"
    elif meeting.by:
        only = ("only ", "") if found.verdict == "partial" else ("", "only ")
        (does, too), number = meeting.verbs, _elements(lengths[0])
        what = f"{meeting.by} {does} {only[0]}{number}, but {too} {only[1]}{lengths[1]}"
    elif found.verdict == "longer":
        what = f"{_elements(lengths[0])} sent, but only {lengths[1]} received"
    else:
        what = f"only {_elements(lengths[0])} sent, but {lengths[1]} received"
    parties = _parties(found, sent, received, meeting)
    return Finding.of(f"{meeting.rules}-length", what, parties)


def _truncation(found: Comparison, sent: Data, received: Data, meeting: Meeting) -> Finding:
    lengths = [data.entries.signature.elements for data in (sent, received)]
    return Finding.of(
        "truncation",
        f"{_elements(lengths[0])} sent, but only {lengths[1]} received: "
        "the message is truncated (MPI_ERR_TRUNCATE)",
        _parties(found, sent, received, meeting),
    )


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
    place = match.place(data.entries, side)
    element = f"{place.text}{data.of}"
    # Where the buffer of a call that is over was is not kept.
    elsewhere = data.remote or data.operation.call.state == "over"
    where = "" if elsewhere else f", at {data.address + place.displacement:#x}"
    party = data.operation.party(f"{verb} {side.kind}: {element}{where}")
    if data.of or data.remote:
        return party
    evidence = party.evidence._replace(role=data.role, displacement=place.displacement)
    return replace(party, evidence=evidence)


def _elements(number: int) -> str:
    return f"{number} element{'' if number == 1 else 's'}"
