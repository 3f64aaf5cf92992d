# SPDX-License-Identifier: MIT
"""Calls that the program leaves by a jump: later calls are recorded, MPI's inner calls are not."""

from __future__ import annotations

from tests import support
from tests.wrapper.watched import Process, watched


def made(process: Process, stop: str) -> None:
    """Check that the only datatype was created after the jump, and that no call is active."""
    process.until(stop)
    assert not process.calls(), stop
    (only,) = process.live("datatype")
    assert only.header.handle == process.said["made"]


@support.every_mpi
def test_error_handlers_that_jump(mpi: support.MPI) -> None:
    with watched("abandoned_calls.c", mpi) as (process,):
        for stop in ("same", "out", "in", "profiling"):
            made(process, stop)
        assert "sends" in process.find("comm", "comm").uncertain
        callback(process)


def callback(process: Process) -> None:
    """Check that objects of the library are not recorded when MPI calls a callback."""
    process.until("callback")
    assert [call.procedure for call in process.calls()] == ["MPI_Comm_dup"]
    assert not process.live("datatype")
    made(process, "end")
    process.check_consistent()
    process.end()


@support.on_mpi("mpich4", "mpich5")  # other libraries report no error for a long message to oneself
def test_a_wait_that_was_left(mpi: support.MPI) -> None:
    with watched("abandoned_calls.c", mpi, args=["wait"]) as (process,):
        for stop in ("same", "out", "in", "profiling"):
            process.until(stop)
        assert [r.call.tag for r in process.until("three").pending()] == [5, 6, 7]
        made(process, "one")
        assert [r.call.tag for r in process.pending()] == [7]
        callback(process)
