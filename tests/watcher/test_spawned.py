# SPDX-License-Identifier: MIT
"""Processes from MPI_Comm_spawn. Debian's MPICH cannot spawn."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import MPI, on_mpi, short_directory
from tests.watcher import runs
from tests.watcher.test_exec import launched
from tests.watcher.test_unwatched import ended, told

NOT_WATCHED = "mpipp: not checked: processes started by MPI_Comm_spawn are not watched"
OTHERS = (
    "mpipp: not checked: calls before they start (--strict) on communicators of sessions or of "
    "several MPI_COMM_WORLDs, and more than 256 at a time in one process"
)
BETWEEN = (
    "mpipp: not checked: messages and collective calls on communicators with processes of another "
    "MPI_COMM_WORLD (MPI_Comm_spawn, MPI_Comm_accept)"
)
TYPES = """\
error: the types sent and received do not match, at the first element: \
MPI_INT is sent, MPI_FLOAT received
  rank 0 of spawned job 1: MPI_Send(dest = 1, tag = 5, comm = "MPI_COMM_WORLD", \
buf = 1 CONTIGUOUS[2])
    called at spawned.c:16 in among
    sends MPI_INT: buf(CONTIGUOUS)[0](INT)
  rank 1 of spawned job 1: MPI_Recv(source = 0, tag = 5, comm = "MPI_COMM_WORLD", \
buf = 2 MPI_FLOAT)
    called at spawned.c:18 in among
    receives MPI_FLOAT: buf(FLOAT)
    message number 1
  rule: MPI-4.1, section 3.3.1: the types sent and received must match, in the same order
  to do: describe the same basic types in the same order on both sides
  MUST: MUST_ERROR_TYPEMATCH_MISMATCH"""
LEAK = """\
warning: 1 datatype is not freed
  ranks 0 and 1 of spawned job 1: MPI_Datatype #72, CONTIGUOUS[2], size 8, extent 8
    made at spawned.c:11 in among
  rule: MPI-4.1, section 11.2.2: a program should free its objects before MPI_Finalize
  to do: call MPI_Type_free after the last use
  MUST: MUST_ERROR_LEAK_DATATYPE"""
HANG = """\
error: deadlock: rank 0 and rank 1 wait for each other (of spawned job 1)
  rank 0 waits in MPI_Recv(source 1, tag 6), called at spawned.c:14 in among
    rank 1 has no such send pending
  rank 1 waits in MPI_Recv(source 0, tag 6), called at spawned.c:14 in among
    rank 0 has no such send pending"""

BETWEEN_TYPES = """\
error: the types sent and received do not match, at the first element: \
MPI_INT is sent, MPI_FLOAT received
  ranks 0 and 1: MPI_Send(dest = 0, tag = 1, comm = {rank = 0, size = 2, remote_size = 2, \
remote_world_ranks = {-1, -1}, state = "freed"}, buf = 4 MPI_INT)
    called at parents.c:45 in parent
    sends MPI_INT: buf(INT)
  ranks 0 and 1 of spawned job 1: MPI_Recv(source = 0, tag = 1, comm = "MPI_COMM_PARENT", \
buf = 4 MPI_FLOAT)
    called at parents.c:35 in child
    receives MPI_FLOAT: buf(FLOAT)
    message number 1
  shown as in rank 0 and rank 0 of spawned job 1
  rule: MPI-4.1, section 3.3.1: the types sent and received must match, in the same order
  to do: describe the same basic types in the same order on both sides
  MUST: MUST_ERROR_TYPEMATCH_MISMATCH"""
LOST = """\
error: a message is sent and never received
  rank 1 of spawned job 1: MPI_Send(dest = 0, tag = 2, comm = "MPI_COMM_PARENT", buf = 3 MPI_INT)
    called at parents.c:38 in child
  rule: MPI-4.1, section 11.2.2: every message must have been received before MPI is finalized
  to do: receive it, or do not send it
  MUST: MUST_ERROR_MESSAGE_LOST"""
BCAST = """\
error: the types sent and received do not match, at the first element: \
MPI_INT is sent, MPI_FLOAT received
  rank 1: MPI_Bcast(root = MPI_ROOT, comm = {rank = 1, size = 2, remote_size = 2, \
remote_world_ranks = {-1, -1}, state = "freed"}, buffer = 2 MPI_INT)
    called at parents.c:49 in parent
    sends MPI_INT: buffer(INT)
  rank 0 of spawned job 1: MPI_Bcast(root = 1, comm = "MPI_COMM_PARENT", buffer = 2 MPI_FLOAT)
    called at parents.c:41 in child
    receives MPI_FLOAT: buffer(FLOAT)
    collective call number 1
  rule: MPI-4.1, section 6.2: the amount and types of data sent must equal those received
  to do: describe the same basic types in the same order on both sides
  MUST: MUST_ERROR_TYPEMATCH_MISMATCH"""

MERGED = """\
error: the types sent and received do not match, at the first element: \
MPI_INT is sent, MPI_FLOAT received
  rank 0 of spawned job 1: MPI_Bcast(root = 0, comm = {rank = 0, size = 4, \
world_ranks = {0, 1, -1, -1}, state = "freed"}, buffer = 2 MPI_INT)
    called at parents.c:26 in on_others
    sends MPI_INT: buffer(INT)
  rank 0: MPI_Bcast(root = 0, comm = {rank = 2, size = 4, world_ranks = {-1, -1, 0, 1}, \
state = "freed"}, buffer = 2 MPI_FLOAT)
    called at parents.c:26 in on_others
    receives MPI_FLOAT: buffer(FLOAT)
    collective call number 2
  rule: MPI-4.1, section 6.2: the amount and types of data sent must equal those received
  to do: describe the same basic types in the same order on both sides
  MUST: MUST_ERROR_TYPEMATCH_MISMATCH"""
DUP = """\
error: the types sent and received do not match, at the first element: \
MPI_FLOAT is sent, MPI_INT received
  rank 1: MPI_Send(dest = 0, tag = 5, comm = {rank = 3, size = 4, \
world_ranks = {-1, -1, 0, 1}, state = "freed"}, buf = 4 MPI_FLOAT)
    called at parents.c:27 in on_others
    sends MPI_FLOAT: buf(FLOAT)
  rank 0 of spawned job 1: MPI_Recv(source = 3, tag = 5, comm = {rank = 0, size = 4, \
world_ranks = {0, 1, -1, -1}, state = "freed"}, buf = 4 MPI_INT)
    called at parents.c:29 in on_others
    receives MPI_INT: buf(INT)
    message number 1
  rule: MPI-4.1, section 3.3.1: the types sent and received must match, in the same order
  to do: describe the same basic types in the same order on both sides
  MUST: MUST_ERROR_TYPEMATCH_MISMATCH"""


@on_mpi("openmpi4", "openmpi5")
@pytest.mark.parametrize(
    ("how", "blocks", "last"),
    [
        ("well", [], ["mpipp: no errors in 4 processes (34 MPI calls checked)"]),
        ("types", [BETWEEN_TYPES], ["mpipp: 1 error in 4 processes (34 MPI calls checked)"]),
        ("lost", [LOST], ["mpipp: 1 error in 4 processes (33 MPI calls checked)"]),
        ("bcast", [BCAST], ["mpipp: 1 error in 4 processes (34 MPI calls checked)"]),
        ("merged", [MERGED], ["mpipp: 1 error in 4 processes (42 MPI calls checked)"]),
        ("dup", [DUP], ["mpipp: 1 error in 4 processes (44 MPI calls checked)"]),
        ("split", [], [BETWEEN, "mpipp: no errors in 4 processes (42 MPI calls checked)"]),
        ("twice", [], [BETWEEN, "mpipp: no errors in 6 processes (60 MPI calls checked)"]),
    ],
)
def test_they_are_compared_with_their_parents(
    how: str, blocks: list[str], last: list[str], mpi: MPI
) -> None:
    found = runs.run(mpi, [runs.program("parents.c", mpi), how])
    assert (found.status, found.blocks) == (0, [mpi.cited(block) for block in blocks])
    assert found.last == last


@pytest.mark.thorough
@on_mpi("openmpi4")
def test_they_are_compared_only_when_all_are_there(mpi: MPI) -> None:
    """While the second process runs, the last of three may still spawn others."""
    found = runs.run(mpi, [runs.program("parents.c", mpi), "chain", "abc"], n=1)
    assert (found.status, found.blocks) == (0, [])
    assert found.last == [BETWEEN, "mpipp: no errors in 3 processes (18 MPI calls checked)"]


@on_mpi("openmpi4", "openmpi5")
def test_they_are_watched(mpi: MPI) -> None:
    found = runs.run(mpi, [runs.program("spawned.c", mpi), "wrong"], n=1)
    assert (found.status, found.blocks) == (0, [mpi.cited(LEAK), mpi.cited(TYPES)])
    assert found.last == ["mpipp: 1 error, 1 warning in 3 processes (33 MPI calls checked)"]


@on_mpi("openmpi4")
def test_they_are_strict_among_themselves(mpi: MPI) -> None:
    found = runs.run(mpi, [runs.program("spawned.c", mpi), "well"], "--strict", n=2)
    assert (found.status, found.blocks) == (0, [])
    assert found.last == [OTHERS, "mpipp: no errors in 4 processes (44 MPI calls checked)"]


@on_mpi("openmpi4")
def test_they_wait_for_each_other(mpi: MPI) -> None:
    words: list[str | Path] = [*runs.words(mpi, "--hang-after", "1", n=1)]
    run = runs.started([*words, runs.program("spawned.c", mpi), "hang"], mpi)
    assert told(run, 2) == HANG
    assert ended(run).blocks == []


@on_mpi("openmpi4")
def test_another_launcher_does_not_watch_them(mpi: MPI, tmp_path: Path) -> None:
    with short_directory() as short:
        done = launched(mpi, short, "--check", "--", runs.program("spawned.c", mpi), "wrong")
    found = runs.read(done)
    assert (found.status, found.blocks) == (0, [])
    last = "mpipp: no errors in 2 processes (19 MPI calls checked)"
    assert found.last == [NOT_WATCHED, BETWEEN, last]
