# SPDX-License-Identifier: MIT
"""Processes of several nodes that wait for each other, and what is told where one dies."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import runs
from support import MPI, ROOT, on_mpi
from test_nodes import LAUNCHER
from test_unwatched import ended

from mpipp.watch.elsewhere import Nodes

RING = """\
error: deadlock: rank 0 waits for rank 3, rank 3 for rank 2, rank 2 for rank 1, rank 1 for rank 0
  rank 0 waits in MPI_Recv(source 3, tag 4), called at across.c:18 in main
    rank 3 has no such send pending
  rank 3 waits in MPI_Recv(source 2, tag 4), called at across.c:18 in main
    rank 2 has no such send pending
  rank 2 waits in MPI_Recv(source 1, tag 4), called at across.c:18 in main
    rank 1 has no such send pending
  rank 1 waits in MPI_Recv(source 0, tag 4), called at across.c:18 in main
    rank 0 has no such send pending
    near miss, another tag: rank 0 sent it 1 message with tag 3"""
PAIRS = {
    f"""\
error: deadlock: rank {one} and rank {other} wait for each other
  rank {one} waits in MPI_Waitall(2 requests), called at across.c:24 in main
    for MPI_Irecv(source {other}, tag 4), called at across.c:22 in main: \
rank {other} has no such send pending
  rank {other} waits in MPI_Waitall(2 requests), called at across.c:24 in main
    for MPI_Irecv(source {one}, tag 4), called at across.c:22 in main: \
rank {one} has no such send pending"""
    for one, other in ((0, 1), (2, 3))
}
FAR = """\
error: deadlock: rank 0 and rank 2 wait for each other
  rank 0 waits in MPI_Waitall(2 requests), called at across.c:24 in main
    for MPI_Irecv(source 2, tag 4), called at across.c:22 in main: rank 2 has no such send pending
  rank 2 waits in MPI_Waitall(2 requests), called at across.c:24 in main
    for MPI_Irecv(source 0, tag 4), called at across.c:22 in main: rank 0 has no such send pending
  ranks 1 and 3 wait for them:
    ranks 1 and 3 in MPI_Barrier, called at across.c:30 in main"""


def started(mpi: MPI, cwd: Path, *words: str) -> subprocess.Popen[str]:
    """Four processes on two nodes."""
    launcher = " ".join([sys.executable, "-I", "-S", str(LAUNCHER), "2", *mpi.mpiexec])
    options = "--hang-after", "0.5", "--mpiexec", launcher, "-n", "4", "--"
    program = runs.program("across.c", mpi)
    return subprocess.Popen(
        [sys.executable, "-m", "mpipp.cli", "run", "--check", *options, str(program), *words],
        env={**mpi.env, "PYTHONPATH": str(ROOT)},
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def told(run: subprocess.Popen[str], last: str, times: int = 1) -> list[str]:
    """What it says up to lines that begin so, and to their block's end; the user ends it then."""
    assert run.stderr is not None
    said, count = "", 0
    for line in run.stderr:
        said += line
        count += line.startswith(last)
        if count == times and not line.strip():
            break
    os.killpg(run.pid, signal.SIGINT)  # as Ctrl-C
    return runs.read(subprocess.CompletedProcess([], 0, "", said)).blocks


@pytest.mark.parametrize(
    ("mpi", "how"),
    [("mpich4", "ring"), ("mpich4", "pairs"), ("openmpi4", "far")],
    indirect=["mpi"],
)
def test_a_deadlock(mpi: MPI, how: str, tmp_path: Path) -> None:
    run = started(mpi, tmp_path, how)
    blocks = told(run, "error: deadlock", 2 if how == "pairs" else 1)
    if how == "pairs":  # each node tells of its own
        assert set(blocks) == PAIRS
    else:
        assert blocks == [RING if how == "ring" else FAR]
    # Who is ended by the user has not died.
    found = ended(run)
    assert found.blocks == []
    assert re.match(rf"mpipp: {len(blocks)} errors? in 4 processes, ", found.last[-1])
    assert list(tmp_path.iterdir()) == []


@on_mpi("mpich4")
def test_who_only_takes_long(mpi: MPI, tmp_path: Path) -> None:
    found = ended(started(mpi, tmp_path, "slow"))
    assert (found.status, found.blocks) == (0, [])
    assert found.last == ["mpipp: no errors in 4 processes, 20 calls"]


@on_mpi("mpich4", "openmpi4")
def test_a_death_is_told_with_what_others_did(mpi: MPI, tmp_path: Path) -> None:
    found = ended(started(mpi, tmp_path, "die"))
    # One node tells; whoever it sees first, where they are killed within moments.
    (block,) = found.blocks
    assert block.startswith("error: a process has died, by a signal or _exit\n")
    for rank in range(4):
        assert re.search(rf"ranks? (\d and |\d, )*{rank}\b", block), block
    assert re.match("mpipp: 1 error in 4 processes, ", found.last[-1])


def test_the_first_to_die_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def process(rank: int) -> Any:
        info = SimpleNamespace(job=1, world_rank=rank, world_size=2)
        return SimpleNamespace(registry=SimpleNamespace(info=info))

    monkeypatch.setenv("MPIPP_NODE", "one")
    one = Nodes(str(tmp_path))
    monkeypatch.setenv("MPIPP_NODE", "other")
    other = Nodes(str(tmp_path))
    first, second = process(0), process(1)
    assert one.ends_first(first, [first])
    assert not other.ends_first(second, [second])
    assert one.ends_first(first, [first])
    # Where there is no other node, or no directory, each is told of.
    assert other.ends_first(second, [first, second])
    assert Nodes("").ends_first(second, [second])
    # Long after.
    os.utime(tmp_path / "waiting" / "ended", (1e9, 1e9))
    assert other.ends_first(second, [second])
