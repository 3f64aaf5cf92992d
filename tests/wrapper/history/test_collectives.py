# SPDX-License-Identifier: MIT
"""Requests of collective operations keep copies of the caller's arrays."""

from __future__ import annotations

from mpipp.model import Buffer, DatatypeRecord
from tests import support
from tests.wrapper.watched import Process, all_end, all_until, ranked, watched

V = [(2, 4), (3, 16)]  # (count, displacement in bytes)
ONES = [(1, 4), (1, 16)]
# For each stop and rank: the count or the parts of each buffer.
EXPECTED: dict[str, tuple[list[object], list[object]]] = {
    "ibcast": ([4], [4]),
    "igatherv": ([2, V], [3]),
    "iscatterv": ([V, 2], [3]),
    "iallgatherv": ([2, V], [3, V]),
    "ialltoallv": ([ONES, ONES], [ONES, ONES]),
    "ialltoallw": ([[(1, 8), (1, 80)]] * 2, [[(1, 8), (1, 80)]] * 2),
    "ireduce_scatter": ([5, 2], [5, 3]),
    "ireduce": ([5, 5], [5]),
}


def amount(buffer: Buffer) -> object:
    if buffer.shares is None:
        return buffer.count
    return [(share.count, share.displacement) for share in buffer.shares]


@support.every_mpi
def test_collective_requests(mpi: support.MPI) -> None:
    with watched("collectives.c", mpi, n=2) as processes:
        all_until(processes, "start")
        processes = ranked(processes)
        for stop, expected in EXPECTED.items():
            all_until(processes, stop)
            for process, wanted in zip(processes, expected):
                (request,) = process.pending()
                assert request.call.procedure == "MPI_" + stop.capitalize()
                assert [amount(buffer) for buffer in request.call.buffers] == wanted, stop
                if stop == "ialltoallw":
                    names = [kinds(buffer) for buffer in request.call.buffers]
                    own = ["NAMED", "VECTOR"][process.said["rank"]]
                    assert names == [[own, own], ["NAMED", "VECTOR"]]
        if mpi.id != "openmpi4":
            persistent(processes)
        all_until(processes, "end")
        for process in processes:
            assert not process.live("request") and not process.live("datatype")
            process.check_consistent()
        all_end(processes)


def kinds(buffer: Buffer) -> list[str]:
    assert buffer.shares is not None
    found = [share.datatype for share in buffer.shares]
    return [d.tree.combiner if isinstance(d, DatatypeRecord) else "" for d in found]


def persistent(processes: list[Process]) -> None:
    all_until(processes, "bcast_init")
    for process in processes:
        request = process.find("request", "request")
        assert (request.state, request.persistent) == ("inactive", True)
        (buffer,) = request.call.buffers
        assert buffer.access == {"reads" if process.said["rank"] else "writes"}
    all_until(processes, "bcast started")
    for process in processes:
        assert process.find("request", "request").state == "active"
    all_until(processes, "alltoallv_init")
    for process in processes:
        request = process.find("request", "request")
        assert [amount(buffer) for buffer in request.call.buffers] == [ONES, ONES]
