# SPDX-License-Identifier: MIT
"""Null pointers for results, persistent requests that were never started, and reused handles."""

from __future__ import annotations

import pytest

from tests.support import MPI, on_mpi
from tests.watcher import runs

OUTPUTS = ["newcomm", "rank", "newtype", "request", "flag", "status", "array_of_statuses"]
NULL = "error: {} is a null pointer, but MPI stores a result there"
UNSTARTED = "warning: the program waited for a persistent request, but never started it"


def first_lines(mpi: MPI, case: str) -> list[str]:
    """The first lines of the findings of a case, without remarks."""
    program = runs.program("null_outputs.c", mpi)
    blocks = runs.run(mpi, [program, case], n=1).others
    return [block.splitlines()[0] for block in blocks if not block.startswith("remark")]


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("case", OUTPUTS)
def test_null(mpi: MPI, case: str) -> None:
    found = first_lines(mpi, case)
    # In Open MPI 4, a null pointer is MPI_STATUS_IGNORE.
    if mpi.id == "openmpi4" and "status" in case:
        assert found == []
    else:
        assert NULL.format(case) in found


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("case", ["unstarted", "unstarted-left"])
def test_never_started(mpi: MPI, case: str) -> None:
    assert UNSTARTED in first_lines(mpi, case)


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("case", ["started", "unused", "groups-freed", "none"])
def test_right(mpi: MPI, case: str) -> None:
    assert first_lines(mpi, case) == []


@on_mpi("mpich4", "openmpi4")
def test_groups(mpi: MPI) -> None:
    assert first_lines(mpi, "groups") == ["warning: 100 groups are not freed"]
