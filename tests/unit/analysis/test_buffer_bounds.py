# SPDX-License-Identifier: MIT
"""Buffers that extend beyond the object in which they begin."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mpipp.analysis.context.buffer_accesses import Access
from mpipp.analysis.program_objects import buffer_bounds
from mpipp.analysis.program_objects.buffer_bounds import Owner
from mpipp.model import Buffer, Share
from mpipp.program_types.types import Record, Scalar
from mpipp.typetree import Datatype
from tests.unit.jobs import Recorded, job
from tests.unit.ledgers import buffer, call, record
from tests.unit.samples import DOUBLE, INT, struct, vector

LOW = 0x1000
PAIR = struct((1, 0, DOUBLE), (1, 8, INT))  # a double and, 8 bytes on, an int
COLUMN = vector(4, 1, 2, DOUBLE)
STRUCT = Record("struct pair", 16, ())


def details(passed: Buffer, owner: Owner) -> list[str] | None:
    """The details of the finding's party; None without a finding."""
    (process,) = job(Recorded(0, 1).inside(call("MPI_Bcast", passed))).processes
    (operation,) = process.operations
    found = buffer_bounds.check(Access(operation, passed), owner, operation.party())
    return None if found is None else [one.text for one in found.parties[0].details]


def at(passed: Buffer, address: int = LOW) -> Buffer:
    """The buffer at an address."""
    return replace(passed, address=address)


def shares(*each: tuple[int, int, Datatype], datatype: Datatype | None) -> Buffer:
    """A buffer of a v or w call; each part is displacement in bytes, count, datatype."""
    parts = tuple(Share(count, displacement, record(tree)) for displacement, count, tree in each)
    one = record(datatype) if datatype is not None else None
    return Buffer("recvbuf", LOW, 0, len(parts), one, 5, frozenset({"writes"}), parts)


@pytest.mark.parametrize(
    ("passed", "size", "is_beyond"),
    [
        (buffer("buf", 4, DOUBLE), 32, False),
        (buffer("buf", 5, DOUBLE), 32, True),
        (buffer("buf", 5, DOUBLE), 39, True),  # a part of the last element
        (buffer("buf", 1, COLUMN), 64, False),
        (buffer("buf", 2, COLUMN), 64, True),
        (buffer("buf", 2, PAIR), 32, False),
        (buffer("buf", 3, PAIR), 32, True),  # the first entry lies within the object
        (buffer("buf", 1, PAIR), 8, False),  # the parts of the buffer may be two variables
        (shares((0, 1, DOUBLE), (64, 1, DOUBLE), datatype=DOUBLE), 32, True),
        (shares((0, 1, DOUBLE), (64, 1, INT), datatype=None), 32, False),  # two objects, as above
        (shares((0, 1, DOUBLE), (24, 2, DOUBLE), datatype=None), 32, True),
    ],
)
def test_what_is_beyond(passed: Buffer, size: int, is_beyond: bool) -> None:
    owner = Owner(LOW, LOW + size, "x")
    assert (details(at(passed), owner) is not None) == is_beyond


def test_a_datatype_that_is_not_larger_than_an_element_describes_one() -> None:
    empty = Owner(LOW, LOW, "v", "container", STRUCT)
    assert details(at(buffer("buf", 1, PAIR)), empty) is not None
    other = empty._replace(unit=Scalar("float", "double", 8))
    assert details(at(buffer("buf", 1, PAIR)), other) is None


def test_details() -> None:
    owner = Owner(LOW, LOW + 64, "u")
    assert details(at(buffer("buf", 2, COLUMN)), owner) == [
        "the first element outside is buf[1](VECTOR)[1][0](DOUBLE), at 0x1048",
        "consecutive entries lie 56 bytes apart, the extent of the datatype: for entries that lie "
        "8 bytes apart, resize it with MPI_Type_create_resized",
    ]
    flag = Owner(LOW, LOW + 1, "ok", unit=Scalar("bool", "bool", 1))
    assert details(at(buffer("buf", 1, INT)), flag) == [
        "the first element outside is buf(INT), at 0x1001",
        "MPI_INT has 4 bytes, bool has 1 byte: MPI_CXX_BOOL fits",
    ]
