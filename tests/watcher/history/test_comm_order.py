# SPDX-License-Identifier: MIT
"""Collective calls on several communicators, in orders that may deadlock."""

from __future__ import annotations

import re

from tests.support import MPI, on_mpi
from tests.watcher import runs

RULE = """\
  rule: MPI-4.1, section 6.14: the order of collective calls must not let processes wait for each \
other in a cycle, even if every call synchronizes
  to do: call them in the same order in all processes, or use nonblocking collectives"""
CROSSED = f"""\
error: the order of collective calls differs between MPI_COMM_WORLD and communicator "other", \
which is a deadlock if they synchronize
  rank 0: MPI_Bcast(root = 0, comm = "MPI_COMM_WORLD", buffer = 1 MPI_INT)
    called at order.c:LINE in bcast
    collective call number 5 on MPI_COMM_WORLD, before number 1 on communicator "other"
  rank 1: MPI_Bcast(root = 0, comm = "other", buffer = 1 MPI_INT)
    called at order.c:LINE in bcast
    collective call number 1 on communicator "other", before number 5 on MPI_COMM_WORLD
    and 2 others at the same places
{RULE}"""
PAIR = "a communicator of ranks"
RING = f"""\
error: the order of collective calls differs between {PAIR} 0 and 1, {PAIR} 0 and 2 and {PAIR} 1 \
and 2, which is a deadlock if they synchronize
  rank 0: MPI_Bcast(root = 0, comm = {{rank = 0, size = 2, state = "freed"}}, buffer = 1 MPI_INT)
    called at order.c:LINE in bcast
    collective call number 1 on {PAIR} 0 and 1, before number 1 on {PAIR} 0 and 2
  rank 1: MPI_Bcast(root = 0, comm = {{rank = 0, size = 2, world_ranks = {{1, 2}}, \
state = "freed"}}, buffer = 1 MPI_INT)
    called at order.c:LINE in bcast
    collective call number 1 on {PAIR} 1 and 2, before number 1 on {PAIR} 0 and 1
  rank 2: MPI_Bcast(root = 0, comm = {{rank = 0, size = 2, world_ranks = {{2, 0}}, \
state = "freed"}}, buffer = 1 MPI_INT)
    called at order.c:LINE in bcast
    collective call number 1 on {PAIR} 0 and 2, before number 1 on {PAIR} 1 and 2
{RULE}"""

ALIKE = f"""\
error: the order of collective calls differs between the 1st communicator of ranks 0 and 1 and the \
2nd communicator of ranks 0 and 1, which is a deadlock if they synchronize
  rank 0: MPI_Bcast(root = 0, comm = {{rank = 0, size = 2, state = "freed"}}, buffer = 1 MPI_INT)
    called at unnamed_comms.c:13 in main
    collective call number 1 on the 1st communicator of ranks 0 and 1, before number 1 on the 2nd \
communicator of ranks 0 and 1
  rank 1: MPI_Bcast(root = 0, comm = {{rank = 1, size = 2, state = "freed"}}, buffer = 1 MPI_INT)
    called at unnamed_comms.c:13 in main
    collective call number 1 on the 2nd communicator of ranks 0 and 1, before number 1 on the 1st \
communicator of ranks 0 and 1
  rank 0: MPI_Comm #NUMBER, rank = 0, size = 2, state = "freed"
    made at unnamed_comms.c:11 in main
    the 1st communicator of ranks 0 and 1
  rank 0: MPI_Comm #NUMBER, rank = 0, size = 2, state = "freed"
    made at unnamed_comms.c:12 in main
    the 2nd communicator of ranks 0 and 1
{RULE}"""


@on_mpi("mpich4", "openmpi4")
def test_communicators_that_look_alike(mpi: MPI) -> None:
    """The places of creation distinguish the communicators."""
    found = runs.run(mpi, [runs.program("unnamed_comms.c", mpi)], n=2)
    told = [re.sub(r"(Comm #)\d+", r"\1NUMBER", block) for block in found.blocks]
    assert told == [mpi.cited(ALIKE)]


@on_mpi("mpich4", "openmpi4")
def test_wrong_order(mpi: MPI) -> None:
    found = runs.run(mpi, [runs.program("order.c", mpi), "wrong"], n=3)
    told = [re.sub(r"(\.c:)\d+", r"\1LINE", block) for block in found.blocks]
    assert told == [mpi.cited(CROSSED), mpi.cited(RING)]
    assert found.last[0].startswith("mpipp: 2 errors in 3 processes (675 MPI calls checked)")


@on_mpi("mpich4", "openmpi4")
def test_right_order(mpi: MPI) -> None:
    found = runs.run(mpi, [runs.program("order.c", mpi), "right"], n=3)
    assert found.blocks == []
    assert found.last[0].startswith("mpipp: no errors in 3 processes (675 MPI calls checked)")
