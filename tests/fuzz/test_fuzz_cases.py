# SPDX-License-Identifier: MIT
"""A few of the cases that `make fuzz` runs."""

from __future__ import annotations

import multiprocessing

import pytest

from tests import support
from tests.fuzz import cases, directories, live, names, watchers
from tests.fuzz.snapshots import STOPS
from tests.short import some


@pytest.mark.parametrize("first", [0, *support.repeated(1_000_000)])
@support.on_mpi("mpich4", "openmpi4")
def test_snapshots(mpi: support.MPI, first: int) -> None:
    for seed in range(first, first + some(120)):
        found = cases.run(seed, mpi.id)
        assert found is None, f"make fuzz SEED={seed}\n{found.trace}"


@support.on_mpi("mpich4", "openmpi4")
def test_live(mpi: support.MPI) -> None:
    assert list(live.run(range(some(25)), mpi.id)) == []


@support.on_mpi("mpich4", "openmpi4")
def test_beside(mpi: support.MPI) -> None:
    """Two processes at each of their stops."""
    for stop in range(STOPS):
        first = stop * watchers.TOGETHER
        assert list(watchers.run(range(first, first + some(4)), mpi.id)) == []


@support.on_mpi("mpich4")
def test_directories(mpi: support.MPI) -> None:
    """The cases run in a process with little memory."""
    directories.take(mpi.id)
    with multiprocessing.Pool(1, directories.limit_memory) as pool:
        found = pool.starmap(directories.run, [(seed, mpi.id) for seed in range(some(60))], 1)
    assert not any(found), "make fuzz FUZZ_ARGS=--directories\n" + "\n".join(filter(None, found))


@pytest.mark.thorough
@support.on_mpi("mpich4", "openmpi4")
def test_names(mpi: support.MPI) -> None:
    number = some(names.TOGETHER)
    for language in range(len(names.LANGUAGES)):
        first = language * names.TOGETHER
        assert list(names.run(range(first, first + number), mpi.id)) == []
