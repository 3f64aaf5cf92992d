# SPDX-License-Identifier: MIT
"""Frees a communicator after MPI_Finalize; "fixed": before it."""

import sys

from mpi4py import MPI

copied = MPI.COMM_WORLD.Dup()
if sys.argv[1] != "fixed":
    MPI.Finalize()
    copied.Free()
else:
    copied.Free()
    MPI.Finalize()
