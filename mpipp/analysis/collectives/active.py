# SPDX-License-Identifier: MIT
"""Check that the active calls of a collective operation agree (MPI-4.1, section 6.1).

All processes of a communicator call its collective operations in the same order. So calls that have
the same ordinal on a communicator belong to one operation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from mpipp.analysis.collectives import arguments, buffer_pairs, intercomm_roots, user_ops
from mpipp.analysis.context.collective_call import CollectiveCall
from mpipp.analysis.context.process import Operation
from mpipp.analysis.context.world import World
from mpipp.analysis.findings.finding import Finding, Findings
from mpipp.analysis.findings.limits import Limits
from mpipp.common.errors import MpippError
from mpipp.model import Op
from mpipp.render.phrases import Value

_OWN = "one of the program's own"
_OVER = {"win": "window", "file": "file"}


def check(known: World) -> Findings:
    """Yield one finding for each collective operation whose calls differ.

    If different operations have the same ordinal, later calls on the communicator do not match.
    Raises MpippError at the end if an operation was not fully checked.
    """
    parted: set[int] = set()
    limits = Limits()
    for joined in _operations(known):
        identity = joined[0].member.comm.identity
        if identity in parted:
            continue
        if is_parted(joined):
            parted.add(identity)
        with limits.skip_on_error():
            yield from _compared(known, joined)
    limits.raise_reasons()


def compare(joined: Sequence[CollectiveCall]) -> Findings:
    """Yield the first difference between the calls of one operation, errors before warnings.

    Raises MpippError if the operation was not fully checked.
    """
    wrong = list(errors(joined))
    yield from wrong or user_ops.check(joined)


def errors(joined: Sequence[CollectiveCall]) -> Findings:
    """Yield the findings of `compare` without warnings."""
    for different in (_procedures, _forms, _roots, _reductions, _counts, arguments.first):
        finding = different(joined)
        if finding is not None:
            yield finding
            return
    yield from buffer_pairs.check(joined)


def is_parted(joined: Sequence[CollectiveCall]) -> bool:
    """Return whether the calls belong to different operations, so that later calls do not match.

    A split operation on a file has two calls, so it also differs from one that is not split.
    """
    return bool(_different(joined, _plain) or _different(joined, _is_split))


def reported_operations(known: World) -> set[tuple[int, int]]:
    """Return the operations for which `check` reports a finding, by communicator and ordinal."""
    found = set()
    for joined in _operations(known):
        try:
            wrong = bool(_compared(known, joined))
        except MpippError:
            wrong = True
        if wrong:
            found.add(_key(joined))
    return found


def _compared(known: World, joined: Sequence[CollectiveCall]) -> list[Finding]:
    # The findings of `compare`, computed once.
    key = _key(joined)
    if key not in known.compared:
        try:
            known.compared[key] = list(compare(joined))
        except MpippError as error:
            known.compared[key] = error
    found = known.compared[key]
    if isinstance(found, MpippError):
        raise found
    return found


def _key(joined: Sequence[CollectiveCall]) -> tuple[int, int]:
    return joined[0].member.comm.identity, joined[0].operation.call.ordinal or 0


def _operations(known: World) -> Iterator[list[CollectiveCall]]:
    # Operations that several processes have begun, in call order; their calls are sorted by rank.
    found: dict[tuple[int, int], list[CollectiveCall]] = {}
    for process in known.processes:
        for operation in process.operations:
            call = operation.call
            if call.ordinal is None or call.dest is not None or call.source is not None:
                continue
            member = known.member_of(operation)
            if member is None or "collectives" in member.comm.uncertain:
                continue
            one = CollectiveCall(operation, member)
            found.setdefault((member.comm.identity, call.ordinal), []).append(one)
    in_order = sorted(found.items(), key=lambda item: item[0][1])
    return (joined for _, joined in in_order if len(joined) > 1)


def _plain(joined: CollectiveCall) -> str:
    return joined.operation.call.facts.operation


def _is_split(joined: CollectiveCall) -> bool:
    return joined.operation.call.facts.form.startswith("split")


def _parts(joined: CollectiveCall) -> tuple[str, str]:
    # The name of a call's operation, and its form.
    facts = joined.operation.call.facts
    return facts.operation, facts.form


def _different(
    joined: Sequence[CollectiveCall], of: Callable[[CollectiveCall], object]
) -> list[CollectiveCall]:
    # The first two calls that differ; empty if none do.
    return next(([joined[0], one] for one in joined if of(one) != of(joined[0])), [])


def _finding(rule: str, pair: list[CollectiveCall], case: str = "", /, **facts: Value) -> Finding:
    return Finding.of(rule, [one.operation.party() for one in pair], case, **facts)


def _procedures(joined: Sequence[CollectiveCall]) -> Finding | None:
    pair = _different(joined, _plain)
    return meeting([one.operation for one in pair]) if pair else None


def meeting(pair: Sequence[Operation]) -> Finding:
    """Return the finding for two different collective operations on one communicator or object.

    The object is a window or file.
    """
    calls, parties = [one.call for one in pair], [one.party() for one in pair]
    facts: dict[str, Value] = {
        "procedure": calls[0].procedure,
        "other_procedure": calls[1].procedure,
        "noun": _OVER.get(calls[0].facts.over, "communicator"),
    }
    number = next((call.ordinal for call in calls if call.ordinal is not None), None)
    if number is None:  # calls that free an object have no ordinal
        return Finding.of("collective-mismatch", parties, "unnumbered", **facts)
    return Finding.of("collective-mismatch", parties, "numbered", **facts, call_ordinal=number)


def _forms(joined: Sequence[CollectiveCall]) -> Finding | None:
    pair = _different(joined, _parts)
    if not pair:
        return None
    forms = [_parts(one)[1] for one in pair]
    return _finding("collective-form-mismatch", pair, kind=forms[0], other_kind=forms[1])


def _roots(joined: Sequence[CollectiveCall]) -> Finding | None:
    if joined[0].member.comm.inter:
        return intercomm_roots.first(joined)
    pair = _different(joined, lambda one: one.operation.call.root)
    if not pair:
        return None
    roots = [one.operation.call.root for one in pair]
    return _finding("root-mismatch", pair, number=roots[0] or 0, other_number=roots[1] or 0)


def _reductions(joined: Sequence[CollectiveCall]) -> Finding | None:
    # Leaves out calls with MPI_PROC_NULL as root, whose reduction operation is not significant.
    known = [one for one in joined if reduction(one) and one.root != "MPI_PROC_NULL"]
    pair = _different(known, reduction)
    if not pair:
        return None
    names = [reduction(one) for one in pair]
    return _finding("op-mismatch", pair, op=names[0], other_op=names[1])


def reduction(joined: CollectiveCall) -> str:
    """Return the name of a call's reduction operation; "" if it is unknown.

    Operations that the program defined have a common name; `user_ops` compares them.
    """
    if joined.operation.call.own_op is not None:
        return _OWN
    call, registry = joined.operation.call, joined.operation.process.registry
    found = registry.find("op", call.op) if call.op is not None else None
    if not isinstance(found, Op) or found.header.null:
        return ""
    return found.header.name if found.header.predefined else _OWN


def _counts(joined: Sequence[CollectiveCall]) -> Finding | None:
    # The counts of MPI_Reduce_scatter may differ even if their totals are equal.
    known = [one for one in joined if one.operation.call.counts is not None]
    for group in _groups(known):
        pair = _different(group, lambda one: one.operation.call.counts)
        if not pair:
            continue
        first, second = (one.operation.call.counts or () for one in pair)
        rank = next(i for i, both in enumerate(zip(first, second)) if both[0] != both[1])
        counts = {"count": first[rank], "other_count": second[rank]}
        return _finding("recvcounts", pair, index=rank, **counts)
    return None


def _groups(joined: Sequence[CollectiveCall]) -> list[list[CollectiveCall]]:
    # The calls of each group of an intercommunicator, without processes of unknown groups.
    if not joined or not joined[0].member.comm.inter:
        return [list(joined)]
    found: dict[tuple[int, ...], list[CollectiveCall]] = {}
    for one in joined:
        members = one.member.comm.world_ranks
        if members is not None:
            found.setdefault(tuple(members), []).append(one)
    return list(found.values())
