# SPDX-License-Identifier: MIT
"""Statuses as source, tag, error and count; Fortran INTEGER handles of every kind."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from tests.languages.test_fortran import INTERFACES
from tests.support import MPI, compile_program, gdb_batch, on_mpi, program_source

MARK = ["break mark", "run", "finish"]
STATUS = "{source = 0, tag = 5, error = MPI_SUCCESS, count = 40 bytes}"
NOBODY = "{source = MPI_PROC_NULL, tag = MPI_ANY_TAG, error = MPI_SUCCESS, count = 0 bytes}"
on_both = on_mpi("mpich4", "openmpi4")


def lines(name: str, mpi: MPI, *commands: str, flags: Sequence[str] = ()) -> list[str]:
    """The output of commands at the end of mark(), without addresses and line numbers."""
    program = compile_program(program_source("gdb", name), mpi, ("-g", "-O0", *flags))
    # Without mpiexec, Open MPI 4 has no default implementation of windows.
    env = {"OMPI_MCA_osc": "pt2pt"} if mpi.id == "openmpi4" else {}
    said = gdb_batch(list(commands), program=program, mpi=mpi, stop=MARK, env=env)
    return re.sub(r"0x[0-9a-f]+", "0x...", re.sub(r"(\.\w+:)\d+", r"\1N", said)).splitlines()


@on_both
def test_c(mpi: MPI) -> None:
    said = lines("statuses.c", mpi, "output status", "mpipp status both", "mpipp status in")
    assert said[0].partition("mpipp")[0] == f"{STATUS}both = {{{NOBODY}, {NOBODY}}}"


@on_both
@pytest.mark.parametrize("interface", ["mpif.h", "mpi"])
def test_fortran_integers(mpi: MPI, interface: str) -> None:
    commands = ["mpipp status state", "mpipp comm c", "mpipp request req(1)", "mpipp group g"]
    commands += ["mpipp info i", "mpipp win w", "mpipp datatype t", "mpipp op o"]
    commands += ["mpipp errhandler e", "mpipp comm n"]
    flags = ("-cpp", "-fallow-argument-mismatch", *INTERFACES[interface])
    said = lines("statuses.f90", mpi, *commands, flags=flags)
    assert said[0] == f"state = {STATUS}"
    text = "\n".join(said)
    assert "c = {\n" in text and "rank = 0" in text
    assert "req(1) = {" in text and "tag = 3" in text
    assert "g = {" in text and "size = 1" in text
    assert "i = {{\n" in text and "key = 'key'" in text and "value = 'value'" in text
    assert "w = {\n" in text and "disp_unit = 4" in text
    assert "CONTIGUOUS count 3" in text
    assert "o = MPI_SUM" in said and "e = MPI_ERRORS_RETURN" in said
    assert said[-1] == "n is -1: no MPI_Comm has this Fortran handle."


@on_both
def test_mpi_f08(mpi: MPI) -> None:
    assert lines("statuses08.f90", mpi, "output state") == [STATUS]


@on_both
@pytest.mark.parametrize("limit", [0, 1])
def test_communicators_by_place(mpi: MPI, limit: int) -> None:
    said = lines("statuses.c", mpi, f"mpipp list comms --by-place --limit {limit}")
    every = ["3  made at statuses.c:N in main", "1  made at statuses.c:N in main"]
    shown = every[:limit] if limit else every
    rest = ", the first 1 shown (--limit)" if limit else ""
    assert said == [*shown, f"4 communicators of 2 places{rest}"]
