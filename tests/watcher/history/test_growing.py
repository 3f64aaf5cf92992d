# SPDX-License-Identifier: MIT
"""mpipp reports a growing number of objects from one place while the program runs."""

from __future__ import annotations

import re

import pytest

from tests.support import MPI, on_mpi
from tests.watcher import runs

GROWS = re.compile(
    r"remark: one place has created 1,\d{3} communicators; their number grows, and none was freed\n"
    r"  rank 0: MPI_Comm #\d+, .*\n    made at growing.c:23 in make\n    \d+ more each second\n"
)


@on_mpi("mpich4", "openmpi4")
def test_it_is_reported_before_a_limit_is_reached(mpi: MPI) -> None:
    program = runs.program("growing.c", mpi)
    first, *leaks = runs.run(mpi, [program, "slowly"], n=1).blocks
    assert GROWS.match(first), first
    assert [one.partition("\n")[0] for one in leaks] == [
        "warning: 1500 communicators are not freed"
    ]
    assert runs.run(mpi, [program, "slowly", "fixed"], n=1).blocks == []
    (leak,) = runs.run(mpi, [program, "slowly", "held"], n=1).blocks
    assert leak.startswith("warning: 1100 communicators are not freed")


@on_mpi("mpich4")
def test_a_death_names_what_there_is(mpi: MPI) -> None:
    """MPICH allows about 2,000 communicators."""
    found = runs.run(mpi, [runs.program("growing.c", mpi), "until it fails"], n=1)
    (ended,) = (one for one in found.blocks if one.startswith("error: a process has "))
    assert re.search(
        r"  rank 0: 2,0\d\d communicators exist\n    made at growing.c:23 in make", ended
    )


KEYS = re.compile(
    r"remark: one place has created 1,\d{3} attribute keys; their number grows, "
    r"and none was freed\n"
    r"  rank 0: the attribute keys\n    made at growing.c:14 in make_key\n"
    r"    \d+ more each second\n"
)


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
def test_keys_of_attributes(mpi: MPI) -> None:
    program = runs.program("growing.c", mpi)
    (block,) = runs.run(mpi, [program, "keys"], n=1).blocks
    assert KEYS.match(block), block
    assert runs.run(mpi, [program, "keys", "fixed"], n=1).blocks == []
