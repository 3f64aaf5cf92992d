# SPDX-License-Identifier: MIT
"""mpipp compare: what it says of right and wrong datatypes, word for word."""

from __future__ import annotations

import re
from pathlib import Path

import support
import transcript

PROGRAMS = Path(__file__).resolve().parent / "programs"


def hold(name: str, source: str, mpi: support.MPI, up: str = "up") -> None:
    program = support.compile_program(PROGRAMS / source, mpi)
    transcript.hold(name, program=program, mpi=mpi, stop=["break mark", "run", up])


@support.every_mpi
def test_structs_of_c(mpi: support.MPI) -> None:
    hold("compare_c.txt", "compare.c", mpi)


@support.every_mpi
def test_buffers_of_the_active_call(mpi: support.MPI) -> None:
    hold("compare_calls.txt", "compare.c", mpi)


@support.every_mpi
def test_classes_of_cxx(mpi: support.MPI) -> None:
    hold("compare_cxx.txt", "compare.cc", mpi)


@support.every_fortran
def test_derived_types_of_fortran(mpi: support.MPI) -> None:
    hold("compare_fortran.txt", "compare.f90", mpi)


@support.every_fortran
def test_pointers_and_polymorphic_objects_of_fortran(mpi: support.MPI) -> None:
    program = support.compile_program(PROGRAMS / "odd.f90", mpi)
    stop = ["break mark", "run", "continue", "up"]
    transcript.hold("compare_odd_fortran.txt", program=program, mpi=mpi, stop=stop)


@support.on_mpi("mpich4", "openmpi4")
def test_a_buffer_is_no_part_of_what_has_any_length(mpi: support.MPI) -> None:
    said = {}
    for source in ("odd.c", "odd.cc"):
        program = support.compile_program(PROGRAMS / source, mpi)
        stop = ["mpipp break MPI_Bcast", "run"]
        output = support.gdb_batch(["mpipp compare"], program=program, mpi=mpi, stop=stop)
        said[source] = re.sub("0x[0-9a-f]+", "0x...", output)
    assert said == {
        "odd.c": "buffer of MPI_Bcast: a variable of the program\n"
        "matches: 4 x MPI_DOUBLE, 4 elements, fits values (double [4], 32 bytes); "
        "every member is covered\n",
        "odd.cc": "buffer of MPI_Bcast: no variable that debug information tells of holds 0x...: "
        "write mpipp compare TYPE with EXPR\n",
    }


@support.on_mpi("mpich4", "openmpi4")
def test_members_of_a_base_class_through_a_pointer(mpi: support.MPI) -> None:
    program = support.compile_program(PROGRAMS / "odd.cc", mpi)
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
    program = support.compile_program(PROGRAMS / "compare.c", mpi, flags)
    transcript.hold("compare_plain.txt", program=program, mpi=mpi, stop=["break mark", "run", "up"])


@support.on_mpi("mpich4")
def test_a_core(mpi: support.MPI, tmp_path: Path) -> None:
    program = support.compile_program(PROGRAMS / "compare.c", mpi)
    core = support.make_core(program, mpi, ["break mark", "run"], tmp_path / "core")
    transcript.hold("compare_core.txt", program=program, mpi=mpi, core=core, stop=["up"])
