# SPDX-License-Identifier: MIT
"""The counts of single calls: receives with an unknown channel, and persistent collective calls."""

from __future__ import annotations

import pytest

from mpipp.model import Comm
from tests import support
from tests.analysis.deadlock.observed import job

PERSISTENT = """\
deadlock: rank 0 and rank 1 wait for each other
  rank 0 waits in MPI_Recv(source 1, tag 5), called at hanging.c:238 in persistent_collective
    rank 1 has no such send pending
  rank 1 waits in MPI_Wait, called at hanging.c:240 in persistent_collective
    for MPI_Allreduce_init, called at hanging.c:236 in persistent_collective, \
started by MPI_Start at hanging.c:239 in persistent_collective: rank 0 has not started it"""


@pytest.mark.timeout(600)
@support.on_mpi("mpich4", "openmpi4")
def test_counts(mpi: support.MPI) -> None:
    with job("hanging.c", mpi, "counts", n=2) as hung:
        report = hung.becomes(lambda text: text.startswith("deadlock"))
        assert report.startswith("deadlock: rank 0 and rank 1 wait for each other")
        comms = [one for one in hung.registry(0).objects("comm") if isinstance(one, Comm)]
        (world,) = [comm for comm in comms if comm.header.name == "MPI_COMM_WORLD"]
        assert (world.posted_any, world.returned_any, world.abandoned) == (3, 2, 1)
        assert world.frozen
        posted = {(c.peer, c.tag): c.posted for c in world.channels if c.sequence == "receives"}
        assert posted[1, 2] == 1  # known since the receive returned
        assert posted[1, 9] == 1


@pytest.mark.timeout(600)
@support.on_mpi("mpich5")
def test_starts_of_persistent_collectives(mpi: support.MPI) -> None:
    with job("hanging.c", mpi, "persistent-collective", n=2) as hung:
        assert hung.becomes(lambda text: text == PERSISTENT) == PERSISTENT
