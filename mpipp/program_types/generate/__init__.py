# SPDX-License-Identifier: MIT
"""Source code that makes the datatype of a struct of the program (`mpipp.program_types.types`)."""

from mpipp.program_types.generate.source_code import c, fortran, mpi4py

__all__ = ["c", "fortran", "mpi4py"]
