# SPDX-License-Identifier: MIT
"""Fortran programs and Python scripts with mpi4py."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import support
from tests.gdb import expectations

FORTRAN = support.on_mpi("mpich4", "openmpi4")


@FORTRAN
def test_f08_handles(mpi: support.MPI) -> None:
    source = support.program_source("gdb", "handles08.f90")
    program = support.compile_program(source, mpi)
    expectations.check(
        source, mpi, program=program, stop=["break mark", "run"], function="handles08"
    )


@FORTRAN
def test_integer_handles(mpi: support.MPI) -> None:
    program = support.compile_program(support.program_source("gdb", "handles.f90"), mpi)
    commands = [
        "mpipp vec a",
        "mpipp vec[1][0]",
        "mpipp vec[1] a",
        "print a",
        "mpipp list requests",
        "mpipp a",
    ]
    stop = ["break mark", "run", "frame function handles"]
    output = support.gdb_batch(commands, program=program, mpi=mpi, stop=stop)
    assert re.sub("0x[0-9a-f]+", "%p", output) == (
        "{{1.5, 2.5}, {5.5, 6.5}, {9.5, 10.5}}\n"
        "vec(VECTOR)[1][0](DOUBLE_PRECISION)\n"
        "  type          MPI_DOUBLE_PRECISION\n"
        "  size          8 bytes\n"
        "  displacement  32 bytes\n"
        "  packed        16 bytes\n"
        "{5.5, 6.5}\n"
        "$1 = {address = %p, call = 'MPI_Irecv', request = 1, count = 1, "
        "type = {kind = VECTOR, count = 3, blocklength = 2, stride = 4, "
        "type = 'MPI_DOUBLE_PRECISION'}, data = {{1.5, 2.5}, {5.5, 6.5}, {9.5, 10.5}}}\n"
        '#1  %p  MPI_Irecv active, source = 0, tag = 3, comm = "MPI_COMM_SELF", '
        "buf = %p (1 VECTOR[3, 2, 4])  made at handles.f90:20 in handles\n1 request\n"
        "a is not an MPI handle: its type is real(kind=8) (12).\n"
    )


SCRIPT = """\
import os, signal
from mpi4py import MPI
vector = MPI.DOUBLE.Create_vector(3, 2, 4).Commit()
class Mine(MPI.Intracomm): pass
mine = Mine(MPI.COMM_WORLD)
with open("ids", "w") as file:
    print(id(vector), id(mine), id([]), file=file)
os.kill(os.getpid(), signal.SIGUSR1)
"""


@support.on_mpi("mpich4", "openmpi4", "mpich5", "openmpi5")
def test_mpi4py(mpi: support.MPI, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    read = 'python vector, comm, other = open("ids").read().split()'
    commands = [
        read,
        'python gdb.execute(f"mpipp py {vector}[1][0]")',
        'python gdb.execute(f"mpipp py {vector}")',
        'python gdb.execute(f"mpipp py {comm}")',
        "mpipp py vector",
    ]
    output = support.gdb_batch(
        commands,
        program=mpi.python,
        args=["script.py"],
        mpi=mpi,
        stop=["run"],
        cwd=tmp_path,
    )
    assert re.search(r"\d+\(VECTOR\)\[1\]\[0\]\(DOUBLE\)\n  type          MPI_DOUBLE\n", output), (
        output
    )
    assert "VECTOR count 3, blocklength 2, stride 4    48" in output, output
    assert "made at script.py:3 in <module>" in output, output
    assert (
        '  name = "MPI_COMM_WORLD",\n  rank = 0,\n  size = 1,\n  errhandler = "MPI_ERRORS_RETURN"\n'
        in output
    ), output
    assert "gdb cannot see the Python variable vector" in output, output


HANGS = """\
from mpi4py import MPI

def exchange(comm):
    data = bytearray(8)
    comm.Bcast(
        [data, MPI.BYTE], 0)

exchange(MPI.COMM_WORLD)
"""


@pytest.mark.parametrize("mpi", ["openmpi5", "mpi4py3"], indirect=True)
def test_lines_of_python(mpi: support.MPI, tmp_path: Path) -> None:
    # Debian's Python comes with its symbols, the other Python has none.
    (tmp_path / "hangs.py").write_text(HANGS)
    output = support.gdb_batch(
        ["mpipp list calls", "mpipp frame"],
        program=mpi.python,
        args=["hangs.py"],
        mpi=mpi,
        stop=["mpipp break MPI_Bcast", "run"],
        cwd=tmp_path,
    )
    lines = output.splitlines()
    assert lines[0] == "thread 1 in MPI_Bcast, called at hangs.py:5 in exchange"
    assert lines[-1] == "in Python: hangs.py:5 in exchange"
