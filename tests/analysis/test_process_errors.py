# SPDX-License-Identifier: MIT
"""The findings of `mpipp check` about errors of one process."""

from __future__ import annotations

import re

import pytest

from tests import support

PROGRAM = support.program_source("analysis", "process_errors.c")

# For each error: the place where the program stops, and the finding there.
SAID = {
    "bottom": (
        "MPI_Alltoall",
        """\
error: sendbuf and recvbuf of MPI_Alltoall overlap
  MPI_Alltoall(comm = "MPI_COMM_WORLD", sendbuf = MPI_BOTTOM (1 HINDEXED_BLOCK[1, 4]), \
recvbuf = MPI_BOTTOM (1 HINDEXED_BLOCK[1, 4]))
    called at process_errors.c:19 in bottom
    both at [0x, 0x)
    reads sendbuf(HINDEXED_BLOCK)[0][2](DOUBLE)
    writes recvbuf(HINDEXED_BLOCK)[0][0](DOUBLE)
  rule: MPI-4.1, section 2.3: an output argument must not alias another argument
  to do: use two buffers that do not overlap
  MUST: MUST_ERROR_OVERLAPPED_RECV
""",
    ),
    "root": (
        "MPI_Reduce",
        """\
error: root is {MPI_ROOT}, but the communicator has only rank 0
  MPI_Reduce(root = MPI_ROOT, comm = "MPI_COMM_WORLD", op = "MPI_SUM", \
sendbuf = 0x (1 MPI_DOUBLE))
    called at process_errors.c:23 in root
  rule: MPI-4.1, section 3.2.3: a rank must belong to the communicator's group
  to do: pass a rank of the communicator
  MUST: MUST_ERROR_ROOT_NOT_IN_COMM
""",
    ),
    "grid": (
        "MPI_Type_create_darray",
        """\
error: psizes describe 3 processes, but size is 2
  MPI_Type_create_darray(size = 2, rank = 0, ndims = 1, gsizes = {10}, \
distribs = {MPI_DISTRIBUTE_BLOCK}, dargs = {MPI_DISTRIBUTE_DFLT_DARG}, psizes = {3}, \
order = MPI_ORDER_C, oldtype = "MPI_INT")
    called at process_errors.c:30 in grid
  rule: MPI-4.1, section 5.1.4: the product of psizes must be size, the number of processes
  to do: let MPI_Dims_create fill psizes for size processes
""",
    ),
    "again": (
        "MPI_Barrier",
        """\
error: MPI_Irecv and MPI_Irecv write the same memory, [0x, 0x)
  MPI_Irecv(source = 0, tag = 0, comm = "MPI_COMM_WORLD", buf = 0x (4 MPI_DOUBLE)), request #1
    called at process_errors.c:36 in again
    writes buf(DOUBLE)
  MPI_Irecv(source = 0, tag = 1, comm = "MPI_COMM_WORLD", buf = 0x (4 MPI_DOUBLE)), request #2
    called at process_errors.c:36 in again
    writes buf(DOUBLE)
    and 1 other at the same places
  rule: MPI-4.1, section 3.7.2: before a nonblocking operation completes, its send buffer must not \
be written and its receive buffer must not be accessed
  to do: complete one operation before you start the other, or use two buffers
  MUST: MUST_ERROR_OVERLAPPED_RECV
""",
    ),
}


@pytest.mark.each_case
@support.on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("mistake", SAID)
def test_wrong(mpi: support.MPI, mistake: str) -> None:
    procedure, expected = SAID[mistake]
    printed = support.gdb_batch(
        ["mpipp check"],
        program=support.compile_program(PROGRAM, mpi),
        args=[mistake],
        mpi=mpi,
        stop=["set breakpoint pending on", f"mpipp break {procedure}", "run"],
    )
    expected = expected.replace("{MPI_ROOT}", "-4" if mpi.id == "openmpi4" else "-3")
    pending = 3 if mistake == "again" else 0
    counted = f"\n1 finding in 1 process, 1 active call, {pending} pending requests\n"
    assert re.sub("0x[0-9a-f]+", "0x", printed) == mpi.cited(expected) + counted


# Wrong communicator arguments, and the findings.
NO_COMMUNICATORS = {
    "datatype": "is MPI_INT, a datatype\n",
    "info": "is that of an info\n  MPI_Info #3, {}\n    made at invalid_comm.c:11 in main\n",
    "zeros": "points to zeros, not to an object\n",
    "address": "is not a mapped address of the process\n",
}


@support.on_mpi("mpich4", "openmpi4", "openmpi5")
def test_what_is_no_communicator(mpi: support.MPI) -> None:
    # MPICH 4's handles are integers, not addresses, so the other cases do not exist.
    sorts = ["datatype"] if mpi.id == "mpich4" else list(NO_COMMUNICATORS)
    commands: list[str] = []
    for what in sorts:
        commands += [f"run {what}", "echo @@@\\n", "mpipp check", "echo @@@\\n", "kill"]
    printed = support.gdb_batch(
        commands,
        program=support.compile_program(support.program_source("analysis", "invalid_comm.c"), mpi),
        mpi=mpi,
        stop=["set breakpoint pending on", "mpipp break MPI_Barrier"],
    )
    found = re.sub("0x[0-9a-f]+", "0x", printed).split("@@@\n")[1::2]
    assert found == [mpi.cited(_no_communicator(what)) for what in sorts]


def _no_communicator(what: str) -> str:
    return f"""\
error: comm is 0x, which is not a handle of a communicator
  MPI_Barrier(comm = <unknown MPI_Comm 0x>)
    called at invalid_comm.c:16 in main
    0x {NO_COMMUNICATORS[what]}\
  rule: MPI-4.1, section 2.5.1: a handle that is null, freed or never set must not be passed where \
an object is needed
  to do: check that the variable is set before this call

1 finding in 1 process, 1 active call, 0 pending requests
"""


# A thousand receives into one buffer, with equal or different lengths.
MANY = """\
#include <mpi.h>

int main(int argc, char **argv) {
  static MPI_Request requests[1000];
  static char row[1000];
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 1000; i++)
    MPI_Irecv(row, argc > 1 ? i + 1 : 9, MPI_CHAR, 0, i, MPI_COMM_SELF, &requests[i]);
  MPI_Barrier(MPI_COMM_SELF);
}
"""


@support.on_mpi("mpich4")
@pytest.mark.parametrize("args", [[], ["1"]], ids=["same", "different"])
def test_a_thousand_overlaps_are_one_finding(mpi: support.MPI, args: list[str]) -> None:
    printed = support.gdb_batch(
        [
            "python import time; start = time.process_time()",
            "mpipp check",
            "python print('seconds', time.process_time() - start)",
        ],
        program=support.compile_program(MANY, mpi),
        args=args,
        mpi=mpi,
        stop=["set breakpoint pending on", "mpipp break MPI_Barrier", "run"],
    )
    report, _, seconds = printed.rpartition("seconds ")
    assert report.startswith("error: MPI_Irecv and MPI_Irecv write the same memory, [0x")
    assert "    and 998 others at the same places\n" in report
    assert report.endswith("\n1 finding in 1 process, 1 active call, 1000 pending requests\n")
    assert float(seconds) < 8  # on an idle machine it takes at most 2


# Calls for which only the procedure is recorded. MPI ends the program in them.
OUTSIDE = """\
#include <mpi.h>

int main(int argc, char **argv) {
  int rank;
  if (argc > 1) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Finalize();
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}
"""


@support.on_mpi("mpich4")
@pytest.mark.parametrize(
    ("args", "when", "comm"),
    [
        ([], "before MPI is initialized", "<unknown MPI_Comm 0x44000000>"),
        (["1"], "after MPI_Finalize", '"MPI_COMM_WORLD"'),
    ],
)
def test_a_call_that_is_only_marked(
    mpi: support.MPI, args: list[str], when: str, comm: str
) -> None:
    printed = support.gdb_batch(
        ["mpipp check"],
        program=support.compile_program(OUTSIDE, mpi),
        args=args,
        mpi=mpi,
        stop=["catch syscall exit_group", "run"],
    )
    lines = printed[printed.index("error: MPI_Comm_rank") :].splitlines()
    assert lines[:3] == [
        f"error: MPI_Comm_rank is called {when}",
        f"  MPI_Comm_rank(comm = {comm})",
        "    called at main.c:10 in main",
    ]
    assert lines[-1] == "1 finding in 1 process, 0 active calls, 0 pending requests"
