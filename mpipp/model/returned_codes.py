# SPDX-License-Identifier: MIT
"""Error codes and null handles that MPI returned to the program (MPI-4.1, section 9.3)."""

from __future__ import annotations

from mpipp.common.lazy_dataclass import dataclass
from mpipp.model.object_header import Site


@dataclass(frozen=True)
class ReturnedCode:
    """An error class that a procedure returned at one place, under MPI_ERRORS_RETURN, or
    MPI_COMM_NULL instead of a communicator.

    Attributes:
        error_class: "MPI_ERR_NO_SUCH_FILE"; "" for MPI_COMM_NULL.
        text: MPI's text for the first code of this class.
        times: how often it was returned.
        last: the number of the last call that returned it, among all calls that did.
    """

    procedure: str
    error_class: str
    text: str
    site: Site
    times: int
    last: int
