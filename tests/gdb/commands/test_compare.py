# SPDX-License-Identifier: MIT
"""The exact output of `mpipp compare` for right and wrong datatypes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import support
from tests.gdb import transcript


def hold(name: str, source: str, mpi: support.MPI, up: str = "up") -> None:
    program = support.compile_program(support.program_source("gdb", source), mpi)
    transcript.hold(name, program=program, mpi=mpi, stop=["break mark", "run", up])


@support.each_handle
def test_structs_of_c(mpi: support.MPI) -> None:
    hold("compare_c.txt", "compare.c", mpi)


@support.each_handle
def test_buffers_of_the_active_call(mpi: support.MPI) -> None:
    hold("compare_calls.txt", "compare.c", mpi)


@support.each_handle
def test_classes_of_cxx(mpi: support.MPI) -> None:
    hold("compare_cxx.txt", "compare.cc", mpi)


@support.every_fortran
def test_derived_types_of_fortran(mpi: support.MPI) -> None:
    hold("compare_fortran.txt", "compare.f90", mpi)


@support.every_fortran
def test_pointers_and_polymorphic_objects_of_fortran(mpi: support.MPI) -> None:
    program = support.compile_program(support.program_source("gdb", "odd_members.f90"), mpi)
    stop = ["break mark", "run", "continue", "up"]
    transcript.hold("compare_odd_fortran.txt", program=program, mpi=mpi, stop=stop)


@pytest.mark.thorough
@support.on_mpi("mpich4", "openmpi4")
def test_a_buffer_is_no_part_of_what_has_any_length(mpi: support.MPI) -> None:
    said = {}
    for source in ("odd_members.c", "odd_members.cc"):
        program = support.compile_program(support.program_source("gdb", source), mpi)
        stop = ["mpipp break MPI_Bcast", "run"]
        output = support.gdb_batch(["mpipp compare"], program=program, mpi=mpi, stop=stop)
        said[source] = re.sub("0x[0-9a-f]+", "0x...", output)
    assert said == {
        "odd_members.c": "buffer of MPI_Bcast: a variable of the program\n"
        "matches: 4 x MPI_DOUBLE, 4 elements, fits values (double [4], 32 bytes); "
        "every member is covered\n",
        "odd_members.cc": "buffer of MPI_Bcast: no variable in the debug information contains 0x"
        "...: write mpipp compare TYPE with EXPR\n",
    }


@support.on_mpi("mpich4", "openmpi4")
def test_members_of_a_base_class_through_a_pointer(mpi: support.MPI) -> None:
    program = support.compile_program(support.program_source("gdb", "odd_members.cc"), mpi)
    stop = ["mpipp break MPI_Bcast", "run", "continue"]
    commands = ["mpipp compare", "continue", "mpipp compare"]
    output = support.gdb_batch(commands, program=program, mpi=mpi, stop=stop)
    assert [line for line in output.splitlines() if line.startswith("matches")] == [
        "matches: 3 x MPI_DOUBLE, 3 elements, fits this->values[1..3] (double [3], 24 bytes); "
        "every member is covered",
        "matches: 1 x MPI_INT, 1 element, fits this[0].number (int, 4 bytes); "
        "every member is covered",
    ]


@support.on_mpi("mpich4")
def test_without_debug_information(mpi: support.MPI) -> None:
    flags = ("-O0",)
    program = support.compile_program(support.program_source("gdb", "compare.c"), mpi, flags)
    transcript.hold("compare_plain.txt", program=program, mpi=mpi, stop=["break mark", "run", "up"])


@pytest.mark.thorough
@support.on_mpi("mpich4")
def test_a_core(mpi: support.MPI, tmp_path: Path) -> None:
    program = support.compile_program(support.program_source("gdb", "compare.c"), mpi)
    core = support.make_core(program, mpi, ["break mark", "run"], tmp_path / "core")
    transcript.hold("compare_core.txt", program=program, mpi=mpi, core=core, stop=["up"])


PENDING = """\
#include <mpi.h>

static float values[8];
static double row[2];

int main(int argc, char **argv) {
  MPI_Request requests[3];
  MPI_Init(&argc, &argv);
  MPI_Irecv(values, 4, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(row, 2, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Irecv(values, 0, MPI_INT, 0, 3, MPI_COMM_WORLD, &requests[2]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
}
"""
OF_VALUES = """\
buf of MPI_Irecv, request #1: a variable of the program
1 problem: 4 x MPI_DOUBLE does not fit values (float [8], 32 bytes)
  [0..3](DOUBLE) at 0: 8 bytes that straddle values[0] at 0 and values[1] at 4: MPI_FLOAT fits
  every member is covered
"""
OF_ROW = """\
buf of MPI_Irecv, request #2: a variable of the program
matches: 2 x MPI_DOUBLE, 2 elements, fits row (double [2], 16 bytes); every member is covered
"""
OF_NOTHING = "buf of MPI_Irecv, request #3: no data, 0 x MPI_INT\n"


@support.on_mpi("mpich4", "openmpi4")
def test_buffers_of_pending_requests(mpi: support.MPI) -> None:
    program = support.compile_program(PENDING, mpi)
    stop = ["set breakpoint pending on", "mpipp break MPI_Barrier", "mpipp break MPI_Wait", "run"]
    every = support.gdb_batch(["mpipp compare"], program=program, mpi=mpi, stop=stop)
    assert every == OF_VALUES + OF_ROW + OF_NOTHING
    # The requests of a call that waits for some of them.
    stop.append("continue")
    assert support.gdb_batch(["mpipp compare"], program=program, mpi=mpi, stop=stop) == OF_ROW
