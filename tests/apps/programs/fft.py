# SPDX-License-Identifier: MIT
"""A three-dimensional FFT over slabs and over pencils, in both directions."""

import numpy
from mpi4py import MPI
from mpi4py_fft import PFFT, newDistArray

comm = MPI.COMM_WORLD
for grid in ((0, 1), (1, 0)):
    transform = PFFT(comm, (24, 18, 20), axes=(0, 1, 2), dtype=numpy.float64, grid=(-1, *grid))
    field = newDistArray(transform, False)
    field[:] = numpy.arange(field.size).reshape(field.shape) % 7
    spectrum = transform.forward(field)
    energy = comm.allreduce(float(numpy.abs(spectrum).sum()))
    back = transform.backward(spectrum, newDistArray(transform, False))
    if comm.rank == 0:
        print(round(energy, 6), bool(numpy.allclose(back, field)))
    transform.destroy()
