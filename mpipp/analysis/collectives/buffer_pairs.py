# SPDX-License-Identifier: MIT
"""The buffers of a collective operation's calls that must have the same type signature.

The rules are in MPI-4.1, sections 6.2.2, 6.2.3, 6.4 to 6.12 and 8.6, at each procedure. Here they
are in the table of procedures (wrapper/generator/agreement.py).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from mpipp.analysis.context import signature_check, topology_neighbors
from mpipp.analysis.context.collective_call import CollectiveCall, Pairs
from mpipp.analysis.context.signature_check import Meeting
from mpipp.analysis.findings.finding import Finding, Findings
from mpipp.common.errors import MpippError

MOST_PAIRS = 100_000  # pairs of buffers of one operation

_ITSELF = Meeting(True, ("sends itself", "receives"), "collective", by="a process")
_Calls = Sequence[CollectiveCall]


def check(joined: _Calls) -> Findings:
    """Yield the first two buffers of an operation that should match and do not.

    The buffers belong to one process or two. Raises MpippError if there are too many buffers to
    compare.
    """
    by_itself = next((found for found in map(self_mismatch, joined) if found is not None), None)
    if by_itself is not None:
        yield by_itself
        return
    meeting = _meeting(joined)
    for number, (sent, received) in enumerate(_pairs(joined)):
        if number == MOST_PAIRS:
            procedure = joined[0].operation.call.procedure
            raise MpippError(f"only {number} pairs of buffers of {procedure} were compared")
        if sent is not None and received is not None:
            finding: Finding | None = signature_check.compare(sent, received, meeting)
            if finding is not None:
                yield finding
                return


def self_mismatch(joined: CollectiveCall) -> Finding | None:
    """Return the mismatch between a process's own data in one call; None if there is none."""
    for sent, received in () if joined.member.comm.inter else _pairs([joined]):
        if sent is not None and received is not None:
            finding = signature_check.compare(sent, received, _ITSELF)
            if finding is not None:
                return finding
    return None


def _meeting(joined: _Calls) -> Meeting:
    facts, inter = joined[0].operation.call.facts, joined[0].member.comm.inter
    if facts.reduces:
        return signature_check.REDUCTION
    if len(facts.buffers) == 1 and not inter and not any(one.is_root for one in joined):
        return signature_check.RECEPTION
    return signature_check.COLLECTIVE


def _pairs(joined: _Calls) -> Pairs:
    # Pairs of sent and received data, or of reduced data from two processes.
    facts, inter = joined[0].operation.call.facts, joined[0].member.comm.inter
    if not facts.signatures:
        return iter(())
    if facts.flow == "edges":
        return topology_neighbors.pairs(joined)
    if facts.reduces and not (inter and "root" in facts.agree):
        return ((joined[0].sent(0), one.sent(0)) for one in joined[1:])
    pairs = ((one.sent(other.rank), other.received(one.rank)) for one, other in _transfers(joined))
    return ((result, reduced) for reduced, result in pairs) if facts.reduces else pairs


def _transfers(joined: _Calls) -> Iterator[tuple[CollectiveCall, CollectiveCall]]:
    # Pairs of a sender and a receiver.
    facts = joined[0].operation.call.facts
    if joined[0].member.comm.inter:
        ours, theirs = _groups(joined)
        for senders, receivers in (ours, theirs), (theirs, ours):
            if facts.flow == "from root":
                senders, receivers = _roots(senders), [one for one in receivers if not one.root]
            elif facts.flow == "to root":
                senders, receivers = [one for one in senders if not one.root], _roots(receivers)
            yield from itertools.product(senders, receivers)
    elif facts.flow == "to root":
        yield from itertools.product(joined, _roots(joined))
    elif facts.flow == "from root" and len(facts.buffers) > 1:
        yield from itertools.product(_roots(joined), joined)
    elif facts.flow == "from root":  # without the root's call, the other receivers are compared
        root = (_roots(joined) or joined)[0]
        yield from ((root, one) for one in joined if one is not root)
    elif facts.signatures == "equal" and not facts.buffers[0].times:
        yield from ((one, joined[0]) for one in joined)
        yield from ((joined[0], one) for one in joined[1:])
    else:
        yield from itertools.product(joined, joined)


def _roots(joined: _Calls) -> _Calls:
    return [one for one in joined if one.is_root][:1]


def _groups(joined: _Calls) -> tuple[_Calls, _Calls]:
    # The calls in the first call's group, and the others; none if groups are unknown.
    ranks = joined[0].member.comm.world_ranks
    if ranks is None or any(one.member.comm.world_ranks is None for one in joined):
        return [], []
    same = [one for one in joined if list(one.member.comm.world_ranks or ()) == list(ranks)]
    return same, [one for one in joined if one not in same]
