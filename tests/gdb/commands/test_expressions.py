# SPDX-License-Identifier: MIT
"""The functions for expressions, and breakpoints at MPI calls."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import support

both = support.on_mpi("mpich4", "openmpi4")
MARK = ["break mark", "run", "frame function main"]
VALUES = {
    "$mpi_size(vec)": "48",
    "$mpi_extent(vec)": "80",
    "$mpi_extent(t)": "160",
    "$mpi_rank()": "0",
    '$mpi_element(vec, matrix, "[1][0]")': "4.5",
    '$mpi_element(vec, &matrix[0][0], "[one][one]") == matrix[1][1]': "1",
    '&$mpi_element(vec, matrix, "[2][1]") == &matrix[2][1]': "1",
    '$mpi_element(s_type, data, "(STRUCT)[1][2](CHAR)")': "99 'c'",
    '$mpi_element(s_type, data, "[1][0][3]")': "9",  # the repetition, the block, the item
    '$mpi_element(s_type, data, "[1]")': "[1] is not a single element: write more indices.",
    '$mpi_element(s_type, data, "[1][9]")': "2nd index [9] of (STRUCT)[1][9] is out of range: "
    "block 1 has 7 elements, [0] to [6].",
    '$mpi_element(vec, matrix, "x")': 'Cannot read "x": write indices, "[2][5]".',
    "$mpi_element(vec, matrix, 2)": "The last argument must be a string, not int.",
    "$mpi_size(matrix)": "The first argument is not an MPI handle: its type is double (*)[4].",
    "$mpi_size(world)": "The first argument is a handle of kind comm, no datatype.",
    "$mpi_size()": "Write $mpi_size(TYPE).",
    '$mpi_arg("dest")': "The thread is not inside an MPI call.",
}


@both
def test_functions(mpi: support.MPI) -> None:
    program = support.compile_program(support.program_source("gdb", "commands.c"), mpi)
    commands = [word for name in VALUES for word in (f"output {name}", "echo \\n")]
    commands += ['set var $mpi_element(vec, matrix, "[1][0]") = 7', "output matrix[1][0]"]
    output = support.gdb_batch(commands, program=program, mpi=mpi, stop=MARK)
    lines = [line for line in output.splitlines() if line]
    assert dict(zip(VALUES, lines)) == VALUES
    assert lines[len(VALUES) :] == ["7"]


LOOP = """\
#include <mpi.h>
int values[4];
static void step(int i) { values[2] = i; }
int main(int argc, char **argv) {
  MPI_Datatype column;
  MPI_Init(&argc, &argv);
  MPI_Type_vector(2, 1, 2, MPI_INT, &column);
  MPI_Type_commit(&column);
  for (int i = 0; i < 20; i++) {
    step(i);
    MPI_Request request;
    MPI_Irecv(values, 1, column, 0, i % 5, MPI_COMM_SELF, &request);
    MPI_Send(values, 2, MPI_INT, 0, i % 5, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
"""


@support.every_mpi
def test_break(mpi: support.MPI) -> None:
    program = support.compile_program(LOOP, mpi)
    commands = [
        'mpipp break MPI_Send if i > 10 && $mpi_arg("tag") == 3',
        "mpipp break mpi_irecv",
        "run",  # pending until the program loads MPI
        "output i",
        "echo \\n",
        "mpipp list calls",
        "delete 2",
        "continue",
        "output i",
        "echo \\n",
        'output $mpi_arg("count")',
        "echo \\n",
        "output values",
        "echo \\n",
        "info breakpoints",
        "mpipp break MPI_Wait if nonsense > 1",
        "continue",
        "output i",
        "echo \\n",
        "delete",
        "continue",
    ]
    output = support.gdb_batch(commands, program=program, mpi=mpi)
    assert re.search(
        r"Breakpoint 2.*\nMPI_Irecv, called at main.c:12 in main\n0\n"
        r"thread 1 in MPI_Irecv, called at main.c:12 in main\n.*tag = 0.*\n1 call\n",
        output,
    ), output
    assert re.search(
        r"Breakpoint 1.*\nMPI_Send, called at main.c:13 in main\n13\n2\n"
        r'\{address = 0x\w+, call = "MPI_Send", count = 2, type = "MPI_INT", .*also = "MPI_Irecv ',
        output,
    ), output
    assert re.search(r"Breakpoint 3 at MPI_Wait: No symbol \"nonsense\".*\n", output), output
    assert "MPI_Wait, called at main.c:14 in main\n13\n" in output, output
    assert "exited normally" in output, output


FILE = """
#include <mpi.h>
int main(int argc, char **argv) {
  MPI_File file;
  int value = 1;
  MPI_Init(&argc, &argv);
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_set_size(file, 100);
  MPI_File_set_atomicity(file, 1);
  MPI_File_seek_shared(file, 1, MPI_SEEK_SET);
  MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_File_close(&file);
  MPI_Finalize();
  return 0;
}
"""


@support.every_mpi
def test_no_break_inside(mpi: support.MPI, tmp_path: Path) -> None:
    program = support.compile_program(FILE, mpi)
    output = support.gdb_batch(
        ["mpipp break MPI_Bcast", "mpipp break MPI_Allreduce", "run", "continue"],
        program=program,
        args=[str(tmp_path / "file")],
        mpi=mpi,
        # Open MPI has two implementations of files. This one, ROMIO, calls MPI.
        env={"OMPI_MCA_io": "romio341" if mpi.id == "openmpi5" else "romio321"},
    )
    stops = re.findall("(?m)^MPI_.*, called at.*", output)
    assert stops == ["MPI_Bcast, called at main.c:11 in main"], output
    assert "exited normally" in output, output


def test_names_of_procedures() -> None:
    names = [
        "MPI_Ircv",
        "PMPI_Send",
        "MPI_Comm_rank",
        "MPI_Foo",
        "qqq",
        "",
        "MPI_Send if",
        "MPI_Wtime()",
    ]
    names += ['MPI_Send if $mpi_arg("dst") == 0', 'MPI_Wait if 1 && $mpi_arg( "tag" ) > 2']
    output = support.gdb_batch([f"mpipp break {name}" for name in names])
    assert output.splitlines() == [
        "MPI_Ircv is not an MPI procedure that mpipp records: did you mean MPI_Irecv?",
        "PMPI_Send is not an MPI procedure that mpipp records: did you mean MPI_Send?",
        # All names begin with MPI_, and those of communicators with Comm_, so a prefix suggests
        # nothing.
        "MPI_Comm_rank is not an MPI procedure that mpipp records: see "
        "docs/reference/procedures.md.",
        "MPI_Foo is not an MPI procedure that mpipp records: see docs/reference/procedures.md.",
        "qqq is not an MPI procedure that mpipp records: see docs/reference/procedures.md.",
        "Write mpipp break MPI_X [if CONDITION].",
        "Write mpipp break MPI_X [if CONDITION].",
        "Write mpipp break MPI_X [if CONDITION].",
        "MPI_Send has no argument dst: it has buf, comm, count, datatype, dest, tag.",
        "MPI_Wait has no argument tag: it has no known arguments.",
    ]


SEVERAL_BUFFERS = """
#include <mpi.h>
int main(int argc, char **argv) {
  double one[2] = {1, 2}, two[4];
  MPI_Init(&argc, &argv);
  MPI_Allreduce(one, two, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Sendrecv(one, 1, MPI_DOUBLE, 0, 0, two, 16, MPI_BYTE, 0, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
"""


@support.each_handle
def test_arguments_of_several_buffers(mpi: support.MPI) -> None:
    program = support.compile_program(SEVERAL_BUFFERS, mpi)
    asked = 'mpipp break MPI_Sendrecv if $mpi_arg("recvcount") == 16'
    output = support.gdb_batch(
        [
            "mpipp break MPI_Allreduce",
            asked,
            "run",
            'output $mpi_arg("count")',
            "echo \\n",
            'mpipp $mpi_arg("datatype")',
            "continue",
            'output $mpi_arg("sendcount")',
            "echo \\n",
            'mpipp $mpi_arg("sendtype")',
            'mpipp $mpi_arg("recvtype")',
            # The error of the function, not one on the prefix $mpi_arg.
            'mpipp $mpi_arg("datatype")',
            "mpipp $mpi_arg",
        ],
        program=program,
        mpi=mpi,
    )
    stopped = output.partition("MPI_Allreduce, called at")[2]
    lines = [
        line.split()[0]
        for line in stopped.splitlines()
        if re.match(r"\d+$|MPI_\w+ +8|MPI_\w+ +1", line)
    ]
    assert lines == ["2", "MPI_DOUBLE", "1", "MPI_DOUBLE", "MPI_BYTE"], output
    assert "MPI_Sendrecv has no argument datatype: it has comm, dest, recvbuf, " in stopped, output
    assert "$mpi_arg is not an MPI handle: its type is <internal function>" in stopped, output


@support.each_handle
def test_handles_of_calls(mpi: support.MPI) -> None:
    program = support.compile_program(LOOP, mpi)
    stop = ['mpipp break MPI_Irecv if $mpi_arg("datatype") == column && i == 2', "run"]
    commands = ['output $mpi_arg("datatype")', "echo \\n", 'output $mpi_arg("comm")']
    commands += ["echo \\n", "output i"]
    output = support.gdb_batch(commands, program=program, mpi=mpi, stop=stop)
    assert output.splitlines() == [
        '{kind = VECTOR, count = 2, blocklength = 1, stride = 2, type = "MPI_INT"}',
        '{name = "MPI_COMM_SELF", rank = 0, size = 1}',
        "2",
    ]


@both
def test_break_without_wrapper(mpi: support.MPI) -> None:
    program = support.compile_program(LOOP, mpi)
    commands = ["mpipp break MPI_Send", "run", "kill"]
    output = support.gdb_batch(commands, program=program, mpi=mpi, wrapper=False)
    assert "Breakpoint 1 at MPI_Send: there is no mpipp wrapper in this process" in output, output


@both
def test_conditions_of_other_breakpoints(mpi: support.MPI) -> None:
    # Between two evaluations the process runs, but gdb raises no event.
    program = support.compile_program(LOOP, mpi)
    stop = ['break 11 if $mpi_element(column, values, "[1][0]") == 17', "run"]
    output = support.gdb_batch(["output i"], program=program, mpi=mpi, stop=stop)
    assert output == "17", output


@both
@pytest.mark.parametrize("source", ["handles.f90", "handles08.f90"])
def test_break_in_fortran(mpi: support.MPI, source: str) -> None:
    program = support.compile_program(support.program_source("gdb", source), mpi)
    commands = ["mpipp break MPI_Irecv", "run", "output a", "kill"]
    output = support.gdb_batch(commands, program=program, mpi=mpi)
    place = rf"MPI_Irecv, called at {source}:\d+ in {program.name.split('-')[0]}\n"
    assert re.search(place + r"\{address = 0x\w+, call = 'MPI_Irecv', count = 1, ", output), output
