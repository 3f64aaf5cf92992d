# SPDX-License-Identifier: MIT
"""Runs of many processes: sums select those that differ, in one or several comparing processes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from mpipp.common.run_directory import PROCESSES, RunDirectory
from mpipp.common.run_directory import paths as paths_in
from mpipp.distributed import compare, select_channels
from mpipp.distributed.process_file import writer
from mpipp.symbolizer.source_frames import Frame
from tests.support import MPI, ROOT, on_mpi
from tests.unit.distributed import test_fingerprints_intercomm
from tests.unit.ledgers import OPS, Ended, buffer, call
from tests.unit.samples import DOUBLE, FLOAT, INT, contiguous

SIZE = 90
SENT = [
    call("MPI_Send", buffer("buf", 1, contiguous(3, INT))),
    call("MPI_Isend", buffer("buf", 5, DOUBLE)),
]
RECEIVED = [
    call("MPI_Recv", buffer("buf", 3, INT), line=2),
    call("MPI_Irecv", buffer("buf", 5, DOUBLE)),
]
PARTS = [call("MPI_Psend_init", buffer("buf", 2, INT, 4), line=4)]
PARTS_IN = [call("MPI_Precv_init", buffer("buf", 8, INT), line=5)]
OTHER = call("MPI_Send", buffer("buf", 5, FLOAT), line=3)
SUM = call("MPI_Allreduce", buffer("sendbuf", 1, INT), buffer("recvbuf", 1, INT), op=OPS["MPI_SUM"])
MAX = call("MPI_Allreduce", buffer("sendbuf", 1, INT), buffer("recvbuf", 1, INT), op=OPS["MPI_MAX"])
WRONG = """\
error: the processes reduce with different operations: MPI_SUM and MPI_MAX
  rank 0: MPI_Allreduce(comm = "MPI_COMM_WORLD", op = "MPI_SUM", sendbuf = 1 MPI_INT, \
recvbuf = 1 MPI_INT)
    called at app.c:1 in main
  rank 40: MPI_Allreduce(comm = "MPI_COMM_WORLD", op = "MPI_MAX", sendbuf = 1 MPI_INT, \
recvbuf = 1 MPI_INT)
    called at app.c:1 in main
    collective call number 8
  rule: MPI-4.1, section 6.9: the argument op must be the same in all processes
  to do: pass the same operation in all processes
  MUST: MUST_ERROR_COLLECTIVE_OP_MISMATCH"""
LOST = """\
error: a message is sent and never received
  rank 7: MPI_Send(dest = 8, tag = 9, comm = "MPI_COMM_WORLD", buf = 5 MPI_FLOAT)
    called at app.c:3 in main
  rule: MPI-4.1, section 11.2.2: every message must have been received before MPI is finalized
  to do: receive it, or do not send it
  MUST: MUST_ERROR_MESSAGE_LOST"""
UNSTARTED = """\
error: 2 messages are sent and never received
  rank 7: MPI_Psend_init(dest = 8, tag = 9, comm = "MPI_COMM_WORLD", buf = 8 MPI_INT)
    called at app.c:4 in main
  rule: MPI-4.1, section 11.2.2: every message must have been received before MPI is finalized
  to do: receive it, or do not send it
  MUST: MUST_ERROR_MESSAGE_LOST"""
MISMATCH = """\
error: the types sent and received do not match, at the first element: \
MPI_FLOAT is sent, MPI_DOUBLE received
  rank 61: MPI_Send(dest = 62, tag = 1, comm = "MPI_COMM_WORLD", buf = 5 MPI_FLOAT)
    called at app.c:3 in main
    sends MPI_FLOAT: buf(FLOAT)
  rank 62: MPI_Irecv(source = 61, tag = 1, comm = "MPI_COMM_WORLD", buf = 5 MPI_DOUBLE)
    called at app.c:1 in main
    receives MPI_DOUBLE: buf(DOUBLE)
    message number 502
  rule: MPI-4.1, section 3.3.1: the types sent and received must match, in the same order
  to do: describe the same basic types in the same order on both sides
  MUST: MUST_ERROR_TYPEMATCH_MISMATCH"""


def leave(directory: Path, *wrong: str) -> None:
    """Write the files of the processes of a ring."""
    for rank in range(SIZE):
        ended = Ended(rank, SIZE)
        runs = [(1, 1000, SENT)]
        if "type" in wrong and rank == 61:
            runs = [(1, 501, SENT), (502, 1, [OTHER]), (503, 498, SENT)]
        ended.sends((rank + 1) % SIZE, 1, *runs)
        ended.receives((rank - 1) % SIZE, 1, (1, 1000, RECEIVED))
        if "lost" in wrong and rank == 7:
            ended.sends(8, 9, (1, 1, [OTHER]))
        # Two of the processes use partitioned operations.
        if rank == 7:
            ended.starts("send", 8, 9, (1, 5, PARTS))
        if rank == 8:
            ended.starts("receive", 7, 9, (1, 3 if "lost" in wrong else 5, PARTS_IN))
        ended.joins((1, 7, [SUM]), (8, 1, [MAX if "op" in wrong and rank == 40 else SUM]))
        content = writer.written(ended.process(), frames, "node").process
        RunDirectory(str(directory)).publish(f"{PROCESSES}/{rank}", content)


def frames(site: object) -> list[Frame]:
    return [Frame(f"app.c:{getattr(site, 'address', 0)} in main")]


@pytest.fixture(scope="module")
def wrong(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a wrong run."""
    directory: Path = tmp_path_factory.mktemp("wrong")
    leave(directory, "type", "lost", "op")
    return directory


def test_nothing_is_wrong(tmp_path: Path) -> None:
    leave(tmp_path)
    paths = paths_in(str(tmp_path / PROCESSES))
    found = select_channels.select(paths, select_channels.SingleProcess())
    assert found == ([], [], set(range(SIZE)), SIZE, False, [], [])
    Path(paths[4]).unlink()
    Path(paths[5]).write_bytes(b"")
    compared = compare.compare(str(tmp_path), told=[])
    ranks = sorted(int(Path(path).name) for path in paths[4:6])
    assert (compared.findings, compared.unchecked) == (
        [],
        [
            f"{paths[5]} is not a process file of mpipp",
            f"ranks {ranks[0]} and {ranks[1]} have left nothing in {tmp_path} to compare: all "
            "nodes must share this directory",
        ],
    )


def test_only_what_differs_is_compared(wrong: Path) -> None:
    paths = paths_in(str(wrong / PROCESSES))
    found = select_channels.select(paths, select_channels.SingleProcess())
    assert [(len(one.keys), len(one.paths)) for one in found.portions] == [(4, SIZE)]
    compared = compare.compare(str(wrong), told=[])
    rules = ["message-types", "message-lost", "message-lost", "op-mismatch"]
    assert [one.rule.id for one in compared.findings] == rules
    # Only processes with findings are in the result, and only their suspicious channels were read.
    ranks = [one.registry.info.world_rank for one in compared.processes]
    assert ranks == [0, 7, 40, 61, 62]
    world = compared.processes[3].registry.objects("comm")
    (channels,) = ([c.sequence for c in comm.channels] for comm in world)
    assert channels == ["sends", "collectives"]


def by_two(mpi: MPI, directory: Path) -> subprocess.CompletedProcess[str]:
    """The output of a comparison by two processes."""
    return subprocess.run(
        [*mpi.mpiexec, "-n", "2", mpi.python, "-m", "mpipp.api.parallel_compare", str(directory)],
        env={**mpi.env, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


@on_mpi("mpich4", "openmpi4")
def test_several_processes_share_the_work(mpi: MPI, wrong: Path) -> None:
    done = by_two(mpi, wrong)
    last = "mpipp: 4 errors in 0 processes (0 MPI calls checked)"
    assert done.stdout == "\n\n".join([MISMATCH, LOST, UNSTARTED, WRONG, last]) + "\n", done.stderr
    assert done.returncode == 0
    # mpipp report prints the same.
    assert (wrong / "findings.txt").read_text().startswith(MISMATCH)


def in_portions(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[list[tuple[str, str]], list[str]]:
    """The findings with the labels of their processes, in portions of one channel."""
    monkeypatch.setattr(select_channels, "PORTION", 1)
    compared = compare.compare(str(directory), told=[])
    found = [
        (one.what.text.partition(",")[0], compared.view.label(*(p.process for p in one.parties)))
        for one in compared.findings
    ]
    return found, compared.unchecked


def test_in_portions(wrong: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    types = ("the types sent and received do not match", "ranks 61 and 62")
    operations = ("the processes reduce with different operations: MPI_SUM and MPI_MAX",)
    lost = [("a message is sent and never received", "rank 7")]
    lost += [("2 messages are sent and never received", "rank 7")]
    # Findings about the same processes stay together.
    found = [(*operations, "ranks 0 and 40"), *lost, types]
    assert in_portions(wrong, monkeypatch) == (found, [])
    sentence = "only 3 of 4 suspicious channels were compared: mpipp stops after 3 findings"
    monkeypatch.setattr(compare, "MOST_FINDINGS", 3)
    assert in_portions(wrong, monkeypatch) == (found[:3], [sentence])
    monkeypatch.setattr(compare, "MOST_SECONDS", -1.0)
    monkeypatch.setattr(compare, "MOST_FINDINGS", 1000)
    sentence = "only 0 of 4 suspicious channels were compared: mpipp stops after -1 seconds"
    assert in_portions(wrong, monkeypatch) == ([], [sentence])


def test_receives_of_more_than_comes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The sums are not zero although there is no error: received sizes are unknown to them.
    monkeypatch.setattr(select_channels, "PORTION", 10)
    ended = []
    for rank in range(SIZE):
        one = Ended(rank, SIZE).joins((1, 1, [SUM]))
        one.sends((rank + 1) % SIZE, 1, (1, 5, SENT))
        more = [call("MPI_Recv", buffer("buf", 30, INT)), RECEIVED[1]]
        if rank == 40:
            more[1] = call("MPI_Recv", buffer("buf", 5, FLOAT))
        ended.append(one.receives((rank - 1) % SIZE, 1, (1, 5, more)))
    assert left(tmp_path, ended) == [
        "the types sent and received do not match, at the first element: "
        "MPI_DOUBLE is sent, MPI_FLOAT received"
    ]
    portions = select_channels.select(
        paths_in(str(tmp_path / PROCESSES)), select_channels.SingleProcess()
    ).portions
    assert [(len(one.keys), len(one.paths)) for one in portions] == [(10, 11)] * 9


def left(directory: Path, ended: list[Ended]) -> list[str]:
    """The findings from the files of processes, if only a few processes differ."""
    for one in ended:
        content = writer.written(one.process(), frames, "node").process
        RunDirectory(str(directory)).publish(f"{PROCESSES}/{one.rank}", content)
    return [one.what.text for one in compare.compare(str(directory), told=[]).findings]


def test_what_two_groups_do(tmp_path: Path) -> None:
    found = left(tmp_path, test_fingerprints_intercomm.group("Allgather", SIZE, 30, "type", 70))
    assert found == [
        "the types sent and received do not match, at the first element: MPI_INT is sent, "
        "MPI_FLOAT received"
    ]


def test_edges_of_a_graph(tmp_path: Path) -> None:
    ring = test_fingerprints_intercomm.ring(SIZE)
    ring[50] = test_fingerprints_intercomm.Graph(50, SIZE, sources=(), destinations=(51,))
    found = left(tmp_path, ring)
    assert found == ["rank 49 has 1 edge to rank 50, which has no edge from it"]


def test_what_found_no_room_has_been_made(tmp_path: Path) -> None:
    ended = [Ended(rank, SIZE) for rank in range(SIZE)]
    for one in ended:
        if one.rank == 20:
            one.forgets("collectives", -1, -1, 8)
        else:
            one.joins((1, 8, [SUM]))
    ended[7].sends(8, 9, (1, 5, SENT))
    ended[8].forgets("receives", 7, 9, 5)
    assert left(tmp_path, ended) == []


def test_who_has_made_no_call(tmp_path: Path) -> None:
    ended = [Ended(rank, SIZE) for rank in range(SIZE)]
    for one in ended:
        if one.rank != 5:
            one.joins((1, 1, [SUM]))
    assert left(tmp_path, ended) == ["rank 5 has ended without calling MPI_Allreduce"]
