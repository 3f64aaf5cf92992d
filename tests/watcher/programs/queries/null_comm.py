# SPDX-License-Identifier: MIT
"""A process uses a communicator of which it is no member."""

import sys

from mpi4py import MPI

world = MPI.COMM_WORLD
part = world.Split(MPI.UNDEFINED if world.rank == 0 else 1, world.rank)
if len(sys.argv) < 2 or part != MPI.COMM_NULL:
    part.allreduce(1)
    part.Free()
