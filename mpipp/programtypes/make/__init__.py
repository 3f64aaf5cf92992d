# SPDX-License-Identifier: MIT
"""Source code that makes the datatype of a struct of the program (`mpipp.programtypes.structs`)."""

from mpipp.programtypes.make.code import c, fortran, mpi4py

__all__ = ["c", "fortran", "mpi4py"]
