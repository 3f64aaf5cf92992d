# SPDX-License-Identifier: MIT
"""`--strict` if some processes do not take part: no process waits for them."""

from __future__ import annotations

import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mpipp.watcher.collective_precheck import vote
from mpipp.watcher.collective_precheck.vote import WaitingProcesses
from mpipp.watcher.ipc.protocol import StrictQuery
from mpipp.watcher.processes.process import RUNNING
from tests import support
from tests.support import MPI, ROOT, on_mpi, short_directory
from tests.watcher import runs

EXEC = [sys.executable, "-m", "mpipp.cli", "exec"]
STRICT = [*EXEC, "--check=fast", "--strict", "--on-error", "handler"]


def job(mpi: MPI, how: str, *parts: tuple[list[str], str]) -> runs.Run:
    """Processes of one job. `how` has the command that starts each, and its simulated node."""
    program = support.compile_program(ROOT / "examples" / "scale.c", mpi, ("-g", "-O0"))
    words: list[str] = []
    for before, node in parts:
        at = ["env", f"MPIPP_NODE={node}"] if node else []
        words += [":"] * bool(words) + ["-n", "1", *at, *before, *["--"] * bool(before)]
        words += [str(program), *["wrong"] * (how == "wrong")]
    with short_directory() as short:
        done = subprocess.run(
            [*mpi.mpiexec, *words],
            env={
                **mpi.env,
                "PYTHONPATH": str(ROOT),
                "MPIPP_WRAPPER": mpi.wrapper,
                "XDG_RUNTIME_DIR": str(short),
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
    return runs.read(done)


@on_mpi("mpich4", "openmpi4")
def test_strict_is_off_where_not_all_are(mpi: MPI) -> None:
    found = job(mpi, "well", (STRICT, ""), ([*EXEC, "--check=fast"], ""), ([], ""))
    assert (found.status, found.output, found.blocks) == (0, "all have the factor\n", [])
    assert found.last == [
        "mpipp: not checked: calls before they start (--strict): rank 1 was started without it",
        "mpipp: not checked: messages and collective calls with 1 process unknown to this "
        "watcher: start all processes with --check and --report DIR, and share DIR between "
        "the nodes",
        "mpipp: no errors in 2 processes (12 MPI calls checked)",
    ]


@on_mpi("mpich4", "openmpi4")
def test_all_nodes_agree(mpi: MPI, tmp_path: Path) -> None:
    strict = [*STRICT, "--report", str(tmp_path / "report")]
    root = "Invalid root" if mpi.id == "mpich4" else "MPI_ERR_ROOT: invalid root"
    found = job(mpi, "wrong", *((strict, node) for node in ("node0", "node0", "node1")))
    assert (found.status, found.output) == (0, f"no factor: {root}\n")
    block = runs.only(found.blocks)
    assert block.startswith("error: the processes pass different roots: 0 and 1\n  ranks 0 and 2: ")
    assert sorted(found.last) == [
        "mpipp: 1 error in 2 processes (14 MPI calls checked)",
        "mpipp: no errors in 1 process (7 MPI calls checked)",
    ]


@on_mpi("mpich4")
def test_sessions_are_compared_afterwards(mpi: MPI) -> None:
    found = runs.run(mpi, [runs.program("session.c", mpi)], "--strict")
    assert (found.status, found.blocks) == (0, [])
    assert found.last == [
        "mpipp: not checked: calls before they start (--strict) on communicators of sessions or of "
        "several MPI_COMM_WORLDs, and more than 256 at a time in one process",
        "mpipp: no errors in 2 processes (18 MPI calls checked)",
    ]


class Asking:
    """Processes that send votes to the watcher of a node."""

    def __init__(self, directory: str) -> None:
        self.watcher = WaitingProcesses(directory)
        self.watched: list[Any] = []
        self._answers: dict[int, socket.socket] = {}

    def add(self, rank: int, size: int, strict: bool = True) -> None:
        """Add a process that votes."""
        info = SimpleNamespace(world=f"7-{size}", world_rank=rank, world_size=size, pid=100 + rank)
        one = SimpleNamespace(pid=info.pid, state=RUNNING, strict=strict, initialized=True)
        one.registry, one.refresh = SimpleNamespace(info=info), lambda: None
        self.watched.append(one)
        if strict:
            asks, self._answers[rank] = socket.socketpair()
            self.watcher.add(asks, StrictQuery(info.pid), self.watched)

    def decided(self) -> list[str]:
        """Decide on the calls that wait, and return the watcher's sentences."""
        return list(self.watcher.decide(self.watched))

    def answers(self) -> dict[int, bytes]:
        """The answers by rank. Processes with an answer no longer wait."""
        found = {}
        for rank, connection in self._answers.items():
            with suppress(BlockingIOError):
                found[rank] = connection.recv(1, socket.MSG_DONTWAIT)
        return found


def test_who_does_not_come_is_not_awaited_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vote, "_HERE", -1.0)
    alone, one, other = Asking(""), Asking(str(tmp_path)), Asking(str(tmp_path))
    alone.add(0, 3)
    alone.add(2, 3)
    one.add(0, 3)
    one.add(1, 3)
    assert alone.decided() == one.decided() == []
    monkeypatch.setattr(vote, "_LATE", -1.0)
    said = "calls before they start (--strict): of 3 processes only ranks {} were started with it"
    assert alone.decided() == [said.format("0 and 2") + "; on several nodes they need --report DIR"]
    assert alone.answers() == {0: b"\0", 2: b"\0"}
    # The first decision is final: later processes get the same answer.
    assert one.decided() == [said.format("0 and 1")]
    other.add(2, 3)
    assert other.decided() == [said.format("0 and 1")]
    assert (one.answers(), other.answers()) == ({0: b"\0", 1: b"\0"}, {2: b"\0"})


def test_nobody_is_late_once_all_have_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vote, "_HERE", -1.0)
    one, other = Asking(str(tmp_path)), Asking(str(tmp_path))
    one.add(0, 2)
    assert one.decided() == []
    monkeypatch.setenv("MPIPP_NODE", "other")
    other.add(1, 2)
    assert other.decided() == []
    monkeypatch.setattr(vote, "_LATE", -1.0)
    assert one.decided() == []
    assert (one.answers(), other.answers()) == ({0: b"\1"}, {1: b"\1"})
    # A world that was spawned later.
    one.add(0, 2)
    one.add(1, 2, strict=False)
    assert one.decided() == ["calls before they start (--strict): rank 1 was started without it"]
