# SPDX-License-Identifier: MIT
"""Core files and attached processes show the same as a program that gdb started."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests import cores, support
from tests.gdb import expectations
from tests.ranks import until_inside

LOOK = [
    f"source {expectations.FRAMES}",
    "python select_frame('main')",
    "output s_type",
    "echo \\n",
    "output request",
    "echo \\n",
    "output matrix",
    "echo \\n",
    "mpipp s_type[1] data",
]
SEEN = (
    "{kind = STRUCT, count = 3, entries = "
    '{{blocklength = 5, offset = 0, type = "MPI_INT"}, '
    '{blocklength = 7, offset = 20, type = "MPI_CHAR"}, '
    '{blocklength = 2, offset = 32, type = "MPI_DOUBLE"}}}',
    '{operation = "MPI_Irecv", state = active, source = 0, tag = 3, comm = "MPI_COMM_SELF", '
    "buf = {address = %p, count = 1, type = {kind = VECTOR, count = 3, blocklength = 2, "
    'stride = 4, type = "MPI_DOUBLE"}}}',
    '{address = %p, call = "MPI_Irecv", request = 1, count = 1, type = {kind = VECTOR, count = 3, '
    'blocklength = 2, stride = 4, type = "MPI_DOUBLE"}, '
    "data = {{0.5, 1.5}, {4.5, 5.5}, {8.5, 9.5}}}",
    '"abcdefg"',
)


# The buffers of the first call in rank 0 of the program from test_buffers.py.
INSIDE_VECTOR = '{kind = VECTOR, count = 3, blocklength = 2, stride = 4, type = "MPI_DOUBLE"}'
INSIDE_MATRIX = (
    f'{{address = %p, call = "MPI_Bcast", count = 1, type = {INSIDE_VECTOR}, '
    "data = {{0.5, 1.5}, {4.5, 5.5}, {8.5, 9.5}}}"
)


def program_for(mpi: support.MPI, *flags: str) -> Path:
    source = support.program_source("gdb", "commands.c")
    return support.compile_program(source, mpi, ["-g", "-O0", *flags])


def assert_seen(output: str) -> None:
    lines = [line for line in output.splitlines() if not line.startswith("[Inferior 1")]
    for expected, line in zip(SEEN, lines):
        assert expectations.Expectation("main", "", expected, 0).matches(line), output
    assert len(lines) == len(SEEN), output


@support.every_mpi
def test_gcore(mpi: support.MPI, tmp_path: Path) -> None:
    program = program_for(mpi)
    core = support.make_core(program, mpi, ["break mark", "run"], tmp_path / "core")
    assert_seen(support.gdb_batch(LOOK, program=program, core=core))


@support.on_mpi("mpich4")
def test_nothing_to_attach_to(mpi: support.MPI, tmp_path: Path) -> None:
    """gdb asks the unwinder for the selected frame while it switches between inferiors."""
    program = program_for(mpi)
    core = support.make_core(program, mpi, ["break mark", "run"], tmp_path / "core")
    commands = ["frame level 1", "mpipp attach 4194304", "mpipp list calls"]
    lines = support.gdb_batch(commands, program=program, core=core).splitlines()
    assert lines[-2:] == ["process 4194304: ptrace: No such process", "0 calls"]


@support.every_mpi
def test_kernel_core(mpi: support.MPI, tmp_path: Path) -> None:
    program = program_for(mpi, "-DABORT")
    core = cores.by_kernel(program, mpi, tmp_path)
    assert_seen(support.gdb_batch(LOOK, program=program, core=core))


def core_of_abort(program: Path, mpi: support.MPI, directory: Path) -> Path:
    """A core file of a program that MPI aborts, with the library's setting from the
    documentation."""
    if not mpi.id.startswith("openmpi"):
        return cores.by_kernel(program, mpi, directory, MPIR_CVAR_COREDUMP_ON_ABORT="1")
    core = directory / "core"
    process = subprocess.Popen(
        ["env", f"LD_PRELOAD={mpi.wrapper}", program],
        env={**mpi.env, "OMPI_MCA_mpi_abort_delay": "-1"},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        assert any("Looping forever" in line for line in process.stderr)
        support.gdb_batch([f"gcore {core}"], program=program, pid=process.pid, printers=False)
    finally:
        process.kill()
        process.wait()
    return core


# MPICH has this setting since version 4.0.
leaves_core = support.on_mpi(*(each for each in support.MPI_IDS if each != "mpich3"))

IN_ABORT = [
    r"thread 1 in MPI_Abort, called at commands\.c:\d+ in main",
    r'  comm = "MPI_COMM_WORLD", errorcode = 7',
    r"1 call",
]


def assert_in_abort(output: str) -> None:
    lines = output.splitlines(keepends=True)
    for expected, line in zip(IN_ABORT, lines):
        assert re.fullmatch(expected, line.rstrip("\n")), output
    assert_seen("".join(lines[len(IN_ABORT) :]))


@leaves_core
def test_core_of_mpi_abort(mpi: support.MPI, tmp_path: Path) -> None:
    program = program_for(mpi, "-DMPI_ABORT")
    core = core_of_abort(program, mpi, tmp_path)
    assert_in_abort(support.gdb_batch(["mpipp list calls", *LOOK], program=program, core=core))


@support.every_mpi
def test_stop_at_mpi_abort(mpi: support.MPI, tmp_path: Path) -> None:
    program = program_for(mpi, "-DMPI_ABORT")
    stop = [f"source {support.PRINTERS}", "mpipp break MPI_Abort", "run"]
    core = support.make_core(program, mpi, stop, tmp_path / "core")
    assert_in_abort(support.gdb_batch(["mpipp list calls", *LOOK], program=program, core=core))


WRONG_RANK = """#include <mpi.h>
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int numbers[4] = {0};
  MPI_Send(numbers, 4, MPI_INT, 17, 3, MPI_COMM_WORLD);
  MPI_Finalize();
}
"""


@leaves_core
def test_core_of_a_fatal_error(mpi: support.MPI, tmp_path: Path) -> None:
    program = support.compile_program(WRONG_RANK, mpi)
    core = core_of_abort(program, mpi, tmp_path)
    output = support.gdb_batch(["mpipp list calls"], program=program, core=core)
    assert re.sub("0x[0-9a-f]+", "%p", output).splitlines() == [
        "thread 1 in MPI_Send, called at main.c:5 in main",
        '  dest = 17, tag = 3, comm = "MPI_COMM_WORLD", buf = %p (4 MPI_INT)',
        "1 call",
    ]


@support.on_mpi("mpich4", "openmpi4")
def test_core_without_the_wrapper(mpi: support.MPI, tmp_path: Path) -> None:
    program = support.compile_program(support.program_source("gdb", "buffers.c"), mpi)
    wrapper = tmp_path / Path(mpi.wrapper).name
    shutil.copy(mpi.wrapper, wrapper)
    stop = [
        f"set exec-wrapper env LD_PRELOAD={wrapper}",
        "set breakpoint pending on",
        "break PMPI_Bcast",
        "run",
    ]
    core = support.make_core(program, mpi, stop, tmp_path / "core")
    wrapper.unlink()
    commands = [f"source {expectations.FRAMES}", "python select_frame('main')"]
    commands += ["output vector", "echo \\n", "output matrix", "echo \\n"]
    vector, matrix = support.gdb_batch(commands, program=program, core=core).splitlines()
    assert vector == INSIDE_VECTOR
    assert expectations.Expectation("main", "", INSIDE_MATRIX, 0).matches(matrix), matrix


@pytest.mark.thorough
@support.on_mpi("mpich4", "openmpi4")
def test_core_without_its_program(mpi: support.MPI, tmp_path: Path) -> None:
    program = Path(shutil.copy(support.compile_program(WRONG_RANK, mpi), tmp_path / "program"))
    stop = ["mpipp break MPI_Send", "run"]
    core = tmp_path / "core"
    support.gdb_batch([f"gcore {core}"], program=program, mpi=mpi, stop=stop)
    program.unlink()  # newer versions of gdb would find the program
    output = support.gdb_batch(["mpipp list calls"], stop=[f"core-file {core}"])
    assert re.sub("0x[0-9a-f]+", "%p", output).splitlines() == [
        "thread 1 in MPI_Send, called at program+%p",
        '  dest = 17, tag = 3, comm = "MPI_COMM_WORLD", buf = %p (4 MPI_INT)',
        "1 call",
    ]


@contextmanager
def running(program: Path, mpi: support.MPI, preload: str = "") -> Iterator[int]:
    """The process id of a program that has printed that it is ready."""
    process = subprocess.Popen(
        ["env", f"LD_PRELOAD={preload or mpi.wrapper}", program],
        env=mpi.env,
        stdout=subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield process.pid
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()


@support.every_mpi
def test_attach(mpi: support.MPI) -> None:
    program = program_for(mpi, "-DWAIT")
    with running(program, mpi) as pid:
        assert_seen(support.gdb_batch(LOOK, program=program, pid=pid))


@support.on_mpi("mpich4", "openmpi5")
def test_threads(mpi: support.MPI) -> None:
    source = support.program_source("gdb", "threads.c")
    program = support.compile_program(source, mpi, ["-g", "-O0", "-pthread"])
    look = ["output first", "echo \\n", "output second", "echo \\n"]
    commands = [f"source {expectations.FRAMES}", "python select_thread('main')", *look]
    commands += ["python select_thread('receive')", *look, "mpipp list calls"]
    with running(program, mpi) as pid:
        until_inside("MPI_Recv", pid, threads=2)
        output = support.gdb_batch(commands, program=program, pid=pid)
    lines = re.sub("0x[0-9a-f]+", "%p", output).splitlines()
    call = '{{address = %p, call = "MPI_Recv", count = {}, type = "MPI_INT", data = {}}}'
    assert lines[:4] == [
        call.format(2, "{1, 2}"),
        "{3, 4, 5}",
        "{1, 2}",
        call.format(3, "{3, 4, 5}"),
    ]
    assert re.search(r"thread \d+ in MPI_Recv, called at threads.c:10 in receive", output), output
    assert re.search(r"thread 1 in MPI_Recv, called at threads.c:21 in main", output), output
    assert "2 calls" in output


@support.on_mpi("mpich4")
def test_wrapper_for_another_library(mpi: support.MPI) -> None:
    program = program_for(mpi, "-DWAIT")
    other = next(each for each in support.MPI_IDS if each.startswith("openmpi"))
    with running(program, mpi, support.find_mpi(other).wrapper) as pid:
        output = support.gdb_batch(["mpipp info"], program=program, pid=pid)
    assert output.splitlines()[0] == (
        "The mpipp wrapper in this process was built for another MPI library: "
        "start the program with mpipp run or mpipp gdb."
    )
