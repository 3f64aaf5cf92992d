# SPDX-License-Identifier: MIT
"""After a jump out of a call, the call is not shown as active, even before the next MPI call."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import support

STOP = ("set breakpoint pending on", "break mark", "run")
CALL = [
    "thread 1 in MPI_Send, called at abandoned_calls.c:41 in fail",
    "  dest = 99, tag = 1, comm = {rank = 0, size = 1, errhandler = {function = <handler>}}, "
    "buf = %p (1 MPI_INT)",
    "1 call",
]


def calls(output: str) -> list[str]:
    return re.sub(r"0x[0-9a-f]+", "%p", output).splitlines()


@support.each_handle
@pytest.mark.parametrize("source", ["abandoned_calls.c", "abandoned_calls.cc"])
def test_left(mpi: support.MPI, source: str) -> None:
    program = support.compile_program(support.program_source("gdb", source), mpi)
    output = support.gdb_batch(
        ["mpipp list calls"], program=program, args=["jump"], mpi=mpi, stop=STOP
    )
    assert output == "0 calls\n"


@support.on_mpi(*support.MPI_IDS[:2])
@pytest.mark.parametrize("how", ["stay", "signal", "coroutine"])
def test_not_left(mpi: support.MPI, how: str) -> None:
    program = support.compile_program(support.program_source("gdb", "abandoned_calls.c"), mpi)
    output = support.gdb_batch(
        ["mpipp list calls"], program=program, args=[how], mpi=mpi, stop=STOP
    )
    assert calls(output) == CALL


@pytest.mark.thorough
@support.on_mpi(support.MPI_IDS[0])
def test_left_in_a_core(mpi: support.MPI, tmp_path: Path) -> None:
    program = support.compile_program(support.program_source("gdb", "abandoned_calls.c"), mpi)
    for how, expected in (("jump", ["0 calls"]), ("stay", CALL)):
        core = support.make_core(program, mpi, [f"set args {how}", *STOP], tmp_path / how)
        output = support.gdb_batch(["mpipp list calls"], program=program, core=core)
        assert calls(output) == expected
