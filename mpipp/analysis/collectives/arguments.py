# SPDX-License-Identifier: MIT
"""Check that arguments agree which must be equal in all processes of a collective operation.

The table of procedures lists these arguments and their relations (wrapper/generator/agreement.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Union

from mpipp.analysis.context import group_members
from mpipp.analysis.context.collective_call import CollectiveCall
from mpipp.analysis.findings.finding import Finding
from mpipp.analysis.rules import collectives
from mpipp.model import Call
from mpipp.model.procedures import LOGICAL
from mpipp.render.object_structs import MODES, flags

# An integer, integers, or None if the argument is unknown or was not passed.
Given = Union[int, tuple[int, ...], None]


def first(joined: Sequence[CollectiveCall]) -> Finding | None:
    """Return the first disagreement of two calls, or None."""
    return _in_place(joined) or _arguments(joined)


def _in_place(joined: Sequence[CollectiveCall]) -> Finding | None:
    # For some operations all processes must pass MPI_IN_PLACE if one does.
    allowed = joined[0].operation.call.facts.in_place
    if allowed is None or allowed.where != "all" or joined[0].member.comm.inter:
        return None
    given = [one for one in joined if one.gives_in_place(allowed.role)]
    others = [one for one in joined if not one.gives_in_place(allowed.role)]
    if not given or not others:
        return None
    pair = given[0], others[0]
    procedure = f"MPI_{given[0].operation.call.facts.operation}"
    parties = [one.operation.party() for one in pair]
    return Finding.of("in-place-differs", parties, procedure=procedure, argument=allowed.role)


def _arguments(joined: Sequence[CollectiveCall]) -> Finding | None:
    # The first disagreement in arguments that only this procedure has.
    for name, how in joined[0].operation.call.facts.agree.items():
        if how == "members":
            pair = _parted(joined)
            if pair:
                return _disagreement(name, how, pair)
            continue
        different = _AGREE.get(how)
        if different is None:
            continue
        known = [one for one in joined if _value(one, name, how) is not None]
        for first in known:
            others = (one for one in known if different(first, one, name, how))
            other = next(others, None)
            if other is not None:
                return _disagreement(name, how, [first, other])
    return None


def _parted(joined: Sequence[CollectiveCall]) -> list[CollectiveCall]:
    # The group arguments must agree within each side of an intercommunicator (MPI-4.1, 7.4.2).
    sides: dict[tuple[int, ...], list[CollectiveCall]] = {}
    for one in joined:
        comm = one.member.comm
        sides.setdefault(tuple(comm.world_ranks or ()) if comm.inter else (), []).append(one)
    return next(filter(None, map(_parted_in, sides.values())), [])


def _parted_in(joined: Sequence[CollectiveCall]) -> list[CollectiveCall]:
    # Returns a member of a group that not all members pass, and a process that passes another
    # group. Disjoint groups are not an error, so all processes of the communicator must be known.
    if len(joined) != joined[0].member.comm.size:
        return []
    given = [group_members.members(one.operation) for one in joined]
    if None in given:
        return []
    for one, value in zip(joined, given):
        others = [other for other, theirs in zip(joined, given) if theirs != value]
        if value and others and len(joined) - len(others) < group_members.count(value):
            ranks = group_members.ranks(one.operation) or ()
            # Prefer a member: processes outside the group may pass any other group.
            named = (other for other in others if _world_rank(other) in ranks)
            return [one, next(named, others[0])]
    return []


def _world_rank(joined: CollectiveCall) -> int | None:
    return joined.operation.process.registry.info.world_rank


def _disagreement(name: str, how: str, pair: list[CollectiveCall]) -> Finding:
    values = ["" if how == "members" else _shown(one, name, how) for one in pair]
    rule = _RULES[pair[0].operation.call.facts.operation]
    details = [group_members.shown(one.operation) if how == "members" else None for one in pair]
    parties = [one.operation.party(*filter(None, [text])) for one, text in zip(pair, details)]
    return Finding.of(
        rule,
        parties,
        "values" if all(values) else "",
        noun=collectives.NOUNS.get(name, name),
        argument=name,
        constant=values[0],
        other_constant=values[1],
        how=collectives.HOW.get(how, collectives.EQUAL),
    )


def _value(joined: CollectiveCall, name: str, how: str) -> Given | str:
    # The argument in the form to compare; None if it is unknown or not significant.
    call = joined.operation.call
    if how == "weights":
        return _weights(call)
    value = call.arguments.get(name)
    if how == "extent" and value == _NO_EXTENT:
        return None
    value = as_meant(name, value)
    around = joined.operation.process.around
    if how == "defined" and value is not None and isinstance(value, int):
        return None if around.constant_name(value, "MPI_UNDEFINED") else value
    return value


def as_meant(name: str, value: Given) -> Given:
    """Return an argument in the form to compare: for logicals only whether they are true.

    See MPI-4.1, section 2.5.4.
    """
    if name not in LOGICAL or value is None:
        return value
    return tuple(int(item != 0) for item in value) if isinstance(value, tuple) else int(value != 0)


def _weights(call: Call) -> str | None:
    # A process without edges need not pass weights.
    for name, number in _WEIGHTS.items():
        edges = call.arguments.get(number)
        edges = sum(edges) if isinstance(edges, tuple) else edges
        if name in call.arguments and edges:
            return "MPI_UNWEIGHTED" if call.arguments[name] is None else "weights"
    return None


def _shown(joined: CollectiveCall, name: str, how: str) -> str:
    value = _value(joined, name, how)
    if value is None:
        return ""
    if isinstance(value, tuple) and name in ("datarep", "stringtag"):
        return bytes(item % 256 for item in value).decode("utf-8", "backslashreplace")
    if isinstance(value, tuple):
        return f"{{{', '.join(map(str, value))}}}" if len(value) <= _MOST_SHOWN else ""
    constants = joined.operation.process.registry.constants
    if isinstance(value, int) and name in _FLAGS:
        named = {flag: constants[flag] for flag in _FLAGS[name] if flag in constants}
        return flags(value, named) or str(value)
    names = (one for one in _NAMED.get(name, ()) if constants.get(one) == value)
    return next(names, str(value))


def _unequal(one: CollectiveCall, other: CollectiveCall, name: str, how: str) -> bool:
    return _value(one, name, how) != _value(other, name, how)


def _unequal_bits(one: CollectiveCall, other: CollectiveCall, name: str, how: str) -> bool:
    values = _value(one, name, how), _value(other, name, how)
    if not isinstance(values[0], int) or not isinstance(values[1], int):
        return False
    constants = one.operation.process.registry.constants
    bits = sum(constants.get(bit, 0) for bit in ("MPI_MODE_NOPRECEDE", "MPI_MODE_NOSUCCEED"))
    return bool((values[0] ^ values[1]) & bits)


def _unequal_on_side(one: CollectiveCall, other: CollectiveCall, name: str, how: str) -> bool:
    groups = [list(side.member.comm.world_ranks or ()) for side in (one, other)]
    return groups[0] == groups[1] and _unequal(one, other, name, how)


_AGREE = {
    "equal": _unequal,
    "defined": _unequal,
    "extent": _unequal,
    "weights": _unequal,
    "side": _unequal_on_side,
    "bits": _unequal_bits,
}
_FLAGS = {"amode": MODES, "assert": ("MPI_MODE_NOPRECEDE", "MPI_MODE_NOSUCCEED")}
_NAMED = {
    "whence": ("MPI_SEEK_SET", "MPI_SEEK_CUR", "MPI_SEEK_END"),
    "split_type": ("MPI_COMM_TYPE_SHARED",),
}
_WEIGHTS = {"weights": "degrees", "sourceweights": "indegree", "destweights": "outdegree"}
_NO_EXTENT = -(1 << 63)
_MOST_SHOWN = 16
_RULES = {
    "Cart_create": "grid-differs",
    "Graph_create": "graph-differs",
    "Dist_graph_create": "distributed-graph-differs",
    "Dist_graph_create_adjacent": "distributed-graph-differs",
    "Comm_create": "group-differs",
    "Comm_create_group": "group-differs",
    "Comm_split_type": "split-type-differs",
    "Intercomm_create": "leader-differs",
    "Intercomm_merge": "high-differs",
    "Win_fence": "fence-differs",
    "File_open": "amode-differs",
    "File_set_size": "file-size-differs",
    "File_preallocate": "preallocation-differs",
    "File_set_view": "view-differs",
    "File_set_atomicity": "atomicity-differs",
    "File_seek_shared": "shared-pointer-differs",
}
