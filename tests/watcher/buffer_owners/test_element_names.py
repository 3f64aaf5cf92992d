# SPDX-License-Identifier: MIT
"""Elements in findings with the program's own names, from debug information."""

from __future__ import annotations

import pytest

from tests import support
from tests.languages.test_fortran import INTERFACES, every_interface
from tests.support import MPI
from tests.watcher import runs


def elements(run: runs.Run) -> set[str]:
    """The details of the findings with elements."""
    lines = (line.strip() for block in run.blocks for line in block.splitlines())
    return {line for line in lines if line.startswith(("reads ", "writes "))}


@support.on_mpi("mpich4", "openmpi4")
def test_c(mpi: MPI) -> None:
    run = runs.run(mpi, [runs.program("elements.c", mpi)], "--check=all", n=1)
    assert elements(run) == {
        "writes buf(DOUBLE), which is u[1][6]",
        "reads buf[2](DOUBLE), which is u[1][6]",
        "writes buf(DOUBLE), which is particles[3].x[1]",
        "reads buf[1](DOUBLE), which is particles[3].x[1]",
        "writes buf(DOUBLE)",  # no variable contains the buffer, and no pointer leads to it
        "reads buf[5](DOUBLE), which is heap[5]",
        "writes recvbuf(DOUBLE) of rank 0, which is u[2][2]",
        "reads buf[2](DOUBLE), which is u[2][2]",
    }


@pytest.mark.parametrize("source", ["elements.c"])
@support.on_mpi("mpich4")
def test_without_debug_information(mpi: MPI, source: str) -> None:
    program = support.compile_program(runs.program_source(source), mpi, ("-O0",))
    run = runs.run(mpi, [program], "--check=all", n=1)
    assert not any("which is" in line for line in elements(run))


@every_interface
@support.on_mpi("mpich4", "openmpi4")
def test_fortran(mpi: MPI, interface: str) -> None:
    flags = ["-cpp", "-fallow-argument-mismatch", *INTERFACES[interface]]
    run = runs.run(mpi, [runs.program("elements.f90", mpi, *flags)], "--check=all", n=1)
    assert elements(run) == {
        "writes buf(DOUBLE_PRECISION), which is u(7,2)",
        "reads buf[2](DOUBLE_PRECISION), which is u(7,2)",
    }
