# SPDX-License-Identifier: MIT
"""Rank 1 writes to an invalid address."""

import ctypes

from mpi4py import MPI


def store(address: int) -> None:
    """Store a zero."""
    ctypes.memset(address, 0, 8)


def main() -> None:
    """Store in rank 1."""
    if MPI.COMM_WORLD.rank == 1:
        store(16)
    MPI.COMM_WORLD.Barrier()


main()
