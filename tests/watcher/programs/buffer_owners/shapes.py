# SPDX-License-Identifier: MIT
"""Arrays in objects, and other objects with memory; "fixed": buffers fit all of them."""

import array
import ctypes
import sys

import numpy as np
from mpi4py import MPI

FIXED = "fixed" in sys.argv
MORE = 0 if FIXED else 1
SELF = MPI.COMM_SELF


class Slots:
    __slots__ = ("v",)

    def __init__(self) -> None:
        self.v = np.arange(8, dtype=np.int64)


class Field:
    def __init__(self, n: int) -> None:
        self.u = np.zeros(n)
        self.parts = [np.zeros(4, "f4"), np.zeros((3, 4), "i4")]
        self.by_name = {"rho": np.zeros(6, np.complex128), 3: bytearray(16)}
        self.slots = Slots()

    def exchange(self) -> None:
        rho = MPI.DOUBLE_COMPLEX
        SELF.Bcast([self.u, self.u.size + MORE, MPI.DOUBLE])  # wrong
        SELF.Bcast([self.u, 10, MPI.DOUBLE if FIXED else MPI.FLOAT])  # wrong
        SELF.Bcast([self.parts[0], 4, MPI.FLOAT if FIXED else MPI.DOUBLE])  # wrong
        SELF.Bcast([self.parts[1], 12 + MORE, MPI.INT])  # wrong
        SELF.Bcast([self.by_name["rho"], 6 + MORE, rho])  # wrong
        SELF.Bcast([self.by_name["rho"], 12, MPI.DOUBLE])
        SELF.Bcast([self.by_name[3], 16 + MORE, MPI.BYTE])  # wrong
        SELF.Bcast([self.slots.v, 8, MPI.INT64_T if FIXED else MPI.INT])  # wrong
        SELF.Bcast([self.slots.v[2:5], 6 + MORE, MPI.INT64_T])  # wrong


def in_closure() -> None:
    inner = np.zeros(3)

    def exchange() -> None:
        SELF.Bcast([inner, 3 + MORE, MPI.DOUBLE])  # wrong

    exchange()


Field(10).exchange()
in_closure()
numbers = array.array("d", [1, 2, 3])
SELF.Bcast([numbers, 3 + MORE, MPI.DOUBLE])  # wrong
SELF.Bcast([numbers, 3, MPI.DOUBLE if FIXED else MPI.FLOAT])  # wrong
raw = bytearray(40)
SELF.Bcast([raw, 5 + MORE, MPI.DOUBLE])  # wrong
view = memoryview(raw)[8:24]
SELF.Bcast([view, 4 + MORE, MPI.DOUBLE])  # wrong
foreign = (ctypes.c_double * 4)()
SELF.Bcast([foreign, 4 + MORE, MPI.DOUBLE])  # wrong
SELF.Bcast([foreign, 4, MPI.DOUBLE if FIXED else MPI.FLOAT])  # wrong
fortran = np.zeros((5, 7), order="F")
SELF.Bcast([fortran, 35 + MORE, MPI.DOUBLE])  # wrong
empty = np.empty(0)
SELF.Bcast([empty, 5 * MORE, MPI.DOUBLE])  # wrong
records = np.zeros(4, dtype=[("x", "f8"), ("n", "i4")])
SELF.Bcast([records, records.nbytes + 4 * MORE, MPI.BYTE])  # wrong
matrix = np.matrix([[1.0, 2.0]])
SELF.Bcast([matrix, 2 + MORE, MPI.DOUBLE])  # wrong
column = MPI.DOUBLE.Create_vector(5, 1, 7).Commit()
grid = np.zeros((5, 7))
SELF.Bcast([grid, 1 + MORE, column])  # wrong
SELF.Bcast([grid[0, 6:], 1, column])
column.Free()
half = np.zeros(5, dtype=np.float16)
SELF.Bcast([half, 5, MPI.SHORT])
SELF.bcast({"all": list(range(1000))})
window = MPI.Win.Allocate(80, 8, comm=SELF)
memory = np.frombuffer(window.tomemory(), dtype="d")
SELF.Bcast([memory, 10 + MORE, MPI.DOUBLE])  # wrong
window.Free()
