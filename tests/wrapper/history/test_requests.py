# SPDX-License-Identifier: MIT
"""The life of requests, of every kind and with every completion procedure."""

from __future__ import annotations

from pathlib import Path

from mpipp.model import Buffer, Comm, Request
from tests import support
from tests.wrapper.watched import Process, all_end, all_until, watched


@support.every_mpi
def test_lives(mpi: support.MPI, tmp_path: Path) -> None:
    with watched("requests.c", mpi, args=[tmp_path / "file"]) as (process,):
        simple(process)
        persistent(process)
        if mpi.id != "openmpi4":
            partitioned(process)
        completions(process)
        errors(process)
        generalized(process)
        one_sided(process)
        files(process)
        if mpi.id != "openmpi4":
            isendrecv(process)
        process.check_consistent()
        process.end()


@support.every_mpi
def test_eager_sends_that_share_a_handle(mpi: support.MPI) -> None:
    with watched("eager_sends.c", mpi, n=2) as processes:
        names = [process.next() for process in processes]
        process = processes[0] if names[0] == "five sends" else processes[1]
        assert process.said["shared"]
        eager(process)
        all_until(processes, "many")
        assert len(process.pending()) == 3000
        all_until(processes, "end")
        for one in processes:
            assert not one.pending()
            assert not one.live("request")
            one.check_consistent()
        all_end(processes)


def only(process: Process) -> Request:
    (request,) = process.pending()
    return request


def described(buffer: Buffer, process: Process) -> tuple[str, str, int, int]:
    """Role, name of the program's array, offset in it in bytes, count."""
    for name in ("in", "out"):
        offset = buffer.address - process.said[name]
        if 0 <= offset < 256:
            return buffer.role, name, offset, buffer.count
    return buffer.role, "", buffer.address, buffer.count


def simple(process: Process) -> None:
    process.until("receive")
    receive = only(process)
    assert receive.header.handle == process.said["receive"]
    assert (receive.call.procedure, receive.call.tag) == ("MPI_Irecv", 1)
    assert receive.call.comm == process.said["comm"]
    assert described(receive.call.buffers[0], process) == ("buf", "in", 0, 4)
    process.until("both")
    assert [r.call.procedure for r in process.pending()] == ["MPI_Irecv", "MPI_Issend"]
    send = process.pending()[1]
    assert (send.call.dest, send.call.source) == (0, None)
    assert send.call.buffers[0].access == {"reads"}
    process.until("done")
    assert not process.pending()
    gone = process.registry.find("request", process.said["receive"])
    assert isinstance(gone, Request)
    assert (gone.state, gone.header.is_ended) == ("complete", True)
    process.until("buffered and ready")
    assert not process.pending()


def states(process: Process) -> list[str]:
    found = [process.registry.find("request", process.said[f"pair[{i}]"]) for i in (0, 1)]
    return [r.state if isinstance(r, Request) else "" for r in found]


def persistent(process: Process) -> None:
    process.until("initialized")
    assert states(process) == ["inactive", "inactive"]
    request = process.find("request", "pair[1]")
    assert request.persistent and request.call.procedure == "MPI_Ssend_init"
    assert described(request.call.buffers[0], process) == ("buf", "out", 0, 5)
    process.until("one started")
    assert states(process) == ["active", "inactive"]
    process.until("completed")
    assert states(process) == ["inactive", "inactive"]
    process.until("all started")
    assert states(process) == ["active", "active"]
    assert len(process.pending()) == 2
    process.until("one completed")
    expected = ["active", "active"]
    expected[process.said["index"]] = "inactive"
    assert states(process) == expected
    process.until("one freed")
    assert process.find("request", "pair[0]").header.is_ended
    assert not process.find("request", "pair[1]").header.is_ended
    process.until("both freed")
    assert process.find("request", "pair[1]").header.is_ended
    assert not process.live("request")


def partitioned(process: Process) -> None:
    process.until("partitioned")
    send, receive = (process.find("request", f"parts[{i}]") for i in (0, 1))
    assert (send.state, send.call.procedure) == ("inactive", "MPI_Psend_init")
    (buffer,) = send.call.buffers
    assert (buffer.count, buffer.peers, buffer.total_count) == (2, 4, 8)
    (buffer,) = receive.call.buffers
    assert (buffer.count, buffer.peers, buffer.access) == (4, 2, {"writes"})
    process.until("one ready")
    assert [r.ready for r in process.pending()] == [1, 0]
    process.until("all ready")
    assert [r.ready for r in process.pending()] == [4, 0]
    process.until("again")
    assert [r.ready for r in process.pending()] == [0, 0]
    assert [r.starts for r in process.pending()] == [2, 2]
    process.until("one partition")
    assert [(r.starts, r.call.ordinal) for r in process.pending()] == [(1, 1), (1, 1)]
    channels = [c for c in process.find("comm", "comm").channels if c.tag in (3, 4)]
    assert sorted((c.tag, c.sequence, c.count) for c in channels) == [
        (3, "partitioned receive starts", 2),
        (3, "partitioned receives", 1),
        (3, "partitioned send starts", 2),
        (3, "partitioned sends", 1),
        (4, "partitioned receive starts", 1),
        (4, "partitioned receives", 1),
        (4, "partitioned send starts", 1),
        (4, "partitioned sends", 1),
    ]


def tags(process: Process) -> list[int]:
    return [(r.call.tag or 0) - 10 for r in process.pending()]


def completions(process: Process) -> None:
    process.until("six")
    assert tags(process) == [0, 1, 2, 3, 4, 5]
    for stop, left in {
        "none complete": [0, 1, 2, 3, 4, 5],
        "waitany 3": [0, 1, 2, 4, 5],
        "testany 1": [0, 2, 4, 5],
        "waitsome 5": [0, 2, 4],
        "testsome 0": [2, 4],
        "test 2": [4],
        "cancelled, not complete": [4],
        "wait 4": [],
        "waitall": [],
        "a hundred": [],
    }.items():
        assert tags(process.until(stop)) == left, stop


def errors(process: Process) -> None:
    for name in ("wait", "test", "waitany", "testany", "waitsome", "testsome", "testall"):
        process.until(f"erroneous {name}")
        # The library decides whether it frees the handle after the error.
        left = [] if process.said["gone"] else ["MPI_Irecv"]
        assert [r.call.procedure for r in process.pending()] == left, name
    process.until("erroneous waitall")


def eager(process: Process) -> None:
    def offsets() -> list[int]:
        return [described(r.call.buffers[0], process)[2] // 4 for r in process.pending()]

    for stop, left in {
        "five sends": [0, 1, 2, 3, 4],
        "the middle one": [0, 1, 3, 4],
        "the newest": [0, 1, 3],
        "one that was moved": [1, 3],
        "all of them": [],
        "the last of one place": [5, 6],
    }.items():
        if stop != "five sends":
            process.until(stop)
        assert offsets() == left, stop


def exchanged(process: Process) -> list[dict[str, int]]:
    """The numbers of messages sent and received with tag 77, for each communicator."""
    comms = [comm for comm in process.registry.objects("comm", True) if isinstance(comm, Comm)]
    found = [{c.sequence: c.count for c in comm.channels if c.tag == 77} for comm in comms]
    return [counts for counts in found if counts]


def generalized(process: Process) -> None:
    process.until("generalized")
    request = only(process)
    assert (request.call.procedure, request.call.buffers) == ("MPI_Grequest_start", ())
    process.until("duplicating")
    assert only(process).call.procedure == "MPI_Comm_idup"
    # The copy has no record yet, and an earlier communicator with this handle must not be found.
    assert process.registry.find("comm", process.said["copy"]) is None
    process.until("duplicated")
    copy = process.find("comm", "copy")
    assert copy.size == 1
    once = {"sends": 1, "receives": 1}  # none in earlier communicators with this handle
    assert {c.sequence: c.count for c in copy.channels if c.tag == 77} == once
    assert exchanged(process) == [once, once]
    process.until("made by an extension")  # the wrapper does not see the creation
    if process.said["made"]:
        assert process.registry.find("comm", process.said["copy"]) is None
    assert exchanged(process) == [once, once]
    assert not process.pending()


def one_sided(process: Process) -> None:
    for name, expected in {
        "rput": ["origin_addr", "target_disp"],
        "rget": ["origin_addr", "target_disp"],
        "raccumulate": ["origin_addr", "target_disp"],
        "rget_accumulate": ["origin_addr", "result_addr", "target_disp"],
    }.items():
        call = only(process.until(name)).call
        assert call.procedure == f"MPI_{name.capitalize()}"
        assert [buffer.role for buffer in call.buffers] == expected
        assert (call.win, call.target_rank) == (process.said["win"], 0)
        target = call.buffers[-1]
        assert (target.address, target.count) == (7, 2)
        assert "remote" in target.access
        assert (call.op is not None) == ("accumulate" in name)
        origin = call.buffers[0]
        assert origin.access == {"writes" if name == "rget" else "reads"}
    assert not process.until("one-sided done").pending()


def files(process: Process) -> None:
    call = only(process.until("iwrite_at")).call
    assert (call.procedure, call.offset) == ("MPI_File_iwrite_at", 8)
    assert call.file == process.said["file"]
    assert described(call.buffers[0], process) == ("buf", "out", 0, 6)
    call = only(process.until("iread")).call
    assert described(call.buffers[0], process) == ("buf", "in", 0, 6)
    assert not process.until("files done").pending()


def isendrecv(process: Process) -> None:
    call = only(process.until("isendrecv")).call
    assert (call.tag, call.recvtag, call.dest, call.source) == (60, 60, 0, 0)
    assert [described(b, process) for b in call.buffers] == [
        ("sendbuf", "out", 0, 3),
        ("recvbuf", "in", 0, 4),
    ]
    assert not process.until("isendrecv done").pending()
