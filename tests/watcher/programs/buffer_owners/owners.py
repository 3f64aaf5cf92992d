# SPDX-License-Identifier: MIT
"""numpy arrays that are too small for a buffer, or of another type; "fixed": none."""

import sys

import numpy as np
from mpi4py import MPI

FIXED = "fixed" in sys.argv
SELF = MPI.COMM_SELF
whole = np.zeros((4, 6), dtype=np.float64)


def send_local() -> None:
    few = np.arange(5, dtype=np.int16)
    SELF.Bcast([few, 5, MPI.SHORT if FIXED else MPI.INT])  # few
    row = whole[3]
    SELF.Bcast([row, 6 if FIXED else 7, MPI.DOUBLE])  # row
    same = np.zeros(8, dtype=np.float32)
    SELF.Bcast([same, 8 if FIXED else 4, MPI.FLOAT if FIXED else MPI.DOUBLE])  # type


send_local()
flags = np.zeros(3, dtype=bool)
SELF.Bcast([flags, 3, MPI.C_BOOL if FIXED else MPI.INT])  # flags
SELF.Bcast(whole)  # as it is
SELF.Bcast(whole[1:3])
