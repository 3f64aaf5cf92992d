# SPDX-License-Identifier: MIT
"""Processes that end: deadlocks between nodes, and the reports when a process dies."""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mpipp.common.run_directory import WAITING
from mpipp.watcher.ipc.protocol import ABORTING
from mpipp.watcher.nodes.root_cause import Deaths
from mpipp.watcher.output import channel, node_results
from mpipp.watcher.output.channel import ToRun
from mpipp.watcher.output.totals import NOTHING
from mpipp.watcher.settings import Settings
from tests.support import MPI, ROOT, on_mpi, without_points
from tests.watcher import runs
from tests.watcher.nodes.test_nodes import LAUNCHER
from tests.watcher.test_unwatched import ended

RING = """\
error: deadlock: rank 0 waits for rank 3, rank 3 for rank 2, rank 2 for rank 1, rank 1 for rank 0
  rank 0 waits in MPI_Recv(source 3, tag 4), called at across.c:29 in main
    rank 3 has no such send pending
  rank 3 waits in MPI_Recv(source 2, tag 4), called at across.c:29 in main
    rank 2 has no such send pending
  rank 2 waits in MPI_Recv(source 1, tag 4), called at across.c:29 in main
    rank 1 has no such send pending
  rank 1 waits in MPI_Recv(source 0, tag 4), called at across.c:29 in main
    rank 0 has no such send pending
    near miss, another tag: rank 0 sent it 1 message with tag 3"""
PAIRS = {
    f"""\
error: deadlock: rank {one} and rank {other} wait for each other
  rank {one} waits in MPI_Waitall(2 requests), called at across.c:35 in main
    for MPI_Irecv(source {other}, tag 4), called at across.c:33 in main: \
rank {other} has no such send pending
  rank {other} waits in MPI_Waitall(2 requests), called at across.c:35 in main
    for MPI_Irecv(source {one}, tag 4), called at across.c:33 in main: \
rank {one} has no such send pending"""
    for one, other in ((0, 1), (2, 3))
}
FAR = """\
error: deadlock: rank 0 and rank 2 wait for each other
  rank 0 waits in MPI_Waitall(2 requests), called at across.c:35 in main
    for MPI_Irecv(source 2, tag 4), called at across.c:33 in main: rank 2 has no such send pending
  rank 2 waits in MPI_Waitall(2 requests), called at across.c:35 in main
    for MPI_Irecv(source 0, tag 4), called at across.c:33 in main: rank 0 has no such send pending
  ranks 1 and 3 wait for them:
    ranks 1 and 3 in MPI_Barrier, called at across.c:45 in main"""


def started(mpi: MPI, cwd: Path, *words: str, each: int = 2) -> subprocess.Popen[str]:
    """Start four processes, `each` on a node."""
    launcher = " ".join([sys.executable, "-I", "-S", str(LAUNCHER), str(each), *mpi.mpiexec])
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
    """Return the findings up to the block whose first line is the `times`-th that begins with
    `last`; then interrupt the run, as a user does."""
    assert run.stderr is not None
    said, count = "", 0
    for line in run.stderr:
        said += line
        count += without_points(line).startswith(last)
        if count == times and not line.strip():
            break
    os.killpg(run.pid, signal.SIGINT)  # as Ctrl-C does
    return runs.read(subprocess.CompletedProcess([], 0, "", said)).blocks


@pytest.mark.parametrize(
    ("mpi", "how"),
    [("mpich4", "ring"), ("mpich4", "pairs"), ("openmpi4", "far")],
    indirect=["mpi"],
)
def test_a_deadlock(mpi: MPI, how: str, tmp_path: Path) -> None:
    run = started(mpi, tmp_path, how)
    blocks = told(run, "error: deadlock", 2 if how == "pairs" else 1)
    if how == "pairs":  # each node reports the deadlock of its own pair
        assert set(blocks) == PAIRS
    else:
        assert blocks == [RING if how == "ring" else FAR]
    # A process that the user interrupts has not died.
    found = ended(run)
    assert found.blocks == []
    assert re.match(rf"mpipp: {len(blocks)} errors? in 4 processes \(", found.last[-1])
    assert list(tmp_path.iterdir()) == []


@on_mpi("mpich4")
def test_who_only_takes_long(mpi: MPI, tmp_path: Path) -> None:
    found = ended(started(mpi, tmp_path, "slow"))
    assert (found.status, found.blocks) == (0, [])
    assert found.last == ["mpipp: no errors in 4 processes (20 MPI calls checked)"]


@on_mpi("mpich4", "openmpi4")
def test_a_death_is_told_with_what_others_did(mpi: MPI, tmp_path: Path) -> None:
    found = ended(started(mpi, tmp_path, "die"))
    # The first process that a node sees to die is reported. A launcher that notices a death kills
    # the other ranks. When it kills rank 0, rank 1 may thus still be about to write its files.
    block = runs.only(found.blocks)
    assert re.match("remark: a process has been ended by (SIGKILL|a signal or _exit)\n", block)
    for rank in range(4):
        assert re.search(rf"ranks? (\d and |\d, )*{rank}\b", block), block
    assert re.match(r"mpipp: nothing found in 4 processes \(", found.last[-1])


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("each", [1, 2])
def test_who_is_the_cause_of_a_death(mpi: MPI, each: int, tmp_path: Path) -> None:
    """The launcher kills ranks when one dies; such a death may be seen before the one that caused
    it."""
    found = ended(started(mpi, tmp_path, "refused", each=each))
    block = runs.only(found.blocks)
    said = re.sub(r"\n    called at .*", "", block).splitlines()
    # The process exits, or the launcher kills it before.
    died = "error: a process has died inside MPI", "mpipp: 1 error in 4 processes ("
    killed = "remark: a process has been ended by SIG", "mpipp: nothing found in 4 processes ("
    first, last = died if said[0].startswith("error: ") else killed
    assert said[0].startswith(first)
    assert said[1].startswith("  rank 2: MPI_Info_delete(")
    assert (
        said[2] == "    meanwhile ranks 0, 1 and 3: MPI_Barrier, called at across.c:45 in main"
    ), block
    assert found.last[-1].startswith(last)


@pytest.mark.parametrize("taken", [0, 1, 2])
def test_what_a_launcher_has_not_read(
    taken: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A launcher ends soon after a process has died. Text that nodes write after that is lost."""
    blocks = "error: one", "error: the other"
    read, write = os.pipe()
    with suppress(BrokenPipeError), open(write, "w", buffering=1) as stream:
        monkeypatch.setattr(sys, "stderr", stream)
        to = ToRun(Settings(report=str(tmp_path), launched=True))
        for text in blocks:
            to.block(text, [])
        launcher = os.fdopen(read, "rb", buffering=0)
        launcher.read(sum(len(text) + 2 for text in blocks[:taken]))
        if taken < len(blocks):
            launcher.close()
            to.block("error: at the end", [])  # no launcher reads this text
        to.total(NOTHING)
    launcher.close()
    (left,), _ = node_results.nodes(str(tmp_path))
    assert left.ended
    printed = [one.printed for one in left.blocks]
    assert printed == [number < taken for number in range(len(printed))]
    assert len(printed) == 3 - (taken == 2)


def test_what_could_not_be_written_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A node prints a finding that another node has printed for other ranks, because the full disk
    keeps the nodes from sharing findings. It informs the launcher when the disk has space again."""
    real, failures = node_results.save, [OSError(errno.ENOSPC, "full")]

    def save(directory: str, node: node_results.Node) -> None:
        if node.blocks and failures:
            raise failures.pop()
        real(directory, node)

    monkeypatch.setattr(node_results, "save", save)
    monkeypatch.setattr(channel, "is_to_be_printed", lambda *_: False)
    to = ToRun(Settings(report=str(tmp_path), launched=True))
    for text in ("error: one", "error: the other"):
        to.block(text, [])
    ((left,), _) = node_results.nodes(str(tmp_path))
    assert [one.printed for one in left.blocks] == [True, False]
    assert capsys.readouterr().err == f"mpipp: cannot write {tmp_path}: full\nerror: one\n\n"


def process(rank: int, end: int = 0) -> Any:
    """One of two processes."""
    info = SimpleNamespace(job=1, world="1-2", world_rank=rank, world_size=2)
    return SimpleNamespace(registry=SimpleNamespace(info=info), end=end)


@pytest.fixture
def both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Deaths]:
    """The deaths that each of two nodes knows of."""
    made = []
    for name in ("one", "other"):
        monkeypatch.setenv("MPIPP_NODE", name)
        made.append(Deaths(str(tmp_path)))
    return made


def test_what_is_not_compared_is_said(tmp_path: Path) -> None:
    here = [process(0)]
    assert list(node_results.ProcessFiles("").not_compared(here)) == [
        "messages and collective calls with 1 process unknown to this watcher: start all "
        "processes with --check and --report DIR, and share DIR between the nodes"
    ]
    assert list(node_results.ProcessFiles(str(tmp_path)).not_compared(here)) == []
    assert list(node_results.ProcessFiles("").not_compared([*here, process(1)])) == []


def test_the_order_of_deaths(both: list[Deaths], tmp_path: Path) -> None:
    one, other = both
    first, second, aborts = process(0), process(1), process(1, ABORTING)
    assert one.order(first, [first]) == "first"
    assert other.order(second, [second]) == "too"
    assert other.order(aborts, [aborts]) == "after"
    assert one.order(first, [first]) == "first"
    # A node that knows of no other node, or has no directory, reports each death.
    assert other.order(second, [first, second]) == "first"
    assert Deaths("").order(second, [second]) == "first"
    # The other node's death was long ago: it is not the cause of this one.
    os.utime(tmp_path / WAITING / "ended", (1e9, 1e9))
    assert other.order(aborts, [aborts]) == "first"
    assert one.order(first, [first]) == "after"  # the process has already reported its state


@pytest.mark.parametrize(
    ("doubts", "causes"),
    [
        ((2, 1), (False, True)),
        ((1, 2), (True, False)),
        ((2, 2), (True, False)),  # with equal doubts, the process that died first is the cause
        ((2, None), (True, False)),
        ((None, 3), (False, True)),
        ((None, None), (True, True)),  # neither node has seen a death, so nothing is reported
    ],
)
def test_the_least_doubt(
    both: list[Deaths], doubts: tuple[int | None, int | None], causes: tuple[bool, bool]
) -> None:
    processes = process(0), process(1)
    for node, one in zip(both, processes):
        node.order(one, [one])
    for node, one, doubt in zip(both, processes, doubts):
        node.say([one], doubt)
    assert tuple(node.are_the_cause() for node in both) == causes


@pytest.mark.parametrize(
    "words",
    [b"", b"\xff", b"[5, 1, true]", b"[[[0]], 1, true]", b'["1", 1, true]', b'[[1], "a", 1]'],
)
def test_damaged_words_of_another_node(both: list[Deaths], tmp_path: Path, words: bytes) -> None:
    one, first = both[0], process(0)
    one.order(first, [first])
    one.say([first], 1)
    (tmp_path / WAITING / "died-other-1").write_bytes(words)
    assert one.are_the_cause()
    assert one.ended_on_other_nodes([first], time.monotonic()) == []
    (tmp_path / WAITING / "ended").write_bytes(b"\xff")
    assert both[1].order(process(1), [process(1)]) == "first"
