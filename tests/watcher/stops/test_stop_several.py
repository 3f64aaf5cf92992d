# SPDX-License-Identifier: MIT
"""`--stop` and `--gdb` with several processes: findings of `--strict`, and deadlocks."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests import support
from tests.support import MPI
from tests.watcher import runs
from tests.watcher.stops.test_open_gdb import PROMPT, opened

PROGRAM = """\
#include <mpi.h>
#include <string.h>
int main(int argc, char **argv)
{
    int rank, value = 1, sum;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(argv[1], "hangs") == 0)
        MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Op op = rank == 1 && strcmp(argv[1], "well") ? MPI_MAX : MPI_SUM;
    if (strcmp(argv[1], "later") == 0) {
        MPI_Iallreduce(&value, &sum, 1, MPI_INT, op, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Allreduce(&value, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
"""


def program(mpi: MPI) -> Path:
    """The program; its argument selects the error."""
    return support.compile_program(PROGRAM, mpi, ("-g", "-O0", "-w"))


@contextmanager
def started(mpi: MPI, how: str, *options: str) -> Iterator[subprocess.Popen[str]]:
    """A watched run of two processes. Read its stderr."""
    assert mpi.wrapper
    known = {name: mpi.env[name] for name in ("LD_LIBRARY_PATH",) if name in mpi.env}
    words = [*runs.words(mpi, *options), str(program(mpi)), how]
    command = [sys.executable, "-m", "mpipp.cli", *words]
    env = {**support.clean_environment(PYTHONPATH=str(support.ROOT)), **known}
    with subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True) as run:
        try:
            yield run
        finally:
            if run.poll() is None:
                support.end(run)


def lines_of(run: subprocess.Popen[str], pattern: str, count: int) -> list[re.Match[str]]:
    """The matching lines, as soon as there are `count` of them."""
    assert run.stderr
    found: list[re.Match[str]] = []
    for line in run.stderr:
        match = re.fullmatch(pattern, line.rstrip("\n"))
        found += [match] if match else []
        if len(found) == count:
            break
    return found


def go_on(found: re.Match[str]) -> None:
    """Wait until the process has stopped, and continue it."""
    pid = int(found["pid"])
    while Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "T":
        os.sched_yield()
    os.kill(pid, signal.SIGCONT)


STOPS = (
    r"  rank (?P<rank>\d) stops there: mpipp attach (?P<pid>\d+); kill -CONT (?P=pid) continues it"
)


@support.on_mpi("mpich4", "openmpi4")
def test_a_call_that_disagrees(mpi: MPI) -> None:
    """Both processes stop before the call has any effect."""
    with started(mpi, "now", "--strict", "--stop") as run:
        found = lines_of(run, STOPS, 2)
        assert sorted(one["rank"] for one in found) == ["0", "1"]
        for one in found:
            go_on(one)
        assert run.stderr
        rest = run.stderr.read().splitlines()
        assert run.wait() == 0
    assert rest[-1].startswith("mpipp: 1 error in 2 processes (")


@support.on_mpi("mpich4")
def test_a_call_that_is_compared_when_it_completes(mpi: MPI) -> None:
    """The first process that completes the call stops there.

    If that takes a second, the error was found before.
    """
    with started(mpi, "later", "--strict", "--stop") as run:
        for one in lines_of(run, STOPS + "|mpipp: 1 error .*", 1):
            if one["pid"] is None:
                return
            go_on(one)
        assert run.stderr
        rest = run.stderr.read().splitlines()
        assert run.wait() == 0
    assert rest[-1].startswith("mpipp: 1 error in 2 processes (")


@support.on_mpi("mpich4", "openmpi4")
def test_control_c_ends_those_that_have_stopped(mpi: MPI) -> None:
    run = opened(mpi, program(mpi), "--strict", "--stop", arguments=("now",))
    for _ in range(2):
        run.until(" continues it")
    run.type("\3")
    said, _ = run.rest()  # the processes may end well before the launcher does
    assert "mpipp: 1 error in 2 processes (" in said


@support.on_mpi("mpich4", "openmpi4")
def test_nobody_stops_in_calls_that_agree(mpi: MPI) -> None:
    with started(mpi, "well", "--strict", "--stop") as run:
        assert run.stderr
        (line,) = [line for line in run.stderr if line.startswith("mpipp: ")]
        assert run.wait() == 0
    assert line.startswith("mpipp: no errors in 2 processes (")


@support.on_mpi("mpich4", "openmpi4")
def test_a_deadlock(mpi: MPI) -> None:
    """The report says how to attach. A process that already waits is not stopped."""
    with started(mpi, "hangs", "--hang-after", "0.5", "--stop") as run:
        found = lines_of(run, r"  rank (?P<rank>\d) is there: mpipp attach (?P<pid>\d+)", 2)
        assert sorted(one["rank"] for one in found) == ["0", "1"]
        states = [Path(f"/proc/{one['pid']}/stat").read_text() for one in found]
        assert not {state.rpartition(")")[2].split()[0] for state in states} & {"T", "t"}


@pytest.mark.thorough
@support.on_mpi("mpich4")
def test_gdb_opens_in_a_deadlock(mpi: MPI) -> None:
    run = opened(mpi, program(mpi), "--gdb=all", "--hang-after", "0.5", arguments=("hangs",))
    lines = support.without_points(run.until(PROMPT)).splitlines()
    assert "error: deadlock: rank 0 and rank 1 wait for each other" in lines
    (there,) = [line for line in lines if line.endswith(" is there: gdb opens")]
    assert re.fullmatch(r"  rank \d is there: gdb opens", there)
    assert lines[-1].startswith("10\t        MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0,")
    run.type("kill inferiors 1 2")
    run.until(PROMPT)
    run.type("quit")
    said, status = run.rest()
    assert status != 0, said


@pytest.mark.thorough
@support.on_mpi("mpich4")
def test_gdb_opens_in_a_call_that_disagrees(mpi: MPI) -> None:
    """gdb opens in one of the processes, because the others wait for it."""
    run = opened(mpi, program(mpi), "--gdb", "--strict", arguments=("now",))
    lines = run.until(PROMPT).splitlines()
    (there,) = [line for line in lines if " stops there: gdb opens" in line]
    assert there == "  rank 0 stops there: gdb opens; the program continues when you leave gdb"
    assert lines[-1].startswith("16\t        MPI_Allreduce(&value, &sum, 1, MPI_INT, op,")
    run.type("quit")
    run.until("(y or n) ")
    run.type("y")
    said, status = run.rest()
    assert (status, said.count(PROMPT)) == (0, 0), said
