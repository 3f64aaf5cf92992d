# SPDX-License-Identifier: MIT
"""Processes that end inside of an MPI call."""

from __future__ import annotations

import re

from tests import support
from tests.support import MPI, on_mpi
from tests.watcher import runs
from tests.watcher.test_ends import WRONG_CALL

WRONG_TYPE = """\
#include <mpi.h>
int main(int argc, char **argv) {
  int rank;
  MPI_Datatype type;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) MPI_Type_contiguous(-1, MPI_INT, &type);
  else MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
"""


WRONG_TYPE_DIED = (
    """\
remark: a process has died in a call that is wrong
  rank 0: MPI_Type_contiguous()
    called at main.c:7 in main
  rule: MPI-4.1, section 11.2.2: a process must call MPI_Finalize before it ends
  to do: correct the call: MPI most likely ended the program because of this error, as """
    "its default error handler does"
)


@on_mpi("mpich4", "openmpi4")
def test_mpi_ends_the_program_in_a_constructor(mpi: MPI) -> None:
    """The call's arguments were on the lost stack, but the process is still reported."""
    found = runs.run(mpi, [support.compile_program(WRONG_TYPE, mpi, ("-g", "-w"))])
    wrong, died = found.blocks
    assert wrong.splitlines()[:2] == [
        "error: count is -1",
        '  rank 0: MPI_Type_contiguous(count = -1, oldtype = "MPI_INT")',
    ]
    # The state of the other process depends on the launcher.
    lines = [line for line in died.splitlines() if "    meanwhile rank 1: " not in line]
    assert "\n".join(lines) == mpi.cited(WRONG_TYPE_DIED)
    assert len(found.last) == 1  # everything was checked


NO_EPOCH = """\
#include <mpi.h>
static int memory[4], own[4];
int main(int argc, char **argv) {
  int rank;
  MPI_Win window, second;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  if (rank == 0) MPI_Put(own, 4, MPI_INT, 1, 0, 4, MPI_INT, window);
  MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &second);
  MPI_Win_free(&second);
  MPI_Win_free(&window);
  MPI_Finalize();
}
"""


@on_mpi("mpich4", "openmpi4")
def test_what_only_logs_tell_comes_before_the_end(mpi: MPI) -> None:
    """A process is not blamed if it waits in a collective call for a process that MPI ended."""
    program = support.compile_program(NO_EPOCH, mpi, ("-g", "-w"))
    wrong, died = runs.run(mpi, [program], "--check=all,rma").blocks
    assert wrong.startswith("error: an operation without an open epoch for its target\n  rank 0: ")
    assert died.startswith("remark: a process has died in a call that is wrong\n  rank 0: MPI_Put(")


IN_INQUIRY = """\
#include <mpi.h>
int main(int argc, char **argv) {
  int rank, size;
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) MPI_Comm_size(part, &size);
  else MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
"""


IN_INQUIRY_DIED = """\
remark: a process has died in a call that is wrong
  rank 1: in MPI_Comm_size
    called at main.c:8 in main
    meanwhile rank 0: MPI_Barrier, called at main.c:9 in main
  rule: MPI-4.1, section 11.2.2: a process must call MPI_Finalize before it ends
  to do: correct the call: MPI most likely ended the program because of this error, as its \
default error handler does"""


@on_mpi("mpich4", "openmpi4")
def test_mpi_ends_the_program_in_an_inquiry(mpi: MPI) -> None:
    """For an inquiry, the wrapper records only the handles, and that the process is in the call."""
    found = runs.run(mpi, [support.compile_program(IN_INQUIRY, mpi, ("-g", "-w"))])
    null, block = found.blocks
    assert null.startswith("error: comm is MPI_COMM_NULL, but a communicator is needed\n")
    # The other process may have ended before.
    lines = re.sub(r"meanwhile rank 0: .*", "meanwhile rank 0: {}", block)
    assert lines == re.sub(
        "meanwhile rank 0: .*", "meanwhile rank 0: {}", mpi.cited(IN_INQUIRY_DIED)
    )


GONE = """\
#include <mpi.h>
int main(int argc, char **argv) {
  int rank, in[8] = {0}, out[8];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int sent[2] = {2, 2}, received[2] = {rank ? 1 : 2, 2}, at[2] = {0, 2};
  MPI_Alltoallv(in, sent, at, MPI_INT, out, received, at, MPI_INT, MPI_COMM_WORLD);
  MPI_Finalize();
}
"""


@on_mpi("mpich4", "openmpi4")
def test_counts_that_have_gone_with_the_process(mpi: MPI) -> None:
    """The counts were on the stack of the process."""
    found = runs.run(mpi, [support.compile_program(GONE, mpi, ("-g", "-w"))])
    gone = "the memory of the process no longer exists"
    (block,) = (one for one in found.blocks if re.match(r".*(died|been ended)", one))
    assert f"(<{gone}>)" in block and "cannot read" not in block
    said = {re.sub(r"rank \d", "rank N", line) for line in found.last[:-1]}
    assert said == {f"mpipp: not checked: rank N: {gone}"}


EXITS_INSIDE = """\
#include <mpi.h>
#include <stdlib.h>
static void leave(MPI_Comm *comm, int *code, ...) { exit(3); }
int main(int argc, char **argv) {
  MPI_Errhandler handler;
  int value;
  MPI_Init(&argc, &argv);
  MPI_Comm_create_errhandler(leave, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Send(&value, 1, MPI_INT, 5, 0, MPI_COMM_WORLD);
}
"""


@on_mpi("mpich4", "openmpi4")
def test_a_program_in_fortran_dies_in_a_call(mpi: MPI) -> None:
    """The program's own line is reported, not that of MPI's Fortran layer."""
    found = runs.run(mpi, [runs.program("ends.f90", mpi)])
    assert found.status != 0
    (block,) = (block for block in found.blocks if "died" in block)
    assert block.splitlines()[0] in WRONG_CALL
    places = re.findall(r"called at ([^)\n]*)", block)
    assert places
    assert all(re.fullmatch(r"ends\.f90:1[235] in ends", place) for place in places), block


@on_mpi("mpich4", "openmpi4")
def test_exit_inside_of_a_call(mpi: MPI) -> None:
    program = support.compile_program(EXITS_INSIDE, mpi, ("-g", "-w"))
    blocks = runs.run(mpi, [program], n=1).blocks
    assert "remark: a process has ended in a call that is wrong" in [
        one.partition("\n")[0] for one in blocks
    ]
    # The error in the call does not belong to the selected check.
    found = runs.run(mpi, [program], "--check=leaks", n=1)
    (block,) = (one for one in found.blocks if "without MPI_Finalize" in one)
    assert block.endswith(
        "\n  to do: read the output before this: MPI or an error handler called exit in this call"
    )
