# SPDX-License-Identifier: MIT
"""gdb shows the same for a watched process, and its core file, as for any process."""

from __future__ import annotations

from pathlib import Path

from tests.support import MPI, compile_program, gdb_batch, on_mpi

PROGRAM = """\
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Datatype column;
    MPI_Init(&argc, &argv);
    MPI_Type_vector(3, 2, 4, MPI_INT, &column);
    MPI_Type_set_name(column, "a column");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}
"""
# There is no watcher, but the records are in shared memory.
SHARED = {"MPIPP_WATCH": "/nonexistent"}
STOP = ["set breakpoint pending on", "break MPI_Barrier", "run", "up"]
VECTOR = (
    '{kind = VECTOR, name = "a column", count = 3, blocklength = 2, stride = 4, type = "MPI_INT", '
    'state = "not committed"}'
)


@on_mpi("mpich4", "openmpi4", "abi5")
def test_process_and_core(mpi: MPI, tmp_path: Path) -> None:
    program, core = compile_program(PROGRAM, mpi), tmp_path / "core"
    mapped = 'python print("/memfd:mpipp" in gdb.execute("info proc mappings", to_string=True))'
    said = gdb_batch(
        [mapped, "output column", "echo \\n", f"gcore {core}"],
        program=program,
        mpi=mpi,
        stop=STOP,
        env=SHARED,
    )
    assert said.splitlines()[:2] == ["True", VECTOR], said
    said = gdb_batch(["up", "output column", "echo \\n"], program=program, core=core)
    assert said.splitlines()[-1] == VECTOR, said


LEFT_OUT = """\
#include <mpi.h>
static char buffer[1 << 16], one;
static void mark(void) {}
int main(int argc, char **argv) {
  MPI_Request request, none = MPI_REQUEST_NULL;
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 3; i++) {
    MPI_Irecv(buffer, sizeof buffer, MPI_BYTE, 0, 0, MPI_COMM_SELF, &request);
    mark();
    buffer[1 << 15] = 1;
    MPI_Send(&one, 1, MPI_BYTE, 0, 0, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
"""


@on_mpi("mpich4", "openmpi4")
def test_what_the_budget_has_left_out_is_guarded_by_command(mpi: MPI) -> None:
    program = compile_program(LEFT_OUT, mpi)
    commands = ["mpipp guard", "mpipp guard MPI_INT", "continue", "up"]
    commands += ["mpipp guard none", "mpipp guard request"]
    said = gdb_batch(
        [*commands, "continue", "continue", "kill"],
        program=program,
        mpi=mpi,
        stop=["break mark", "run", "up"],
        env={**SHARED, "MPIPP_GUARD": "1", "MPIPP_BUDGET": "0"},
    )
    lines = said.splitlines()
    assert lines[0] == "Write mpipp guard REQUEST, or mpipp guard all."
    assert lines[1] == "MPI_INT is a handle of kind datatype: write a request."
    assert "none is MPI_REQUEST_NULL: it belongs to no operation." in lines, said
    switched = "mpipp now guards the buffers of MPI_Irecv, called at main.c:8 in main"
    assert switched in lines, said
    before, after = said.split(switched)
    assert "SIGSEGV" not in before and after.count("hit Breakpoint 1") == 1, said
    assert "received signal SIGSEGV" in after and "buffer[1 << 15] = 1;" in after, said
    without = gdb_batch(
        ["mpipp guard all"], program=program, mpi=mpi, stop=["break mark", "run"], env=SHARED
    )
    assert without == (
        "mpipp has guarded no buffer in this process yet: start it with mpipp run --check=buffers, "
        "and stop after a nonblocking call.\n"
    )
