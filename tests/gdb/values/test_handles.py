# SPDX-License-Identifier: MIT
"""MPI handles in gdb's output, compared with the comments in the programs."""

from __future__ import annotations

import re
from pathlib import Path

from tests import support
from tests.gdb import expectations

MARK = ["break mark", "run"]


@support.every_mpi
def test_every_combiner(mpi: support.MPI) -> None:
    source = support.program_source("gdb", "datatypes.c")
    flags = ["-g", "-O0", *(["-DF90"] if mpi.id in ("mpich3", "mpich4", "openmpi4") else [])]
    program = support.compile_program(source, mpi, flags)
    expectations.check(source, mpi, program=program, stop=MARK)


@support.every_mpi
def test_every_other_kind(mpi: support.MPI, tmp_path: Path) -> None:
    source = support.program_source("gdb", "objects.c")
    flags = ["-g", "-O0", *(["-DSESSIONS"] if mpi.has_sessions else [])]
    program = support.compile_program(source, mpi, flags)
    # Without mpiexec, Open MPI 4 has no default implementation of windows.
    env = {"OMPI_MCA_osc": "pt2pt"} if mpi.id == "openmpi4" else {}
    expectations.check(source, mpi, program=program, stop=MARK, cwd=tmp_path, env=env)


@support.on_mpi("mpich3", "mpich4")
def test_open_epochs(mpi: support.MPI) -> None:
    program = support.compile_program(EPOCHS, mpi)
    stop = ["break mark", "run"]
    told = support.gdb_batch(["mpipp list epochs"], program=program, mpi=mpi, stop=stop)
    rest = "base = 0x..., size = 4, disp_unit = 1"
    locked = f"#4  0x...  epochs = {{lock}}, locks = {{{{rank = 0, type = SHARED}}}}, {rest}, ..."
    fenced = f"#2  0x...  epochs = {{fence}}, {rest}, flavor = CREATE, model = UNIFIED, ..."
    assert re.sub("0x[0-9a-f]+", "0x...", told).splitlines() == [
        f"{fenced.ljust(len(locked))}  made at main.c:8 in main",
        f"{locked}  made at main.c:8 in main",
        "2 windows with an open epoch",
    ]


@support.each_handle
def test_cxx(mpi: support.MPI) -> None:
    source = support.program_source("gdb", "references.cc")
    program = support.compile_program(source, mpi)
    expectations.check(source, mpi, program=program, stop=MARK)


EPOCHS = """\
#include <mpi.h>
static void mark(void) {}
int main(int argc, char **argv) {
  static int memory;
  MPI_Win wins[3];
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 3; i++)
    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &wins[i]);
  MPI_Win_fence(0, wins[0]);
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, wins[2]);
  mark();
  MPI_Win_unlock(0, wins[2]);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, wins[0]);
  for (int i = 0; i < 3; i++) MPI_Win_free(&wins[i]);
  MPI_Finalize();
}
"""

# The paper's figures 1 and 5. They use procedures that MPI-3.0 removed, and MPICH has until version
# 4.
FIGURE_5 = """\
#include <mpi.h>
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Datatype struDT, types[5] = {MPI_LB, MPI_INT, MPI_CHAR, MPI_DOUBLE, MPI_UB};
  int blocklengths[5] = {1, 5, 7, 2, 1};
  MPI_Aint offsets[5] = {-4, 0, 47, 76, 100};
  MPI_Type_struct(5, blocklengths, offsets, types, &struDT);
  MPI_Type_commit(&struDT);
  MPI_Finalize();
}
"""


@support.on_mpi("mpich3", "mpich4")
def test_figure_5(mpi: support.MPI) -> None:
    program = support.compile_program(FIGURE_5, mpi)
    stop = ["break MPI_Finalize", "run", "frame function main"]
    commands = ["print struDT", "set print pretty on", "print struDT"]
    assert support.gdb_batch(commands, program=program, mpi=mpi, stop=stop) == (
        "$1 = {kind = STRUCT, count = 5, entries = {"
        '{blocklength = 1, offset = -4, type = "MPI_LB"}, '
        '{blocklength = 5, offset = 0, type = "MPI_INT"}, '
        '{blocklength = 7, offset = 47, type = "MPI_CHAR"}, '
        '{blocklength = 2, offset = 76, type = "MPI_DOUBLE"}, '
        '{blocklength = 1, offset = 100, type = "MPI_UB"}}}\n'
        """\
$2 = {
  kind = STRUCT,
  count = 5,
  entries = {{
      blocklength = 1,
      offset = -4,
      type = "MPI_LB"
    }, {
      blocklength = 5,
      offset = 0,
      type = "MPI_INT"
    }, {
      blocklength = 7,
      offset = 47,
      type = "MPI_CHAR"
    }, {
      blocklength = 2,
      offset = 76,
      type = "MPI_DOUBLE"
    }, {
      blocklength = 1,
      offset = 100,
      type = "MPI_UB"
    }}
}
"""
    )
