# SPDX-License-Identifier: MIT
"""gdb sees of a watched process, and of its core file, what it sees of any."""

from __future__ import annotations

from pathlib import Path

from support import MPI, compile_program, gdb_batch, on_mpi

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
# There is no watcher; the memory is shared all the same.
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
