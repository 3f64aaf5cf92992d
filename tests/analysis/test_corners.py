# SPDX-License-Identifier: MIT
"""Correct corner cases get no finding.

Some calls name buffers and do not use them (MPI_PROC_NULL, MPI_NO_OP). Some partitions belong to
the program. A datatype may be freed during an operation.
"""

from __future__ import annotations

from pathlib import Path

from tests import support, typed

PROGRAM = support.program_source("analysis", "corners.c")

# The place where the program stops, with the active operation.
STOPS = (
    ("MPI_File_write_all_end", "1 active call, 0 pending requests"),
    ("MPI_Waitall", "1 active call, 3 pending requests"),
    ("MPI_Sendrecv", "1 active call, 0 pending requests"),
    ("MPI_Exscan", "1 active call, 0 pending requests"),
    ("MPI_Neighbor_alltoallv", "1 active call, 0 pending requests"),
    ("MPI_Waitany", "1 active call, 2 pending requests"),
    ("MPI_Fetch_and_op", "1 active call, 0 pending requests"),
    ("MPI_Get_accumulate", "1 active call, 0 pending requests"),
    ("MPI_Isend", "1 active call, 1 pending request"),
    ("MPI_Pack", "1 active call, 2 pending requests"),
)
# Stops for libraries with partitioned communication.
OF_PARTITIONS = (
    ("MPI_Scan", "1 active call, 2 pending requests"),
    ("MPI_Reduce", "1 active call, 2 pending requests"),
)

NEIGHBORS = """\
#include <mpi.h>

int main(int argc, char **argv) {
  static double row[4];
  const int one = 1, counts[2] = {2, COUNT}, displacements[2] = {0, 1};
  MPI_Comm ring;
  MPI_Init(&argc, &argv);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &one, &one, 0, &ring);
  MPI_Neighbor_allgatherv(row + 3, 1, MPI_DOUBLE, row, counts, displacements, MPI_DOUBLE, ring);
  MPI_Finalize();
}
"""


@support.on_mpi("mpich4")
def test_neighbors_have_no_rank(mpi: support.MPI) -> None:
    stop = ["set breakpoint pending on", "mpipp break MPI_Neighbor_allgatherv", "run"]
    overlap, count = (
        support.gdb_batch(
            ["mpipp check"],
            program=support.compile_program(NEIGHBORS.replace("COUNT", count), mpi),
            mpi=mpi,
            stop=stop,
        )
        for count in ("2", "-1")
    )
    neighbors = "through recvbuf[1](DOUBLE) of neighbor 0 and recvbuf(DOUBLE) of neighbor 1\n"
    assert neighbors in support.without_variables(overlap)
    assert count.startswith("error: the count -1 of recvbuf for neighbor 1 is negative\n")


ANY_TAG = """\
#include <mpi.h>

int main(int argc, char **argv) {
  int sent = 7, received;
  MPI_Init(&argc, &argv);
  MPI_Sendrecv(&sent, 1, MPI_INT, 0, MPI_ANY_TAG, &received, 1, MPI_INT, 0, MPI_ANY_TAG,
               MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Finalize();
}
"""


@support.on_mpi("mpich4", "openmpi4")
def test_a_send_receive_sends_no_message_of_any_tag(mpi: support.MPI) -> None:
    program = support.compile_program(ANY_TAG, mpi)
    stop = ["set breakpoint pending on", "mpipp break MPI_Sendrecv", "run"]
    lines = support.gdb_batch(["mpipp check"], program=program, mpi=mpi, stop=stop).splitlines()
    assert lines[0] == "error: tag is -1, and a tag must not be negative"
    assert lines[4:] == [
        "  to do: pass a tag from 0 to MPI_TAG_UB",
        "  MUST: MUST_ERROR_INTEGER_NEGATIVE",
        "",
        "1 finding in 1 process, 1 active call, 0 pending requests",
    ]


@support.on_mpi("mpich4", "openmpi4")
def test_corners(mpi: support.MPI, tmp_path: Path) -> None:
    program = support.compile_program(PROGRAM, mpi)
    stops = STOPS + (OF_PARTITIONS if mpi.id != "openmpi4" else ())
    commands = []
    for procedure, _ in stops:
        # Stop in the second call of these procedures.
        again = ["continue"] if procedure in ("MPI_Isend", "MPI_Pack") else []
        commands += ["delete", f"mpipp break {procedure}", "run", *again, "mpipp check"]
    said = typed.answers(
        commands,
        ["set breakpoint pending on"],
        program=program,
        args=[str(tmp_path / "file")],
        mpi=mpi,
    )
    found = [answer for command, answer in zip(commands, said) if command == "mpipp check"]
    assert found == [f"no findings in 1 process, {expected}" for _, expected in stops]


READY = """\
#include <mpi.h>

int main(int argc, char **argv) {
  static double from[4];
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Psend_init(from, 2, 2, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  MPI_Pready_range(0, 1, request);
  MPI_Scan(&(double){1}, from, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
}
"""


@support.on_mpi("mpich4")
def test_a_ready_partition_is_not_to_be_changed(mpi: support.MPI) -> None:
    program = support.compile_program(READY, mpi)
    stop = ["set breakpoint pending on", "mpipp break MPI_Scan", "run"]
    first, *rest = support.gdb_batch(["mpipp check"], program=program, mpi=mpi, stop=stop).split(
        "\n"
    )
    assert first.startswith("error: MPI_Scan and MPI_Psend_init write and read the same memory, ")
    assert rest[-2] == "1 finding in 1 process, 1 active call, 1 pending request"


TOLD = """\
#include <mpi.h>

int main(int argc, char **argv) {
  int sent = 1, middle = 0, received = 0, flag = 0;
  MPI_Request requests[3];
  MPI_Init(&argc, &argv);
  MPI_Irecv(&middle, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &requests[0]);
  MPI_Send(&sent, 1, MPI_INT, 0, 5, MPI_COMM_SELF);
  while (!flag) MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);
  MPI_Irecv(&received, 1, MPI_INT, 0, 6, MPI_COMM_SELF, &requests[1]);
  MPI_Isend(&middle, 1, MPI_INT, 0, 6, MPI_COMM_SELF, &requests[2]);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  MPI_Finalize();
}
"""


@support.on_mpi("mpich4", "openmpi4")
def test_told_that_it_is_complete(mpi: support.MPI) -> None:
    printed = support.gdb_batch(
        ["mpipp check"],
        program=support.compile_program(TOLD, mpi),
        mpi=mpi,
        stop=["mpipp break MPI_Waitall", "run"],
    )
    assert printed == "no findings in 1 process, 1 active call, 2 pending requests\n"
