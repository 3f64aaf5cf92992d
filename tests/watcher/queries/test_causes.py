# SPDX-License-Identifier: MIT
"""Causes that findings name: absolute addresses without MPI_BOTTOM, and codes of failed calls."""

from __future__ import annotations

import pytest

from tests.support import MPI, on_mpi
from tests.watcher import runs

FINDING = (
    "error: buffer of MPI_Bcast is a variable, but its datatype has absolute addresses: MPI would"
)


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("language", ["c", "f90"])
def test_added_twice(mpi: MPI, language: str) -> None:
    flags = ["-fallow-argument-mismatch"] if language == "f90" else []
    program = runs.program(f"absolute_addresses.{language}", mpi, *flags)
    block = runs.run(mpi, [program], "--check", n=1).blocks[0]
    assert block.startswith(FINDING)
    assert (
        "\n    the displacements of the datatype are addresses: MPI adds them to buffer\n" in block
    )
    assert runs.run(mpi, [program, "fixed"], "--check", n=1).blocks == []


@on_mpi("mpich4", "openmpi4")
def test_cause_of_a_null_handle(mpi: MPI) -> None:
    program = runs.program("failed_cart_create.c", mpi)
    blocks = runs.run(mpi, [program], n=1).blocks
    freeing = next(one for one in blocks if "MPI_Comm_free(comm" in one)
    returned = "MPI_Cart_create returned MPI_ERR_"
    assert returned in freeing and "MPI_ERR_UNKNOWN" not in freeing


@on_mpi("mpich4", "openmpi4")
def test_name_of_an_error_class(mpi: MPI) -> None:
    program = runs.program("failed_cart_create.c", mpi)
    blocks = runs.run(mpi, [program, "file"], n=1).blocks
    assert "MPI_File_open returned MPI_ERR_NO_SUCH_FILE before" in "".join(blocks)


@on_mpi("mpich4", "openmpi4")
def test_place_of_a_null_handle(mpi: MPI) -> None:
    program = runs.program("failed_cart_create.c", mpi)
    done = runs.said(mpi, [program], n=1)
    assert "failed_cart_create.c:19: error: comm is MPI_COMM_NULL" in done.stderr
