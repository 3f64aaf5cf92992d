# SPDX-License-Identifier: MIT
"""Another tool at the profiling interface, before or after mpipp: both see every call once."""

from __future__ import annotations

import re

import pytest

from tests import support
from tests.faults import faults

PROGRAM = """
#include <mpi.h>
#include <stddef.h>
int main(void) {
  MPI_Datatype vector, twice;
  int number = 1, received;
  MPI_Request request;
  MPI_Init(NULL, NULL);
  MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &vector);
  PMPI_Type_contiguous(2, vector, &twice);
  for (int i = 0; i < 10; i++) MPI_Type_commit(&vector);
  for (int i = 0; i < 5; i++) {
    MPI_Irecv(&received, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
    MPI_Send(&number, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
"""
COUNTED = "1 vectors, 10 commits, 5 sends, depth 1\n"


@pytest.mark.thorough
@support.every_mpi
@pytest.mark.parametrize("order", ["tool first", "mpipp first"])
def test_both_see_every_call(mpi: support.MPI, order: str) -> None:
    program = support.compile_program(PROGRAM, mpi)
    tool = str(faults.library("counter.c", mpi))
    alone = faults.run([program], mpi, tool)
    assert COUNTED in alone.stderr
    preload = [tool, mpi.wrapper] if order == "tool first" else [mpi.wrapper, tool]
    both = faults.run([program], mpi, *preload)
    assert (both.returncode, both.stderr) == (alone.returncode, alone.stderr)
    stop = [
        f"set exec-wrapper env 'LD_PRELOAD={' '.join(preload)}'",
        "set breakpoint pending on",
        "tbreak MPI_Wait",
        "run",
        "frame function main",
    ]
    look = ["output vector", "echo \\n", "output twice", "echo \\n", "mpipp list types --all"]
    output = support.gdb_batch(look, program=program, mpi=mpi, stop=stop)
    vector = 'kind = VECTOR, count = 3, blocklength = 2, stride = 4, type = "MPI_DOUBLE"'
    assert output.splitlines()[:2] == [
        f"{{{vector}}}",
        f'{{kind = CONTIGUOUS, count = 2, type = {{{vector}}}, state = "not committed"}}',
    ]
    assert len(re.findall(r"VECTOR\[|CONTIGUOUS\[", output)) == 2, "recorded twice: " + output


@support.every_mpi
def test_a_tool_in_the_program(mpi: support.MPI) -> None:
    # The tool's MPI_X comes before every library's. It calls PMPI_X, which is recorded.
    program = faults.program("counter.c", mpi, "-DTOOL_MAIN")
    alone = faults.run([program], mpi)
    assert "1 vectors, 1 commits, 0 sends, depth 1\n" in alone.stderr
    assert faults.run([program], mpi, mpi.wrapper).stderr == alone.stderr
    stop = ["break mark", "run", "frame function main"]
    output = support.gdb_batch(["output vector"], program=program, mpi=mpi, stop=stop)
    assert output == (
        '{kind = VECTOR, count = 3, blocklength = 2, stride = 4, type = "MPI_DOUBLE"}'
    )
