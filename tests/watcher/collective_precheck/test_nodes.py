# SPDX-License-Identifier: MIT
"""`--strict` between nodes compares calls before they begin, as on one node."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mpipp.common.run_directory import STRICT, RunDirectory
from mpipp.watcher.collective_precheck import blocking, nonblocking
from mpipp.watcher.collective_precheck.blocking import ComparedCall
from mpipp.watcher.collective_precheck.nonblocking import NonblockingPrecheck
from mpipp.watcher.ipc.protocol import CollectiveQuery
from mpipp.watcher.processes.collective_comparison import ReportedCalls
from tests import support
from tests.support import MPI, on_mpi
from tests.watcher import runs
from tests.watcher.collective_precheck.test_blocking import CASES, ROOTS, blocks
from tests.watcher.nodes.test_nodes import LAUNCHER, watched
from tests.watcher.stops.test_stop_several import go_on, lines_of

ACROSS = "across_nodes.c"
STOPS = (
    r"  rank (?P<rank>\d) stops there: on (?P<node>node\d) mpipp attach (?P<pid>\d+); "
    "kill -CONT (?P=pid) continues it"
)


def words(mpi: MPI, per_node: int, n: int, *options: str) -> list[str]:
    """A command that watches `per_node` processes on each simulated node."""
    launcher = [sys.executable, "-I", "-S", str(LAUNCHER), str(per_node), *mpi.mpiexec]
    start = ["run", "--check=fast", "--strict", "--mpiexec", " ".join(launcher)]
    return [*start, "-n", str(n), *options, "--"]


@on_mpi("mpich4", "openmpi4")
def test_all_that_is_found_on_one_node_is_found_between_three(mpi: MPI, tmp_path: Path) -> None:
    known = {name: mpi.env[name] for name in ("LD_LIBRARY_PATH",) if name in mpi.env}
    command = words(mpi, 1, 3, "--on-error", "handler")
    program = runs.program("strict.c", mpi)
    found = runs.read(support.shell(*command, program, "file", env=known, cwd=tmp_path))
    assert found.output == "".join(f"{name}: {c}, {c}, {c}\n" for name, (c, _) in CASES.items())
    first, *others = blocks(found)
    assert first == mpi.cited(ROOTS)
    said = [block.split("\n")[0] for block in (first, *others)]
    assert said == [f"error: {what}" for _, what in CASES.values()]
    assert found.last == [f"mpipp: {len(CASES)} errors in 3 processes (697 MPI calls checked)"]
    assert found.status == 0


@on_mpi("mpich4", "openmpi4")
def test_a_call_that_goes_on_is_not_told_again_at_the_end(mpi: MPI, tmp_path: Path) -> None:
    found = watched(mpi, tmp_path, "op", options=("--strict",))
    lines = runs.only(found.blocks).splitlines()
    assert [line.split(":")[0] for line in lines if line.startswith("  rank")] == [
        "  ranks 0 and 1",
        "  ranks 2 and 3",
    ]
    assert found.last == ["mpipp: 1 error in 4 processes (156 MPI calls checked)"]
    assert found.status == 0


@on_mpi("mpich4", "openmpi4")
def test_a_call_that_is_not_to_be_made_ends_the_job(mpi: MPI, tmp_path: Path) -> None:
    found = watched(mpi, tmp_path, "op", options=("--on-error", "abort"))
    assert found.status
    assert len(found.blocks) == 1
    assert found.last == ["mpipp: 1 error in 4 processes (152 MPI calls checked)"]


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
def test_groups_are_compared(mpi: MPI, tmp_path: Path) -> None:
    options = ("--strict", "--on-error", "handler")
    found = watched(mpi, tmp_path, "groups", options=options, source=ACROSS)
    assert (found.status, found.output) == (0, "not made\n")
    block = runs.only(found.blocks)
    assert block.splitlines()[0] == "error: the processes pass different groups"


@pytest.mark.thorough
@on_mpi("mpich4")
def test_one_place_may_be_wrong_twice_where_nothing_is_strict(mpi: MPI, tmp_path: Path) -> None:
    found = watched(mpi, tmp_path, "twice", source=ACROSS)
    said = [block.splitlines()[0].partition(": ")[2] for block in found.blocks]
    different = "the processes reduce with different operations: {} and {}"
    assert said == [
        different.format("MPI_SUM", "MPI_MAX"),
        different.format("MPI_MIN", "MPI_PROD"),
    ]


@pytest.mark.thorough
@on_mpi("mpich4")
def test_nobody_stops_for_what_is_known(mpi: MPI, tmp_path: Path) -> None:
    known = tmp_path / "known"
    known.write_text("[is known]\ncheck = op-mismatch\n")
    options = ("--strict", "--stop", "--suppress", str(known))
    found = watched(mpi, tmp_path, "many", options=options, source=ACROSS)
    assert (found.status, found.blocks) == (0, [])
    assert found.last == [
        "mpipp: 1 suppressed: is known (1)",
        "mpipp: no errors in 4 processes (96 MPI calls checked)",
    ]


@pytest.mark.thorough
@on_mpi("mpich4")
def test_nothing_is_left_of_what_was_exchanged(mpi: MPI, tmp_path: Path) -> None:
    found = watched(
        mpi, tmp_path, "many", options=("--strict", "--report", "report"), source=ACROSS
    )
    assert found.last == ["mpipp: 1 error in 4 processes (96 MPI calls checked)"]
    assert len(list((tmp_path / "report" / STRICT).iterdir())) == 4  # the votes


@pytest.mark.thorough
@on_mpi("mpich4")
def test_both_sides_stop_and_each_node_says_where(mpi: MPI, tmp_path: Path) -> None:
    known = {name: mpi.env[name] for name in ("LD_LIBRARY_PATH",) if name in mpi.env}
    env = {**support.clean_environment(PYTHONPATH=str(support.ROOT)), **known}
    program = [str(runs.program("nodes.c", mpi)), "op"]
    command = [sys.executable, "-m", "mpipp.cli", *words(mpi, 2, 4, "--stop"), *program]
    with subprocess.Popen(command, env=env, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as run:
        try:
            found = lines_of(run, STOPS, 4)
            assert sorted((one["rank"], one["node"]) for one in found) == [
                ("0", "node0"),
                ("1", "node0"),
                ("2", "node1"),
                ("3", "node1"),
            ]
            for one in found:
                go_on(one)
            assert run.stderr
            last = run.stderr.read().splitlines()[-1]
            assert last.startswith("mpipp: 1 error in 4 processes (156 MPI calls checked)")
            assert run.wait() == 0
        finally:
            if run.poll() is None:
                support.end(run)


REDUCED = """\
error: the processes reduce with different operations: MPI_SUM and MPI_MAX
  rank 0: MPI_{0}(comm = "MPI_COMM_WORLD", op = "MPI_SUM", sendbuf = 1 MPI_INT, \
recvbuf = 1 MPI_INT)
    called at across_nodes.c:{1} in later
  rank 2: MPI_{0}(comm = "MPI_COMM_WORLD", op = "MPI_MAX", sendbuf = 1 MPI_INT, \
recvbuf = 1 MPI_INT)
    called at across_nodes.c:{1} in later
    collective call number 1
  rule: MPI-4.1, section 6.9: the argument op must be the same in all processes
  to do: pass the same operation in all processes
  MUST: MUST_ERROR_COLLECTIVE_OP_MISMATCH"""


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("how", ["nonblocking", "persistent"])
def test_nonblocking_calls_are_compared_as_they_complete(
    mpi: MPI, how: str, tmp_path: Path
) -> None:
    if how == "persistent" and mpi.standard < (4, 0):
        return  # the calls in the program came with MPI-4.0
    words = ["later", *([how] if how == "persistent" else [])]
    options = ("--strict", "--on-error", "abort", "--report", "report")
    found = watched(mpi, tmp_path, *words, options=options, source=ACROSS)
    assert found.status and found.output == ""
    called = ("Allreduce_init", 28) if how == "persistent" else ("Iallreduce", 32)
    assert found.blocks == [mpi.cited(REDUCED.format(*called))]
    assert [line.split(" processes")[0] for line in found.last] == ["mpipp: 1 error in 4"]
    left = os.listdir(tmp_path / "report" / STRICT)
    assert not any(name.startswith("started-") for name in left)


@on_mpi("mpich4", "openmpi4")
def test_nonblocking_calls_that_go_on_are_not_told_again_at_the_end(
    mpi: MPI, tmp_path: Path
) -> None:
    found = watched(mpi, tmp_path, "later", options=("--strict",), source=ACROSS)
    assert found.output == "went on\n"
    assert found.blocks == [mpi.cited(REDUCED.format("Iallreduce", 32))]
    assert found.last == ["mpipp: 1 error in 4 processes (28 MPI calls checked)"]


FILES = """\
error: MPI_File_iwrite_at_all and MPI_File_iwrite_all are matched on one file: \
each process's collective call number 1 on it
  rank 0: MPI_File_iwrite_at_all(comm = "MPI_COMM_WORLD", buf = 1 MPI_INT)
    called at across_nodes.c:61 in file
  rank 2: MPI_File_iwrite_all(comm = "MPI_COMM_WORLD", buf = 1 MPI_INT)
    called at across_nodes.c:59 in file
  rule: MPI-4.1, section 6.1: all processes of a communicator must call the same collective \
operations in the same order
  to do: find where the processes diverge: a branch on the rank, or a loop that one of them leaves \
earlier
  MUST: MUST_ERROR_COLLECTIVE_CALL_MISMATCH"""


@pytest.mark.thorough
@on_mpi("mpich4")
def test_calls_on_a_file_are_told_at_the_end(mpi: MPI, tmp_path: Path) -> None:
    found = watched(mpi, tmp_path, "file", options=("--strict",), source=ACROSS)
    assert found.blocks == [mpi.cited(FILES)]


@on_mpi("mpich4")
def test_nobody_is_awaited_who_cannot_be_compared(mpi: MPI, tmp_path: Path) -> None:
    found = watched(mpi, tmp_path, "threads", options=("--strict",), source=ACROSS)
    assert (found.status, found.blocks) == (0, [])
    assert not any("between nodes" in line for line in found.last)


@pytest.mark.thorough
@on_mpi("mpich4")
@pytest.mark.parametrize("how", ["later", "slowly"])
def test_of_each_node_who_completes_it_first_stops(mpi: MPI, how: str, tmp_path: Path) -> None:
    known = {name: mpi.env[name] for name in ("LD_LIBRARY_PATH",) if name in mpi.env}
    env = {**support.clean_environment(PYTHONPATH=str(support.ROOT)), **known}
    program = [str(runs.program(ACROSS, mpi)), how]
    command = [sys.executable, "-m", "mpipp.cli", *words(mpi, 2, 4, "--stop"), *program]
    with subprocess.Popen(command, env=env, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as run:
        try:
            nodes = []
            # A process that has not noticed the difference by then waits for the stopped process.
            for _ in range(2):
                one = lines_of(run, STOPS, 1)[0]
                nodes.append(one["node"])
                go_on(one)
            assert sorted(nodes) == ["node0", "node1"]
            assert run.stderr
            last = run.stderr.read().splitlines()[-1]
            assert last.startswith("mpipp: 1 error in 4 processes (")
            assert run.wait() == 0
        finally:
            if run.poll() is None:
                support.end(run)


def asked(directory: Path) -> ComparedCall:
    """One process of two. The other one is on another node, and has died."""
    one = ComparedCall(str(directory))
    connection: Any = SimpleNamespace()
    one.add(connection, CollectiveQuery(100, 100, 7, 1, 1, 2))
    return one


def test_watchers_that_say_nothing_are_not_awaited_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = asked(tmp_path)
    assert not one.is_due([])
    monkeypatch.setattr(blocking, "_LATE", -100.0)
    assert one.is_due([])
    assert one.failed == "some watchers of the other processes did not write theirs"
    assert one.members([]) == []


def test_what_is_damaged_and_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    one = asked(tmp_path)
    assert not one.is_due([])
    folder = tmp_path / STRICT / f"{7:016x}"
    left = folder / "node1-5.json"
    for calls in ('[["name"]]', '[["a", Infinity, 1, 7, 1, 1, 2]]', "[" * 100000, "5"):
        left.write_text(f'{{"calls": {calls}, "told": []}}')
        assert one.is_due([])
        assert one.failed == f"{left} is damaged"
    # Now the file with the list of calls is complete, but the file of the process is damaged.
    another = asked(tmp_path)
    left.write_text('{"calls": [["node1-5-200", 200, 200, 7, 1, 1, 2]], "told": []}')
    (folder / "processes").mkdir(exist_ok=True)
    (folder / "processes" / "node1-5-200").write_bytes(b"no process")
    assert another.is_due([]) and not another.failed
    assert another.members([]) == []
    at = os.path.join(folder, "processes", "node1-5-200")
    assert another.failed == f"{at} is not a process file of mpipp"
    RunDirectory(str(tmp_path / "other")).publish(STRICT, b"no directory")
    third = asked(tmp_path / "other")
    assert third.is_due([])
    assert third.failed.startswith("cannot write ")


class One(SimpleNamespace):
    """Stands for a watched process."""

    def __hash__(self) -> int:  # type: ignore[override]
        return id(self)


@pytest.mark.parametrize("left", ["", "5"])
def test_who_has_completed_a_call_does_not_wait_for_ever(
    left: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other process is on a node whose watcher writes nothing, or damaged files."""
    info = SimpleNamespace(world="1", world_rank=0, world_size=2)
    registry: Any = SimpleNamespace(info=info, objects=lambda kind, ended: ())
    process = SimpleNamespace(registry=registry)
    one: Any = One(
        pid=100,
        spawned=0,
        strict=True,
        registry=registry,
        refresh=int,
        process=lambda number: process,
    )
    said: list[str] = []
    reporter: Any = SimpleNamespace(note_not_checked=said.append, before=ReportedCalls())
    stopper: Any = SimpleNamespace(is_asked_for=False)
    calls = NonblockingPrecheck(str(tmp_path), [one], reporter, stopper)
    own, other = socket.socketpair()
    calls.add(other, CollectiveQuery(100, 100, 7, 1, 0, 2))
    assert calls.are_waiting and not said
    at = tmp_path / STRICT / f"started-{7:016x}" / "node1-5.json"
    if left:
        at.write_text(left)
    else:
        monkeypatch.setattr(nonblocking, "_LATE", -1.0)
    calls.look()
    assert own.recv(1) == b"\0"
    reason = "some watchers of the other processes did not write theirs"
    what = "nonblocking collective calls as they completed (--strict), between nodes"
    assert said == [f"{what}: {f'{at} is damaged' if left else reason}"]
    # The comparison has failed for good: the next process gets its answer at once.
    own, other = socket.socketpair()
    calls.add(other, CollectiveQuery(100, 100, 8, 1, 0, 2))
    assert own.recv(1) == b"\0" and len(said) == 1


def test_what_another_run_has_left_is_nobodys(tmp_path: Path) -> None:
    left = tmp_path / STRICT / f"started-{7:016x}" / "node1-5.json"
    left.parent.mkdir(parents=True)
    left.write_text("no list")
    info = SimpleNamespace(world="1", world_rank=0, world_size=2)
    one: Any = One(spawned=0, strict=True, registry=SimpleNamespace(info=info))
    nothing: Any = None
    calls = NonblockingPrecheck(str(tmp_path), [one], nothing, nothing)
    calls.look()
    assert not calls.are_waiting
