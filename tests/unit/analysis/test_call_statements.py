# SPDX-License-Identifier: MIT
"""Arguments of MPI calls in source statements."""

from __future__ import annotations

import pytest

from mpipp.analysis.program_objects.call_statements import arguments

CASES = [
    ("call MPI_Put(u, 1, t, 0, at(1, 2), 1, t, win, ierr)", ["u", "1", "t", "0", "at(1, 2)"]),
    ("call mpi_put(u, & ! the data, size\n     off, 3) ! done", ["u", "off", "3"]),
    ("      call MPI_PUT(u,   ! a, b\n     &  off,\n     1  3)", ["u", "off", "3"]),
    ("call MPI_Put(u, &\n  & off &\n  , 3)", ["u", "off", "3"]),
    ("call MPI_Get(u)", []),
]


@pytest.mark.parametrize(("statement", "expected"), CASES)
def test_arguments(statement: str, expected: list[str]) -> None:
    assert arguments(statement, "MPI_Put")[: max(len(expected), 1)] == expected
