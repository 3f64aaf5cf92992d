# SPDX-License-Identifier: MIT
"""Intel MPI, which has the MPICH ABI: the wrapper that was built for MPICH serves it."""

from __future__ import annotations

import subprocess

import pytest

from tests import support
from tests.support import INTEL, MPI, compile_program, find_mpi, gdb_batch

TYPES = """\
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, numbers[4] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(numbers, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(numbers, 4, TYPE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
}
"""
COLUMN = """\
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Datatype column;
    MPI_Init(&argc, &argv);
    MPI_Type_vector(3, 1, 4, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Type_free(&column);
    MPI_Finalize();
}
"""
COLLECTIVES = """\
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, sum, one = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, rank ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
}
"""
LEAK = """\
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Comm copy;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Finalize();
}
"""


@pytest.fixture
def intel() -> MPI:
    """Intel MPI; skips the test if it is not installed."""
    return find_mpi(INTEL)


def run(
    mpi: MPI, source: str, *options: str, flags: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    """Run two processes of a program with `mpipp run`."""
    program = compile_program(source, mpi, ("-g", "-O0", *flags))
    assert mpi.wrapper and mpi.of_wrapper  # in the cache now, where mpipp finds it
    words = ["run", *options, "--mpicc", mpi.of_wrapper, "--mpiexec", mpi.mpiexec[0]]
    env = {name: mpi.env[name] for name in ("I_MPI_ROOT", "I_MPI_FABRICS")}
    return support.shell(*words, "-n", "2", "--", program, env=env)


def test_error(intel: MPI) -> None:
    done = run(intel, TYPES, "--check=fast", flags=("-DTYPE=MPI_FLOAT",))
    assert "MPI_INT is sent, MPI_FLOAT received" in done.stderr
    assert "mpipp: 1 error in 2 processes" in done.stderr


def test_correct_twin(intel: MPI) -> None:
    done = run(intel, TYPES, "--check", flags=("-DTYPE=MPI_INT",))
    assert done.returncode == 0
    assert done.stderr == "mpipp: no errors in 2 processes (8 MPI calls checked)\n"


def test_datatype_in_gdb(intel: MPI) -> None:
    program = compile_program(COLUMN, intel)
    stop = ("break MPI_Type_free", "run", "up")
    text = gdb_batch(["print column"], program=program, mpi=intel, stop=stop)
    assert (
        text
        == '$1 = {kind = VECTOR, count = 3, blocklength = 1, stride = 4, type = "MPI_DOUBLE"}\n'
    )


@pytest.mark.thorough
def test_collective_pre_check(intel: MPI) -> None:
    done = run(intel, COLLECTIVES, "--check", "--strict")
    assert "MPI_SUM" in done.stderr and "MPI_MAX" in done.stderr
    assert "1 error in 2 processes" in done.stderr


@pytest.mark.thorough
def test_leak(intel: MPI) -> None:
    done = run(intel, LEAK, "--check=leaks")
    assert "warning: 1 communicator is not freed" in done.stderr
    assert "mpipp: 1 warning in 2 processes" in done.stderr
