# SPDX-License-Identifier: MIT
"""`mpipp check` on several processes: findings that differ only by rank are merged,
causes first."""

from __future__ import annotations

import re
from pathlib import Path

from tests import support
from tests.ranks import ranks

# Every process makes the same errors. With an argument, the first one does not send.
PROGRAM = """\
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int rank, size;
  static int row[9];
  static double column[3];
  MPI_Request requests[3];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Irecv(row, 4, MPI_INT, (rank + size - 1) % size, 5, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&row[2], 4, MPI_INT, 0, 6, MPI_COMM_WORLD, &requests[1]);
  if (argc == 1 || rank > 0)
    MPI_Isend(column, 3, MPI_DOUBLE, (rank + 1) % size, 5, MPI_COMM_WORLD, &requests[2]);
  printf("%d %d\\n", rank, (int)getpid());
  fflush(stdout);
  pause();
}
"""
ALL = """\
error: MPI_Irecv and MPI_Irecv write the same memory, [0x, 0x)
  ranks 0 to 2 (inferiors 1 to 3): MPI_Irecv(source = 2, tag = 5, comm = "MPI_COMM_WORLD", \
buf = 0x (4 MPI_INT)), request #1
    called at main.c:13 in main
    writes buf[2](INT)
  ranks 0 to 2 (inferiors 1 to 3): MPI_Irecv(source = 0, tag = 6, comm = "MPI_COMM_WORLD", \
buf = 0x (4 MPI_INT)), request #2
    called at main.c:14 in main
    writes buf(INT)
  shown as in rank 0 (inferior 1)
  rule: MPI-4.1, section 3.7.2: before a nonblocking operation completes, its send buffer must not \
be written and its receive buffer must not be accessed
  to do: complete one operation before you start the other, or use two buffers
  MUST: MUST_ERROR_OVERLAPPED_RECV

error: the types sent and received do not match, at the first element: MPI_DOUBLE is sent, \
MPI_INT received
  ranks {senders}): MPI_Isend(dest = 0, tag = 5, comm = "MPI_COMM_WORLD", \
buf = 0x (3 MPI_DOUBLE)), request #3
    called at main.c:16 in main
    sends MPI_DOUBLE: buf(DOUBLE), at 0x
  ranks {receivers}): MPI_Irecv(source = 2, tag = 5, comm = "MPI_COMM_WORLD", \
buf = 0x (4 MPI_INT)), request #1
    called at main.c:13 in main
    receives MPI_INT: buf(INT), at 0x
  shown as in ranks 0 and 2 (inferiors 1 and 3)
  rule: MPI-4.1, section 3.3.1: the types sent and received must match, in the same order
  to do: describe the same basic types in the same order on both sides
  MUST: MUST_ERROR_TYPEMATCH_MISMATCH

2 findings in 3 processes, 0 active calls, {pending} pending requests
"""
SOME = {"senders": "0 to 2 (inferiors 1 to 3", "receivers": "0 to 2 (inferiors 1 to 3"}
BUT_ONE = {"senders": "1 and 2 (inferiors 2 and 3", "receivers": "0 and 2 (inferiors 1 and 3"}
# In this program, one message too many is sent at the start.
TOO_MANY = """\
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int rank, number;
  double sum;
  MPI_Request requests[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Isend(&number, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&sum, 1, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD, &requests[1]);
  } else {
    MPI_Irecv(&sum, 1, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&number, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &requests[1]);
  }
  printf("%d %d\\n", rank, (int)getpid());
  fflush(stdout);
  pause();
}
"""
NOWHERE = """\
#include <mpi.h>

int main(int argc, char **argv) {
  MPI_Request requests[3];
  MPI_Init(&argc, &argv);
  MPI_Irecv(&argc, 1, MPI_INT, 0, 4, MPI_COMM_SELF, &requests[0]);
  MPI_Irecv((void *)64, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &requests[1]);
  MPI_Irecv((void *)64, 1, MPI_INT, 0, 6, MPI_COMM_SELF, &requests[2]);
  MPI_Barrier(MPI_COMM_SELF);
}
"""


def check(program: Path, mpi: support.MPI, *args: str, n: int) -> str:
    with ranks(program, mpi, *args, n=n) as pids:
        commands = []
        for number, (_, pid) in enumerate(sorted(pids.items()), 1):
            commands += ["add-inferior", f"inferior {number}"] if number > 1 else []
            commands.append(f"attach {pid}")
        output = support.gdb_batch([*commands, "echo @@@\\n", "mpipp check"], mpi=mpi)
    return re.sub("0x[0-9a-f]+", "0x", output.split("@@@\n")[1].partition("[Inferior")[0])


@support.on_mpi("mpich4", "openmpi4")
def test_what_all_ranks_do_is_said_once(mpi: support.MPI) -> None:
    said = check(support.compile_program(PROGRAM, mpi), mpi, n=3)
    assert said == mpi.cited(ALL.format(pending=9, **SOME))


@support.on_mpi("mpich4")
def test_of_some_ranks_it_is_said_of_which(mpi: support.MPI) -> None:
    said = check(support.compile_program(PROGRAM, mpi), mpi, "but one", n=3)
    assert said == mpi.cited(ALL.format(pending=8, **BUT_ONE))


@support.on_mpi("mpich4")
def test_messages_after_one_too_many(mpi: support.MPI) -> None:
    said = check(support.compile_program(TOO_MANY, mpi), mpi, n=2)
    what = "the types sent and received do not match, at the first element: "
    first, second = f"{what}MPI_INT is sent, MPI_DOUBLE received", f"{what}MPI_DOUBLE is sent, "
    assert re.findall(r"(?:error|remark): (.*)|may follow from: (.*)", said) == [
        (first, ""),
        (f"{second}MPI_INT received", ""),
        ("", first),
    ]


@support.on_mpi("mpich4")
def test_the_cause_comes_first(mpi: support.MPI) -> None:
    printed = support.gdb_batch(
        ["mpipp check"],
        program=support.compile_program(NOWHERE, mpi),
        mpi=mpi,
        stop=["set breakpoint pending on", "mpipp break MPI_Barrier", "run"],
    )
    outside = "buf of MPI_Irecv lies in unmapped memory at 0x40"
    assert re.findall(r"(?:error|remark): (.*)|may follow from: (.*)", printed) == [
        (outside, ""),
        ("MPI_Irecv and MPI_Irecv write the same memory, [0x40, 0x44)", ""),
        ("", outside),
        (outside, ""),
    ]
