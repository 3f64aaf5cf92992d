# SPDX-License-Identifier: MIT
"""`mpipp watch`: hardware watchpoints on elements of buffers."""

from __future__ import annotations

import re
from pathlib import Path

from tests import support

PROGRAM = """\
#include <mpi.h>
static double faces[6][4];
static char text[64];
static void mark(void) {}
static void store(int i) { faces[i][1] = i; }
int main(int argc, char **argv) {
  MPI_Datatype column;
  MPI_Request request;
  double seen, *memory;
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Win_allocate(64, 8, MPI_INFO_NULL, MPI_COMM_SELF, &memory, &win);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
  MPI_Type_vector(3, 1, 4, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_Irecv(&faces[1][1], 1, column, 0, 0, MPI_COMM_SELF, &request);
  mark();
  for (int i = 0; i < 6; i++) store(i);
  seen = faces[3][1];
  memory[2] = seen;
  MPI_Win_unlock(0, win);
  MPI_Win_free(&win);
  MPI_Send(faces[0], 3, MPI_DOUBLE, 0, 0, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Type_free(&column);
  MPI_Finalize();
  return text[0] + (int)seen;
}
"""
SAID = {
    "mpipp watch column[1] &faces[1][1]": [
        "Hardware watchpoint 2: *$mpipp_watched_1",
        "watchpoint 2 is on column(VECTOR)[1][0](DOUBLE)",
    ],
    "mpipp watch column[2] &faces[1][1] --access": [
        "Hardware access (read/write) watchpoint 3: *$mpipp_watched_2",
        "watchpoint 3 is on column(VECTOR)[2][0](DOUBLE)",
    ],
    "mpipp watch MPI_DOUBLE memory+2": [
        "Hardware watchpoint 4: *$mpipp_watched_3",
        "watchpoint 4 is on MPI_DOUBLE(DOUBLE)",
    ],
    "mpipp watch MPI_CHAR text 3": ["The processor can watch no more: delete a watchpoint first."],
    "mpipp watch MPI_CHAR text 5": [
        "The processor can watch at most 4 elements: name one, such as MPI_CHAR(CHAR)."
    ],
    "mpipp watch MPI_C_LONG_DOUBLE_COMPLEX text+1": [
        "MPI_C_LONG_DOUBLE_COMPLEX(C_LONG_DOUBLE_COMPLEX) has 32 bytes at 0xADDR: the processor "
        "cannot watch so many."
    ],
    "mpipp watch column[1]": ["The address of the buffer is missing after column[1]."],
    "mpipp watch column[9] faces": [
        "1st index [9] of (VECTOR)[9] is out of range: (VECTOR) has 3 blocks, [0] to [2]."
    ],
    "mpipp watch request": ["request is a handle of kind request: only a datatype has data."],
    "mpipp watch": ["Write mpipp watch TYPE[2][5] ADDR."],
    "mpipp watch column faces --read --access": ["Write one of --read and --access."],
    "mpipp watch column faces 0": ["column has no data."],
}
STOPS = [
    "column(VECTOR)[1][0](DOUBLE) at 0xADDR",
    "buf(VECTOR)[1][0](DOUBLE) of the pending MPI_Irecv, request #1, called at main.c:16 in main",
    "store main.c:5",
    "column(VECTOR)[2][0](DOUBLE) at 0xADDR",
    "buf(VECTOR)[2][0](DOUBLE) of the pending MPI_Irecv, request #1, called at main.c:16 in main",
    "store main.c:5",
    "column(VECTOR)[2][0](DOUBLE) at 0xADDR",
    "buf(VECTOR)[2][0](DOUBLE) of the pending MPI_Irecv, request #1, called at main.c:16 in main",
    "main main.c:19",
    "MPI_DOUBLE(DOUBLE) at 0xADDR",
    "main main.c:21",  # the line after the store
]


@support.on_mpi("mpich4", "openmpi4")
def test_elements_are_watched(mpi: support.MPI) -> None:
    program = support.compile_program(PROGRAM, mpi)
    commands = ["delete"]
    for command in SAID:
        commands += [f"echo > {command}\\n", command]
    commands += ["echo > continue\\n"]
    commands += ["continue", "info symbol $pc", "info line *$pc"] * 4
    commands += ["delete", "kill"]
    output = support.gdb_batch(
        commands, program=program, mpi=mpi, stop=["break mark", "run", "frame function main"]
    )
    output = re.sub(r"0x[0-9a-f]+", "0xADDR", output)
    said = dict(re.findall(r"^> (.*)\n((?:[^>].*\n)*)", output, re.MULTILINE))
    assert {name: said[name].splitlines() for name in SAID} == SAID
    stops = re.findall(
        r"^(?:column.*|buf.*|MPI_DOUBLE.*|\w+(?= .*in section)|Line \d+.*)",
        said["continue"],
        re.MULTILINE,
    )
    stops = [re.sub(r'^Line (\d+) of "(?:.*/)?([^"]*)".*', r"\2:\1", one) for one in stops]
    joined: list[str] = []
    for one in stops:
        if re.match(r"main\.c:", one):
            joined[-1] += f" {one}"
        else:
            joined.append(one)
    assert joined == STOPS, output


FORTRAN = """\
program watched
  use mpi
  implicit none
  integer :: ierr, column
  real(8), save :: faces(4, 6)
  call MPI_Init(ierr)
  call MPI_Type_vector(3, 1, 4, MPI_DOUBLE_PRECISION, column, ierr)
  call MPI_Type_commit(column, ierr)
  faces = 0
  call mark()
  faces(2, 3) = 7
  call MPI_Type_free(column, ierr)
  call MPI_Finalize(ierr)
contains
  subroutine mark()
    faces(1, 1) = 1
  end subroutine
end program
"""


@support.on_mpi("mpich4", "openmpi4")
def test_elements_are_watched_in_fortran(mpi: support.MPI, tmp_path: Path) -> None:
    source = tmp_path / "watched.f90"
    source.write_text(FORTRAN)
    program = support.compile_program(source, mpi)
    stop = ["break mark", "run", "up", "delete"]
    commands = ["mpipp watch column[1] &faces(2,2)", "continue", "delete", "continue"]
    output = support.gdb_batch(commands, program=program, mpi=mpi, stop=stop)
    assert "watchpoint 2 is on column(VECTOR)[1][0](DOUBLE_PRECISION)\n" in output, output
    assert "Old value = 0\nNew value = 7\n" in output, output
    assert "\ncolumn(VECTOR)[1][0](DOUBLE_PRECISION) at 0x" in output, output
