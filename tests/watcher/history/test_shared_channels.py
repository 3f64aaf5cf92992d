# SPDX-License-Identifier: MIT
"""Channels that threads share: mpipp finds errors in any order of their messages."""

from __future__ import annotations

import re

import pytest

from tests.support import MPI, every_mpi, on_mpi
from tests.watcher import runs

RULE = """\
  rule: MPI-4.1, section 3.3.1: the types sent and received must match, in the same order
  to do: describe the same basic types in the same order on both sides
  MUST: MUST_ERROR_TYPEMATCH_MISMATCH"""
SENT = f"""\
error: no receive matches this send, at the first element: MPI_INT is sent, \
MPI_DOUBLE received
  rank 0: MPI_Send(dest = 1, tag = 7, comm = "MPI_COMM_WORLD", buf = 2 MPI_INT)
    called at unordered.c:LINE in send
    sends MPI_INT: buf(INT)
  rank 1: MPI_Recv(source = 0, tag = 7, comm = "MPI_COMM_WORLD", buf = COUNT MPI_DOUBLE)
    called at unordered.c:LINE in receive
    receives MPI_DOUBLE: buf(DOUBLE)
    2 different sends and 2 different receives were compared in any order: several threads \
use their channel
{RULE}"""
RECEIVED = f"""\
error: no send matches this receive, at the first element: MPI_DOUBLE is sent, \
MPI_FLOAT received
  rank 0: MPI_Send(dest = 1, tag = 7, comm = "MPI_COMM_WORLD", buf = 1 MPI_DOUBLE)
    called at unordered.c:LINE in send
    sends MPI_DOUBLE: buf(DOUBLE)
  rank 1: MPI_Recv(source = 0, tag = 7, comm = "MPI_COMM_WORLD", buf = COUNT MPI_FLOAT)
    called at unordered.c:LINE in receive
    receives MPI_FLOAT: buf(FLOAT)
    1 different send and 2 different receives were compared in any order: several threads \
use their channel
{RULE}"""

ALONE = f"""\
error: the types sent and received do not match, at the first element: MPI_INT is sent, \
MPI_DOUBLE received
  rank 0: MPI_Send(dest = 1, tag = 7, comm = "MPI_COMM_WORLD", buf = 2 MPI_INT)
    called at unordered.c:LINE in exchange_alone
    sends MPI_INT: buf(INT)
  rank 1: MPI_Recv(source = 0, tag = 7, comm = "MPI_COMM_WORLD", buf = 1 MPI_DOUBLE)
    called at unordered.c:LINE in exchange_alone
    receives MPI_DOUBLE: buf(DOUBLE)
    message number 1
{RULE}"""

THREADS = (
    "mpipp: not checked: use of freed handles, and of completed, active or duplicate requests, in "
    "ranks 0 and 1: several threads call MPI"
)


def watched(mpi: MPI, *words: str) -> runs.Run:
    program = runs.program("unordered.c", mpi, "-pthread")
    return runs.run(mpi, [program, "300", *words])


@every_mpi
@pytest.mark.parametrize("wrong, expected", [("sent", SENT), ("received", RECEIVED)])
def test_wrong(mpi: MPI, wrong: str, expected: str) -> None:
    found = watched(mpi, wrong)
    block = runs.only(found.blocks)
    told = re.sub(r"(\.c:)\d+", r"\1LINE", block)
    told = re.sub(r"(?<=buf = )\d(?= MPI_DOUBLE\)\n    called at \S+ in receive)", "COUNT", told)
    assert told.replace("2 MPI_FLOAT", "COUNT MPI_FLOAT") == mpi.cited(expected)
    assert found.last[0] == THREADS
    assert found.last[1].startswith("mpipp: 1 error in 2 processes")


@on_mpi("mpich4", "openmpi4")
def test_any_message_by_the_only_thread(mpi: MPI) -> None:
    """mpi4py makes calls of this kind: with MPI_THREAD_MULTIPLE, and MPI_ANY_TAG by default."""
    (block,) = watched(mpi, "alone").blocks
    assert re.sub(r"(\.c:)\d+", r"\1LINE", block) == mpi.cited(ALONE)


@every_mpi
def test_right(mpi: MPI) -> None:
    """Alternating threads receive messages in any order, among other messages."""
    found = watched(mpi, "nothing", "turns", "cancelled", "probed", "any")
    assert found.blocks == []
    assert found.last[0] == THREADS
    assert found.last[1].startswith("mpipp: no errors in 2 processes")
