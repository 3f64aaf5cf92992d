# SPDX-License-Identifier: MIT
"""mpipp compare: what it says of right and wrong datatypes, word for word."""

from __future__ import annotations

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
