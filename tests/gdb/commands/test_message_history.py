# SPDX-License-Identifier: MIT
"""`mpipp list messages` prints messages and collective calls, with repetitions merged."""

from __future__ import annotations

import json
import re

from tests import support

REDUCED = (
    "MPI_Allreduce, MPI_MAX, sendbuf MPI_IN_PLACE, recvbuf 2 MPI_INT, "
    "called at message_history.c:11"
)
ALL = f"""\
MPI_COMM_SELF: 1003 collective calls
  1            MPI_Comm_dup, called at message_history.c:8 in main
  2 to 401     {REDUCED} in main
  402          MPI_Bcast, root 0, 0 MPI_INT, called at message_history.c:12 in main
  403 to 802   {REDUCED} in main
  803          MPI_Bcast, root 0, 1 MPI_INT, called at message_history.c:12 in main
  804 to 1003  {REDUCED} in main
{{rank = 0, size = 1, state = "freed"}}, from rank 0, tag 5: 1000 receives
  1 to 1000  MPI_Sendrecv, 4 MPI_INT, called at message_history.c:10 in main
{{rank = 0, size = 1, state = "freed"}}, to rank 0, tag 5: 1000 sends
  1 to 1000  MPI_Sendrecv, 3 MPI_INT, called at message_history.c:10 in main
3003 calls in 3 channels
"""


def said(*commands: str) -> str:
    mpi = support.find_mpi(support.MPI_IDS[0])
    program = support.compile_program(support.program_source("gdb", "message_history.c"), mpi)
    return support.gdb_batch(commands, program=program, mpi=mpi, stop=("break MPI_Barrier", "run"))


def test_what_repeats_is_said_once() -> None:
    assert said("mpipp list messages --all") == ALL
    assert said("mpipp list messages") == ALL


def test_as_json() -> None:
    found = json.loads(said("mpipp list messages --json"))
    names = [(c["sequence"], c["peer"], c["tag"], c["count"]) for c in found["channels"]]
    assert names == [
        ("collectives", 0, 0, 1003),
        ("receives", 0, 5, 1000),
        ("sends", 0, 5, 1000),
    ]
    together = [stretch["seconds"] for stretch in found["channels"][0]["stretches"]]
    assert together == sorted(together) and together[0] > 0 and together[-1] < 600, together
    (stretch,) = found["channels"][2]["stretches"]
    assert 0 < stretch.pop("seconds") < together[-1]
    assert stretch == {
        "first": 1,
        "count": 1000,
        "calls": [
            {
                "procedure": "MPI_Sendrecv",
                "data": ["3 MPI_INT"],
                "called": "message_history.c:10 in main",
                "started": None,
            }
        ],
    }


OVERLAPPING = """\
#include <mpi.h>
int main(int argc, char **argv) {
  int row[4] = {0}, all[8];
  MPI_Datatype twice;
  MPI_Init(&argc, &argv);
  MPI_Type_vector(2, 2, 1, MPI_INT, &twice);
  MPI_Type_commit(&twice);
  for (int step = 0; step < 9; step++)
    MPI_Sendrecv(row, 4, MPI_INT, 0, 0, all, 1, twice, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Type_free(&twice);
  MPI_Barrier(MPI_COMM_SELF);
  MPI_Finalize();
}
"""
TWICE = """\
error: MPI_Sendrecv writes memory twice: recvbuf overlaps itself
  MPI_Sendrecv(source = 0, tag = 0, comm = "MPI_COMM_SELF", recvbuf = 1 VECTOR[2, 2, 1])
    called at PROGRAM:9 in main
    writes bytes [4, 8) of it through recvbuf(VECTOR)[0][1](INT) and recvbuf(VECTOR)[1][0](INT)
"""


def test_a_buffer_that_overlapped_itself() -> None:
    mpi = support.find_mpi(support.MPI_IDS[0])
    program = support.compile_program(OVERLAPPING, mpi)
    said = support.gdb_batch(
        ["mpipp check"], program=program, mpi=mpi, stop=("break MPI_Barrier", "run")
    )
    assert re.sub(r"\w+\.c", "PROGRAM", said).startswith(TWICE)
    assert "\n1 finding in 1 process" in said
