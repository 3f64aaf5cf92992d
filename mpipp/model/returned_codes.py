# SPDX-License-Identifier: MIT
"""Error codes that MPI returned to the program (MPI-4.1, section 9.3)."""

from __future__ import annotations

from dataclasses import dataclass

from mpipp.model.object_header import Site


@dataclass(frozen=True)
class ReturnedCode:
    """A procedure that returned one class of errors at one place, under MPI_ERRORS_RETURN.

    Attributes:
        error_class: "MPI_ERR_NO_SUCH_FILE".
        text: MPI's own text for the first such code.
        times: how often it returned that.
        last: the number, among all calls that failed, of the last of these.
    """

    procedure: str
    error_class: str
    text: str
    site: Site
    times: int
    last: int
