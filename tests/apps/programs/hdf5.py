# SPDX-License-Identifier: MIT
"""Each process writes a slab and a strided part of a dataset; then all of it is read again."""

import os

import h5py
import numpy
from mpi4py import MPI

comm = MPI.COMM_WORLD
name = "parallel.h5"
with h5py.File(name, "w", driver="mpio", comm=comm) as file:
    rows = file.create_dataset("rows", (64, 32), dtype="f8")
    mine = slice(comm.rank * 64 // comm.size, (comm.rank + 1) * 64 // comm.size)
    rows[mine] = numpy.arange(64 * 32, dtype="f8").reshape(64, 32)[mine]
    columns = file.create_dataset("columns", (16, 8 * comm.size), dtype="i4", chunks=(4, 4))
    with columns.collective:
        columns[:, comm.rank :: comm.size] = numpy.full((16, 8), comm.rank, dtype="i4")
with h5py.File(name, "r", driver="mpio", comm=comm) as file:
    total = float(file["rows"][...].sum()), int(file["columns"][...].sum())
comm.Barrier()
if comm.rank == 0:
    print(total)
    os.remove(name)
