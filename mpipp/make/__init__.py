# SPDX-License-Identifier: MIT
"""Source code that makes the datatype of a struct of the program (`mpipp.structs`)."""

from mpipp.make.code import c, fortran, mpi4py

__all__ = ["c", "fortran", "mpi4py"]
