# SPDX-License-Identifier: MIT
"""Fingerprints detect any deviation of one process in an argument that must agree.

The table of procedures lists these arguments. With a deviation, the sums are not zero. Datatypes
are tested in test_fingerprints.py.
"""

from __future__ import annotations

from typing import Any

import pytest

from mpipp.analysis.collectives import completed
from mpipp.analysis.context.world import World
from mpipp.model import Buffer, Call
from mpipp.model.procedures import PROCEDURES, BufferArguments, Procedure
from tests.short import sizes
from tests.unit.distributed.test_fingerprints import Neighbor, loops, vanish
from tests.unit.distributed.test_fingerprints_intercomm import Across
from tests.unit.ledgers import (
    IN_PLACE,
    OPS,
    Ended,
    buffer,
    call,
    in_place,
    processes,
    shared,
)
from tests.unit.samples import INT

SEQUENCES = {"comm": "collectives", "win": "window calls", "file": "file calls"}
RULES = {"procedure": "collective-mismatch", "MPI_IN_PLACE": "in-place-differs"}
RULES |= {"root": "root-mismatch", "op": "op-mismatch"}
FORM = "collective-form-mismatch"
GROUP, NOPRECEDE = 1 << 24, 1
# A right and a wrong value, by the way in which an argument must agree.
VALUES = {"predefined": (OPS["MPI_SUM"], OPS["MPI_MAX"]), "extent": (4, 8), "bits": (0, NOPRECEDE)}
ARRAYS = ("dims", "periods", "index", "edges", "datarep")
WEIGHTS = {  # operations with weights: the argument, and the number of edges
    "MPI_Dist_graph_create": ("weights", "degrees"),
    "MPI_Dist_graph_create_adjacent": ("sourceweights", "indegree"),
}


def names() -> dict[str, dict[str, Procedure]]:
    """The operations whose calls are compared, with their forms. Calls that free are left out."""
    found: dict[str, dict[str, Procedure]] = {}
    for one in PROCEDURES.values():
        if one.over in SEQUENCES and one.takes and not one.large:
            found.setdefault(one.operation, {})[one.form] = one
    return found


NAMES = names()


def first(operation: str) -> Procedure:
    return next(iter(NAMES[operation].values()))


def kinds(operation: str) -> list[str]:
    """The possible deviations of one process from the others."""
    one = first(operation)
    forms = [form for form in NAMES[operation] if form != one.form]
    places = ["MPI_IN_PLACE"] * (one.in_place is not None and one.in_place.where == "all")
    return ["procedure", *forms, *places, *one.agree]


def called(operation: str, rank: int, wrong: str) -> Procedure:
    """The procedure that a rank calls. Odd ranks call the large-count form."""
    if wrong == "procedure":  # the operation before it in the table, on the same kind of object
        over = [name for name in NAMES if first(name).over == first(operation).over]
        operation = over[over.index(operation) - 1]
    one = NAMES[operation].get(wrong, first(operation))
    return PROCEDURES.get(f"{one.name}_c", one) if rank % 2 else one


def given(one: Procedure, of: BufferArguments, size: int, wrong: str) -> Buffer:
    """A buffer with an integer for each peer."""
    if wrong == "MPI_IN_PLACE" and one.in_place is not None and one.in_place.role == of.role:
        return in_place(of.role)
    peers = 2 if one.among_neighbors else size
    if of.times == "each":
        return shared(of.role, *[(1, INT)] * peers)
    if of.times == "sum":
        return buffer(of.role, size, INT)
    return buffer(of.role, 1, INT, peers if of.times in ("peers", "sources", "targets") else 1)


def arguments(one: Procedure, size: int, wrong: str) -> dict[str, Any]:
    """The other arguments, which must be equal in all processes."""
    fields: dict[str, Any] = {"counts": (1,) * size} if one.signatures == "vector" else {}
    others: dict[str, Any] = {}
    for name, how in one.agree.items():
        value: Any = VALUES.get(how, (0, 1))[name == wrong]
        if how == "weights":
            weights, number = WEIGHTS[one.name]
            others |= {weights: None if name == wrong else 1, number: 1}
        elif how == "members":
            others["members"] = GROUP * (1 + value) + size
        elif name in ("root", "op"):
            fields[name] = value
        else:
            others[name] = (value,) if name in ARRAYS else value
    return {**fields, "arguments": others}


def calling(operation: str, rank: int, size: int, wrong: str = "") -> Call:
    one = called(operation, rank, wrong)
    has_root = {"from root": "sendbuf", "to root": "recvbuf"}.get(one.flow)
    others = arguments(one, size, wrong)
    buffers = [
        given(one, of, size, wrong)
        for of in one.buffers
        if of.role != has_root or others.get("root") == rank
    ]
    return call(one.name, *buffers, **others)


def ended(operation: str, rank: int, size: int, wrong: str = "") -> Ended:
    """A process in whose loop one call may be wrong."""
    one = first(operation)
    is_between = "side" in one.agree.values()
    constants = {"MPI_IN_PLACE": IN_PLACE, "MPI_MODE_NOPRECEDE": NOPRECEDE}
    made = Across(rank, size) if is_between else Neighbor(rank, size, topology="ring")
    made.constants |= constants
    other = calling(operation, rank, size, wrong) if wrong else None
    runs = loops(calling(operation, rank, size), other)
    at = -1 if one.over == "comm" else 3  # the call that created the window or file
    return made.joins(*runs, sequence=SEQUENCES[one.over], made=at)


@pytest.mark.parametrize("operation", NAMES)
def test_each_disagreement(operation: str) -> None:
    for size in sizes():
        right = [ended(operation, rank, size) for rank in range(size)]
        assert list(completed.check(World(processes(right)))) == []
        assert vanish(right)
        for kind in kinds(operation):
            is_form = kind in NAMES[operation]
            for rank in range(size):
                wrong = [*right]
                wrong[rank] = ended(operation, rank, size, kind)
                found = [one.rule.id for one in completed.check(World(processes(wrong)))]
                if first(operation).agree.get(kind) == "side" and (rank == 0 or size == 2):
                    assert found == []  # the process is alone in its group
                    continue
                (rule,) = found
                assert rule == (FORM if is_form else RULES.get(kind, rule)), (size, kind, rank)
                assert kind in RULES or is_form or rule.endswith("-differs"), (size, kind, rank)
                assert not vanish(wrong), (size, kind, rank)


def test_what_is_left_out() -> None:
    """Calls that free, and that create communicators from groups: errors there show as
    a deadlock."""
    collective = {one.operation for one in PROCEDURES.values() if one.over}
    creations = {"Comm_create_group", "Comm_create_from_group"}
    creations |= {"Intercomm_create", "Intercomm_create_from_groups"}
    frees = {"Comm_disconnect", "Comm_free", "File_close", "Win_free"}
    assert collective - set(NAMES) == creations | frees
