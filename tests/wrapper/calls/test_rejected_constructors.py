# SPDX-License-Identifier: MIT
"""The arguments of a datatype constructor in the error handler, when MPI rejects them."""

from __future__ import annotations

from typing import Any

from mpipp.model import Constructor, DatatypeRecord
from tests import support
from tests.wrapper.watched import watched

EXPECTED: tuple[tuple[str, str, dict[str, Any], str], ...] = (
    ("MPI_Type_vector", "VECTOR", {"count": -1, "blocklength": 2, "stride": 3}, "MPI_INT"),
    (
        "MPI_Type_indexed",
        "INDEXED",
        {"count": 2, "blocklengths": (1, -7), "displacements": (0, 4)},
        "MPI_INT",
    ),
    (
        "MPI_Type_create_struct",
        "STRUCT",
        {"count": 1, "blocklengths": (1,), "displacements": (0,)},
        "MPI_DATATYPE_NULL",
    ),
    ("MPI_Type_create_subarray", "SUBARRAY", {"ndims": 0}, "MPI_INT"),
    ("MPI_Type_commit", "NAMED", {}, "MPI_DATATYPE_NULL"),
    ("MPI_Type_free", "NAMED", {}, "MPI_INT"),
)


# MPICH's library of the standard ABI returns success for such calls.
@support.on_mpi("mpich4", "openmpi4", "mpich5", "openmpi5")
def test_refused(mpi: support.MPI) -> None:
    with watched("rejected_constructors.c", mpi) as (process,):
        seen = []
        while process.next() == "refused":
            (call,) = process.calls()
            assert call.constructor
            now = (call.procedure, *described(call.constructor))
            if now not in seen:  # MPICH 5 may call the handler twice
                seen.append(now)
        assert process.next() is None
        # The libraries differ in the calls that they reject, but each rejects most of them.
        wanted = iter(EXPECTED)
        assert all(one in wanted for one in seen), seen
        assert len(seen) >= 4, seen
        assert process.ended


def described(constructor: Constructor) -> tuple[str, dict[str, object], str]:
    arguments: dict[str, object] = dict(constructor.arguments)
    if constructor.combiner == "SUBARRAY":
        arguments = {"ndims": arguments["ndims"]}
    assert constructor.types
    (record,) = constructor.types
    assert isinstance(record, DatatypeRecord)
    return constructor.combiner, arguments, record.header.name
