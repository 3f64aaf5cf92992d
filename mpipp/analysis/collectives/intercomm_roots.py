# SPDX-License-Identifier: MIT
"""Check that the groups of an intercommunicator name the same root (MPI-4.1, section 6.2.3).

If no root fits two calls, these are wrong, independently of the other calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from mpipp.analysis.context.collective_call import CollectiveCall
from mpipp.analysis.findings.finding import Finding
from mpipp.render.phrases import Value


def first(joined: Sequence[CollectiveCall]) -> Finding | None:
    """Return the finding for the first two calls that no root fits, or None."""
    if joined[0].operation.call.root is None:
        return None
    known = [one for one in joined if _group(one) is not None]
    for pairs in (_naming, _roots, _groups, _named):
        found = next(pairs(known), None)
        if found is not None:
            case, facts, *pair = found
            rule = "root-group-mismatch" if case else "root-mismatch"
            return Finding.of(rule, [one.operation.party() for one in pair], case, **facts)
    return None


# An error as the case of the rule, the facts, and the two calls.
_Found = Iterator["tuple[str, Mapping[str, Value], CollectiveCall, CollectiveCall]"]


def _naming(joined: Sequence[CollectiveCall]) -> _Found:
    # Two calls of one group that name different ranks.
    naming = [one for one in joined if not one.root]
    pair = _beside(naming, naming, lambda one, other: _rank(one) != _rank(other))
    if pair:
        roots = [_rank(one) for one in pair]
        yield "", {"number": roots[0], "other_number": roots[1]}, *pair


def _roots(joined: Sequence[CollectiveCall]) -> _Found:
    roots = [one for one in joined if one.root == "MPI_ROOT"]
    if len(roots) > 1:
        yield "two-roots", {}, roots[0], roots[1]


def _groups(joined: Sequence[CollectiveCall]) -> _Found:
    # Calls that disagree about the group that has the root.
    naming = [one for one in joined if not one.root]
    having = [one for one in joined if one.root]
    for one, other in _across(having):
        names = " and ".join(dict.fromkeys((one.root, other.root)))
        yield "both-groups", {"text": names}, one, other
    for one, other in _across(naming):
        yield "both-ranks", {}, one, other
    pair = _beside(having, naming, lambda one, other: True)
    if pair:
        root = pair[0].root
        yield "one-group", {"constant": root, "number": _rank(pair[1])}, *pair


def _named(joined: Sequence[CollectiveCall]) -> _Found:
    # The root's own call, and a call that names another rank.
    named = next((one for one in joined if not one.root), None)
    if named is None:
        return
    for one in joined:
        if one.root == "MPI_ROOT" and one.rank != _rank(named):
            yield "other-root", {"own_number": one.rank, "number": _rank(named)}, one, named
        if one.root == "MPI_PROC_NULL" and one.rank == _rank(named):
            yield "no-root", {"number": one.rank}, named, one


def _rank(joined: CollectiveCall) -> int:
    root = joined.operation.call.root
    assert root is not None  # checked by `first`
    return root


def _group(joined: CollectiveCall) -> int | None:
    # The group's first process identifies it. None if it is unknown or belongs to another job.
    ranks = joined.member.comm.world_ranks
    return ranks[0] if ranks and ranks[0] >= 0 else None


def _beside(
    some: Sequence[CollectiveCall],
    others: Sequence[CollectiveCall],
    differ: Callable[[CollectiveCall, CollectiveCall], bool],
) -> tuple[CollectiveCall, CollectiveCall] | None:
    # Find a call in `some` and a call in `others` that differ and whose processes belong to one
    # group. Only the first call of each group in `some` is compared.
    of: dict[int | None, CollectiveCall] = {}
    for one in some:
        of.setdefault(_group(one), one)
    pairs = ((of[_group(other)], other) for other in others if _group(other) in of)
    return next((pair for pair in pairs if differ(*pair)), None)


def _across(joined: Sequence[CollectiveCall]) -> Iterator[tuple[CollectiveCall, CollectiveCall]]:
    return ((joined[0], one) for one in joined[1:] if _group(one) != _group(joined[0]))
