# SPDX-License-Identifier: MIT
"""Buffers of pending operations under valgrind: memcheck reports each byte that is used."""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from mpipp.cli.commands import exec
from mpipp.cli.commands.run import command as run_command
from tests.support import MPI, need, on_mpi, shell
from tests.watcher.runs import program as compiled
from tests.watcher.runs import program_source, words

BESIDE = tuple(
    f" Address 0x... is {place} bytes inside a buffer of a pending {call} of size 296 "
    "client-defined\n"
    for place, call in ((64, "MPI_Irecv"), (96, "MPI_Get"))
)
CHANGED = """\
    buf(VECTOR)[3][0](DOUBLE), at 0x..., in out+96, was 0 and is 1
    mpipp does not know whether the data had moved
  ranks 0 and 1: MPI_Waitall()
    called at valgrind.c:70 in main
    it was changed between these calls
"""


# Accesses to a partition before it arrives: before the first one, and after another one.
PARTITIONS = (
    "==PID== Invalid read of size 8\n",
    "==PID==    at 0x...: receives (valgrind_partitions.c:27)\n",
    "==PID==  Address 0x... is 128 bytes inside a buffer of a pending MPI_Precv_init of size 256 "
    "client-defined\n",
    "==PID== Invalid write of size 8\n",
    "==PID==    at 0x...: receives (valgrind_partitions.c:30)\n",
    "==PID==  Address 0x... is 192 bytes inside a buffer of a pending MPI_Precv_init of size 256 "
    "client-defined\n",
)


def told(
    mpi: MPI,
    *arguments: str,
    name: str = "valgrind.c",
    said: str = "0\n0\n",
    options: Sequence[str] = (),
    status: int = 0,
) -> str:
    """The stderr of a run, with process numbers.

    Launchers mix parts of lines of two processes, so valgrind writes files.
    """
    need("valgrind")
    command = words(mpi, "--check=buffers", "--valgrind", *options)
    known = {name: mpi.env[name] for name in ("LD_LIBRARY_PATH",) if name in mpi.env}
    with tempfile.TemporaryDirectory() as logs:
        known["VALGRIND_OPTS"] = f"--log-file={logs}/%p"
        done = shell(*command, compiled(name, mpi), *arguments, env=known)
        texts = [path.read_text() for path in sorted(Path(logs).iterdir())]
    assert (done.returncode, done.stdout) == (status, said)
    return re.sub("0x[0-9a-fA-F]+", "0x...", "".join([*texts, done.stderr]))


def alike(said: str) -> str:
    """The output without process numbers."""
    return re.sub(r"==\d+==", "==PID==", said)


def accesses(said: str) -> list[set[tuple[int, str]]]:
    """For each process, the lines that valgrind reports, and the access there."""
    found: dict[str, set[tuple[int, str]]] = {}
    access: dict[str, str] = {}
    for number, line in re.findall(r"==(\d+)== (.*)", said):
        place = re.search(r"\(valgrind\.c:(\d+)\)", line)
        if line.startswith("Invalid"):
            access[number] = line
        elif place and number in access:
            found.setdefault(number, set()).add((int(place[1]), access.pop(number)))
    return list(found.values())


@on_mpi("mpich4", "openmpi4")
def test_each_byte_that_is_used_too_early_is_told(mpi: MPI) -> None:
    wrong = told(mpi, "wrong", options=["--check=rma,buffers"])
    lines = program_source("valgrind.c").read_text().splitlines()
    marked = {(i, one.split("//: ")[1]) for i, one in enumerate(lines, 1) if "//: " in one}
    assert accesses(wrong) == [marked] * 2, wrong
    assert wrong.count("Invalid") == 2 * len(marked), wrong
    assert [wrong.count(one) for one in BESIDE] == [2, 2], wrong
    assert CHANGED in wrong, wrong
    assert (
        "    origin_addr(VECTOR)[4][0](DOUBLE), at 0x..., in out+128, was 0 and is 1\n" in wrong
    ), wrong
    assert "mpipp: 2 errors beside valgrind's in 2 processes (" in wrong, wrong


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
def test_what_is_right_is_not_told(mpi: MPI) -> None:
    right = alike(told(mpi, options=["--check=rma,buffers"]))
    assert "==PID==  " not in right and "error:" not in right, right
    assert "mpipp: no errors beside valgrind's in 2 processes (" in right, right
    assert "; loads and stores of windows not checked\n" in right, right


@pytest.mark.thorough
@on_mpi("mpich4")
def test_partitions_are_the_program_s_as_they_arrive(mpi: MPI) -> None:
    right = alike(told(mpi, name="valgrind_partitions.c", said="1\n"))
    assert "==PID==  " not in right and "error:" not in right, right
    options = ["--error-exit", "9"]
    wrong = alike(
        told(mpi, "wrong", name="valgrind_partitions.c", said="1\n", options=options, status=9)
    )
    assert "mpipp: nothing found beside valgrind's in 2 processes (" in wrong, wrong
    assert [wrong.count(line) for line in PARTITIONS] == [1] * 6, wrong
    assert wrong.count("Invalid") == 2, wrong


def test_all_operations_are_looked_at_unless_a_budget_is_given() -> None:
    assert percent() > 1000 * 1000 and percent("--budget", "7") == 7


def percent(*options: str) -> int:
    """The share of the program's time that guards may take under valgrind, in percent."""
    parser = argparse.ArgumentParser()
    run_command.add_arguments(parser)
    given = parser.parse_args(["--check=buffers", "--valgrind=", *options])
    return int(exec.for_program(given)["MPIPP_BUDGET"])


@on_mpi("mpich4")
def test_it_is_for_buffers(mpi: MPI) -> None:
    done = shell(*words(mpi, "--valgrind"), compiled("valgrind.c", mpi))
    assert done.returncode == 2
    assert done.stderr.endswith("--valgrind checks buffers: add --check=buffers\n")
