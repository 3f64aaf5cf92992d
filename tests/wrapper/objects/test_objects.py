# SPDX-License-Identifier: MIT
"""Communicators, groups, windows, operations, files, infos, error handlers, sessions, messages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mpipp.model import Info
from tests import support
from tests.wrapper.watched import Process, all_end, all_until, ranked, watched


@support.every_mpi
def test_every_kind(mpi: support.MPI, tmp_path: Path) -> None:
    with watched("objects.c", mpi, n=2, args=[tmp_path / "file"]) as processes:
        all_until(processes, "communicators")
        processes = ranked(processes)
        communicators(processes)
        groups(processes)
        windows(processes)
        small_ones(processes)
        files(processes, str(tmp_path / "file"))
        messages(processes)
        all_until(processes, "end")
        for process in processes:
            process.check_consistent()
        all_end(processes)


def freed(process: Process, kind: str, name: str) -> bool:
    found = process.registry.find(kind, process.said[name])
    assert found is not None
    return found.header.freed


def communicators(processes: list[Process]) -> None:
    for rank, process in enumerate(processes):

        def comm(name: str, process: Process = process) -> Any:
            return process.find("comm", name)

        reverse = comm("reversed")
        assert (reverse.rank, reverse.size, reverse.world_ranks) == (1 - rank, 2, (1, 0))
        for name in ("dup", "group_comm", "created", "idup"):
            assert (comm(name).rank, comm(name).world_ranks) == (1 - rank, (1, 0)), name
        assert comm("none").header.null == (rank == 1)
        between = comm("between")
        assert (between.inter, between.size, between.remote_size) == (True, 1, 1)
        assert list(between.world_ranks) == [rank]
        assert list(between.remote_world_ranks) == [1 - rank]
        assert list(comm("merged").world_ranks) in ([0, 1], [1, 0])
        cart = comm("cart")
        assert (cart.topology, cart.dims, cart.periods) == ("cartesian", (2, 1), (1, 0))
        assert (cart.coords, cart.indegree, cart.outdegree) == ((rank, 0), 4, 4)
        graph = comm("graph")
        assert (graph.topology, graph.indegree) == ("graph", 1 + rank)
        dist_graph = comm("dist_graph")
        assert dist_graph.topology == "distributed graph"
        assert (dist_graph.indegree, dist_graph.outdegree) == (1 + rank, 2 - rank)
        listed = (1 - rank, rank)
        assert dist_graph.sources == listed[: 1 + rank]
        assert dist_graph.destinations == listed[: 2 - rank]
        assert graph.sources == graph.destinations == ((0, 1) if rank else (1,))
        assert list(comm("shared").world_ranks) == [0, 1]
        assert comm("named").header.name == "second name"
        assert comm("world").world_ranks == range(2)
        assert process.line_of(reverse.header.site.address) > 0
    all_until(processes, "communicators freed")
    for process in processes:
        assert freed(process, "comm", "dup") and freed(process, "comm", "named")
        assert not freed(process, "comm", "reversed")


def groups(processes: list[Process]) -> None:
    all_until(processes, "groups")
    for rank, process in enumerate(processes):
        expected = {
            "all": [0, 1],
            "again": [0, 1],
            "incl": [1, 0],
            "excl": [1],
            "range": [1, 0],
            "both": [1, 0],
            "common": [1],
            "rest": [0],
            "MPI_GROUP_EMPTY": [],
        }
        for name, ranks in expected.items():
            group = process.find("group", name)
            assert list(group.world_ranks or ()) == ranks, name
            assert group.size == len(ranks)
            if ranks:
                assert group.rank == (ranks.index(rank) if rank in ranks else -1), name
    all_until(processes, "one of two freed")
    for process in processes:
        assert not freed(process, "group", "all")
    all_until(processes, "both freed")
    for process in processes:
        assert freed(process, "group", "all")


def windows(processes: list[Process]) -> None:
    all_until(processes, "windows")
    for process in processes:
        expected = {
            "made": (process.said["memory"], 256, 4, "create"),
            "alloc": (process.said["allocated"], 128, 8, "allocate"),
            "dynamic": (0, 0, 1, "dynamic"),
            "shared": (process.said["shared_memory"], 64, 2, "shared"),
        }
        for name, (base, size, unit, flavor) in expected.items():
            win = process.find("win", name)
            assert (win.size, win.disp_unit, win.flavor) == (size, unit, flavor), name
            assert win.base == base
            assert win.comm == process.said["world"]
        assert process.find("win", "made").header.name == "my win"
    for stop, epochs in {
        "fence": {"fence"},
        "last fence": set(),
        "post": {"post"},
        "start": {"start", "post"},
        "complete": {"post"},
        "wait": set(),
        "lock": {"lock"},
        "lock_all": {"lock_all"},
        "unlock_all": set(),
    }.items():
        all_until(processes, stop)
        for rank, process in enumerate(processes):
            win = process.find("win", "alloc")
            assert set(win.epochs) == epochs, stop
            assert win.locks == (((rank, rank == 0),) if stop == "lock" else ())
            if stop == "start":
                peer = process.said["peer"]
                assert (win.access_group, win.exposure_group) == (peer, peer)
    all_until(processes, "windows freed")
    for process in processes:
        assert not process.live("win")


def small_ones(processes: list[Process]) -> None:
    all_until(processes, "small ones")
    for process in processes:
        op = process.find("op", "op")
        assert (op.function, op.commute) == (process.said["add"], False)
        info: Info = process.find("info", "info")
        assert info.entries == (("first", "changed"),)
        copy: Info = process.find("info", "copy")
        assert sorted(copy.entries) == [("first", "changed"), ("second", "two words")]
        handler = process.find("errhandler", "handler")
        assert handler.function == process.said["on_error"]
        assert process.find("comm", "world").errhandler == process.said["handler"]
    all_until(processes, "one errhandler left")
    for process in processes:
        shared = process.said["same"] == process.said["handler"]
        assert not freed(process, "errhandler", "handler")
        assert freed(process, "errhandler", "same") != shared
    all_until(processes, "small ones freed")
    for process in processes:
        for kind, name in {"errhandler": "handler", "info": "info", "op": "op"}.items():
            assert freed(process, kind, name), kind
    if "open mpi v4" not in processes[0].registry.info.library_version.lower():
        all_until(processes, "session")
        for process in processes:
            session = process.find("session", "session")
            assert session.errhandler == process.said["MPI_ERRORS_RETURN"]
            assert process.find("group", "group").size == 1
        all_until(processes, "session over")
        for process in processes:
            assert freed(process, "session", "session")


def files(processes: list[Process], path: str) -> None:
    all_until(processes, "file")
    for process in processes:
        file = process.find("file", "file")
        assert (file.filename, file.comm) == (path, process.said["world"])
        assert file.amode == process.said["MPI_MODE_CREATE | MPI_MODE_RDWR"]
        assert (file.disp, file.datarep, file.split) == (0, "native", None)
        assert file.etype == file.filetype == process.said["MPI_BYTE"]
    all_until(processes, "view")
    for process in processes:
        file = process.find("file", "file")
        assert (file.disp, file.datarep) == (32, "native")
        assert file.etype == process.said["MPI_INT"]
        assert file.filetype == process.said["vector"]
    all_until(processes, "begun")
    for process in processes:
        split = process.find("file", "file").split
        assert split.procedure == "MPI_File_write_all_begin"
        (buffer,) = split.buffers
        assert (buffer.address, buffer.count) == (process.said["data"], 4)
    all_until(processes, "ended")
    for process in processes:
        assert process.find("file", "file").split is None
    all_until(processes, "closed")
    for process in processes:
        assert freed(process, "file", "file")


def messages(processes: list[Process]) -> None:
    for matched, received in (
        ("matched", "received"),
        ("matched without a status", "received, too"),
    ):
        all_until(processes, matched)
        for rank, process in enumerate(processes):
            message = process.find("message", "message")
            assert (message.source, message.tag) == (1 - rank, 9)
            assert message.comm == process.said["world"]
        all_until(processes, received)
        for process in processes:
            assert freed(process, "message", "message")
            assert not process.pending()


@support.on_mpi("mpich4", "mpich5")
def test_more_locks_than_are_kept(mpi: support.MPI) -> None:
    def known(stop: str) -> tuple[int, int, set[tuple[int, bool]]]:
        win = process.until(stop).find("win", "win")
        return win.lock_count, len(win.locks), set(win.locks)

    with watched("window_locks.c", mpi) as (process,):
        # MPI_PROC_NULL may be locked any number of times. Here it is -1.
        assert known("ten") == (10, 8, {(0, True), (-1, False)})
        assert known("nine") == (9, 7, {(-1, False)})
        assert known("none") == (0, 0, set())
        process.end()
