# SPDX-License-Identifier: MIT
"""Calls that violate the thread level that MPI provides."""

from __future__ import annotations

import pytest

from tests import support
from tests.wrapper.watched import Process, watched

SINGLE, FUNNELED, SERIALIZED, MULTIPLE = range(4)


def breaches(process: Process) -> list[tuple[str, str, str]]:
    found = process.registry.breaches()
    return [(one.level, one.call.procedure, one.other.procedure) for one in found]


@support.every_mpi
@pytest.mark.parametrize(
    ("level", "way"),
    [(FUNNELED, "infos"), (SERIALIZED, "turns"), (SERIALIZED, "infos"), (MULTIPLE, "same time")],
)
def test_allowed(mpi: support.MPI, level: int, way: str) -> None:
    with watched("levels.c", mpi, args=[str(level), way]) as (process,):
        while process.next() != "end":
            assert breaches(process) == []
        assert breaches(process) == []
        process.check_consistent()
        process.end()


@support.every_mpi
@pytest.mark.parametrize("level", [SINGLE, FUNNELED])
def test_another_thread(mpi: support.MPI, level: int) -> None:
    with watched("levels.c", mpi, args=[str(level), "turns"]) as (process,):
        process.until("end")
        if not process.said["as wanted"]:
            pytest.skip(f"{mpi.id} provides more")
        name = ("MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED")[level]
        assert breaches(process) == [
            (name, "MPI_Type_contiguous", "MPI_Init_thread"),
            (name, "MPI_Type_free", "MPI_Init_thread"),
        ]
        one = next(iter(process.registry.breaches()))
        assert one.other.tid == process.pid != one.call.tid
        assert process.line_of(one.call.site.address) == 19
        process.check_consistent()
        process.end()


@support.every_mpi
def test_at_the_same_time(mpi: support.MPI) -> None:
    with watched("levels.c", mpi, args=[str(SERIALIZED), "same time"]) as (process,):
        process.until("inside")
        if not process.said["as wanted"]:
            pytest.skip(f"{mpi.id} provides more")
        expected = [
            ("MPI_THREAD_SERIALIZED", "MPI_Type_contiguous", "MPI_Comm_dup"),
            ("MPI_THREAD_SERIALIZED", "MPI_Type_free", "MPI_Comm_dup"),
        ]
        assert breaches(process) == expected
        assert "sends" in process.find("comm", "comm").uncertain
        process.until("returned")
        process.until("end")
        assert breaches(process) == expected
        process.check_consistent()
        process.end()


@support.every_mpi
def test_a_call_that_was_left_is_none(mpi: support.MPI) -> None:
    with watched("levels.c", mpi, args=[str(SERIALIZED), "jump"]) as (process,):
        process.until("jumped")
        assert breaches(process) == []
        process.until("end")
        assert breaches(process) == []
        process.end()
