# SPDX-License-Identifier: MIT
"""Source code that creates the datatype of a struct of the program."""

from mpipp.program_types.generate.source_code import c, fortran, mpi4py

__all__ = ["c", "fortran", "mpi4py"]
