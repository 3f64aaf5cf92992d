# SPDX-License-Identifier: MIT
"""Calls of two threads that must not be active at the same time."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support import MPI, every_fortran, on_mpi
from tests.watcher import runs

CALLS = runs.program_source("concurrent/calls.c")
each_model = pytest.mark.parametrize("threads", ["posix", "openmp"])


def line(source: Path, mark: str) -> str:
    """The place of the line that ends with this mark."""
    text = source.read_text().splitlines()
    return f"{source.name}:{next(i for i, one in enumerate(text, 1) if one.endswith(mark))}"


def found(mpi: MPI, program: Path, *words: str) -> list[tuple[str, list[str]]]:
    """The message and the places of each finding.

    A hang ends, because MPI may complete a request for only one of two threads. Findings about the
    end of a process are left out.
    """
    run = runs.run(mpi, [program, *words], "--check=threads", "--on-hang=abort", "--hang-after=5")
    return [
        (block.splitlines()[0], re.findall(r"\n    called at (\S+) in", block))
        for block in run.others
        if "thread" in block.splitlines()[0]
    ]


def of_collectives(procedure: str, noun: str) -> str:
    """The message about two collective calls."""
    return (
        f"error: {procedure} is called while another thread is in a collective call on the same "
        f"{noun}"
    )


def of_completions(procedure: str) -> str:
    """The message about two calls that complete one request."""
    return (
        f"error: {procedure} is passed a request while another thread completes the request with "
        f"{procedure}"
    )


WAYS = {
    "one communicator": of_collectives("MPI_Barrier", "communicator"),
    "window": of_collectives("MPI_Win_fence", "window"),
    "wait": of_completions("MPI_Wait"),
    "waitsome": of_completions("MPI_Waitsome"),
}


def check(mpi: MPI, threads: str, way: str, message: str) -> None:
    """Expect a message with the same line twice."""
    program = runs.program("concurrent/calls.c", mpi, "-fopenmp")
    at = line(CALLS, f"// {way}")
    assert found(mpi, program, threads, way) == [(message, [at, at])]


@on_mpi("mpich4", "openmpi4")
@each_model
@pytest.mark.parametrize("way", WAYS)
def test_calls_at_the_same_time(mpi: MPI, threads: str, way: str) -> None:
    check(mpi, threads, way, WAYS[way])


@on_mpi("mpich4")  # in Open MPI, processes do not wait for each other in this call
@each_model
def test_reads_of_a_file(mpi: MPI, threads: str) -> None:
    check(mpi, threads, "file", of_collectives("MPI_File_read_all", "file"))


@on_mpi("mpich4", "openmpi4")
@each_model
@pytest.mark.parametrize(
    "way", ["two communicators", "nonblocking", "critical", "own requests", "test"]
)
def test_ordered_calls(mpi: MPI, threads: str, way: str) -> None:
    program = runs.program("concurrent/calls.c", mpi, "-fopenmp")
    run = runs.run(mpi, [program, threads, way], "--check=threads")
    assert (run.status, run.blocks) == (0, [])


@on_mpi("mpich4", "openmpi4")
def test_threads_of_cxx(mpi: MPI) -> None:
    program = runs.program("concurrent/communicators.cc", mpi, "-pthread")
    at = line(runs.program_source("concurrent/communicators.cc"), "// reduce")
    ((message, places),) = found(mpi, program)
    assert (message.split()[1], places) == ("MPI_Allreduce", [at, at])
    assert found(mpi, program, "own") == []


@every_fortran
def test_regions_of_fortran(mpi: MPI) -> None:
    program = runs.program("concurrent/barriers.f90", mpi, "-fopenmp")
    at = line(runs.program_source("concurrent/barriers.f90"), "! barrier")
    ((message, places),) = found(mpi, program)
    assert (message.split()[1], places) == ("MPI_Barrier", [at, at])
    assert found(mpi, program, "critical") == []
