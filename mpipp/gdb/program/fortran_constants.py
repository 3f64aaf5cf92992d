# SPDX-License-Identifier: MIT
"""The Fortran constants that are variables of the program.

MPI_BOTTOM, MPI_IN_PLACE and MPI_STATUS_IGNORE are variables in Fortran. MPI knows them by their
addresses. MPI's Fortran layer replaces them by the constants of C, which are in the call records.
"""

from __future__ import annotations

import gdb

from mpipp.gdb import console

# The places of the constants in the MPI libraries: symbol, offset in bytes, constant.
_PLACES = (
    # Open MPI, for mpif.h and all modules.
    ("mpi_fortran_bottom_", 0, "MPI_BOTTOM"),
    ("mpi_fortran_in_place_", 0, "MPI_IN_PLACE"),
    ("mpi_fortran_status_ignore_", 0, "MPI_STATUS_IGNORE"),
    ("mpi_fortran_statuses_ignore_", 0, "MPI_STATUSES_IGNORE"),
    # MPICH, for mpif.h and the module mpi: two common blocks.
    ("mpipriv1_", 0, "MPI_BOTTOM"),
    ("mpipriv1_", 4, "MPI_IN_PLACE"),
    ("mpipriv1_", 8, "MPI_STATUS_IGNORE"),
    ("mpipriv2_", 0, "MPI_STATUSES_IGNORE"),
    # MPICH, for the module mpi_f08.
    ("MPIR_F08_MPI_BOTTOM", 0, "MPI_BOTTOM"),
    ("MPIR_F08_MPI_IN_PLACE", 0, "MPI_IN_PLACE"),
    ("MPIR_F08_MPI_STATUS_IGNORE_OBJ", 0, "MPI_STATUS_IGNORE"),
    ("MPIR_F08_MPI_STATUSES_IGNORE_OBJ", 0, "MPI_STATUSES_IGNORE"),
)

# The constants by address, for an inferior, its process id and its number of libraries. A new
# library means a new look-up.
_known: dict[tuple[int, int, int], dict[int, str]] = {}


def constant(address: int) -> str | None:
    """The name of the Fortran constant at an address; None if there is none."""
    inferior = gdb.selected_inferior()
    key = (inferior.num, inferior.pid, len(gdb.objfiles()))
    if key not in _known:
        _known.clear()
        _known[key] = _places()
    return _known[key].get(address)


def _places() -> dict[int, str]:
    found: dict[int, str] = {}
    for symbol, offset, name in _PLACES:
        try:
            found[int(console.value(f"&{symbol}")) + offset] = name
        except gdb.error:
            continue
    return found
