# SPDX-License-Identifier: MIT
"""A remark reports processes that poll for an event that never happens."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from subprocess import Popen

import pytest

from tests import support
from tests.support import MPI, on_mpi
from tests.watcher import runs

LAUNCHER = Path(__file__).resolve().parents[1] / "node_launcher.py"
PROGRAM = """\
#include <mpi.h>
#include <unistd.h>

static MPI_Comm world = MPI_COMM_WORLD;
static int in, out = 7;

static void tests(int rank) {
  MPI_Request request;
  int there = 0;
  MPI_Irecv(&in, 1, MPI_INT, 1 - rank, 5, world, &request);
  while (!there) MPI_Test(&request, &there, MPI_STATUS_IGNORE);
  MPI_Send(&out, 1, MPI_INT, 1 - rank, 5, world);
}

static void probes(int rank) {
  int there = 0;
  while (!rank && !there) MPI_Iprobe(MPI_ANY_SOURCE, 3, world, &there, MPI_STATUS_IGNORE);
  MPI_Recv(&in, 1, MPI_INT, 1 - rank, 4 - rank, world, MPI_STATUS_IGNORE);
}

static void asks(int rank) {
  int number = 0, there, seconds = rank == 2 ? 8 : 0;
  double begun = MPI_Wtime();
  while (!rank && number < 2)
    for (int worker = 1; worker < 3; worker++) {
      MPI_Iprobe(worker, 1, world, &there, MPI_STATUS_IGNORE);
      if (there) MPI_Recv(&in, 1, MPI_INT, worker, 1, world, MPI_STATUS_IGNORE);
      number += there;
    }
  if (!rank)
    for (int worker = 1; worker < 3; worker++) MPI_Send(&out, 1, MPI_INT, worker, 2, world);
  if (!rank) return;
  while (MPI_Wtime() - begun < seconds) usleep(1000);
  MPI_Send(&out, 1, MPI_INT, 0, 1, world);
  MPI_Recv(&in, 1, MPI_INT, 0, 2, world, MPI_STATUS_IGNORE);
}

static void works(int rank) {
  MPI_Request request;
  int there = 0;
  double begun = MPI_Wtime();
  if (rank) {
    while (MPI_Wtime() - begun < 3) usleep(1000);
    MPI_Send(&out, 1, MPI_INT, 0, 5, world);
  } else {
    MPI_Irecv(&in, 1, MPI_INT, 1, 5, world, &request);
    while (!there) MPI_Testall(1, &request, &there, MPI_STATUSES_IGNORE);
  }
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(world, &rank);
  alarm(120);
  if (*argv[1] == 't') tests(rank);
  if (*argv[1] == 'p') probes(rank);
  if (*argv[1] == 'w') works(rank);
  if (*argv[1] == 'a') asks(rank);
  MPI_Finalize();
}
"""
TESTS = """\
remark: no progress: rank 0 and rank 1 wait for each other
  rank 0 polls with MPI_Test, called at main.c:11 in tests
    for MPI_Irecv(source 1, tag 5), called at main.c:10 in tests: rank 1 has no such send pending
  rank 1 polls with MPI_Test, called at main.c:11 in tests
    for MPI_Irecv(source 0, tag 5), called at main.c:10 in tests: rank 0 has no such send pending
  a process that polls may leave its loop without finding anything
"""
PROBES = """\
remark: no progress: rank 0 and rank 1 wait for each other
  rank 0 polls with MPI_Iprobe(source MPI_ANY_SOURCE, tag 3), called at main.c:17 in probes
    none of ranks 0 and 1 has such a send pending
  rank 1 waits in MPI_Recv(source 0, tag 3), called at main.c:18 in probes
    rank 0 has no such send pending
  a process that polls may leave its loop without finding anything
"""


@on_mpi("mpich4", "mpich5", "openmpi4", "openmpi5")
@pytest.mark.parametrize("text", [TESTS, PROBES], ids=["tests", "probes"])
def test_a_circle_is_told_once(mpi: MPI, text: str) -> None:
    program = support.compile_program(PROGRAM, mpi, ("-g",))
    name = "tests" if text is TESTS else "probes"
    run = runs.started([*runs.words(mpi, "--hang-after", "1"), program, name], mpi)
    done = told(run, text)
    assert text in done.stderr
    assert done.stderr.count("remark: ") == 1, done.stderr
    assert "error: deadlock" not in done.stderr


def told(run: Popen[str], text: str) -> subprocess.CompletedProcess[str]:
    """The output up to `text`, and for two more seconds. Then the user ends the run."""
    said = runs.until(run, text.splitlines()[-1])
    time.sleep(2)
    os.killpg(run.pid, signal.SIGINT)  # like Ctrl-C
    return runs.ended(run, said)


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
def test_nothing_is_said_of_what_comes(mpi: MPI) -> None:
    program = support.compile_program(PROGRAM, mpi, ("-g",))
    done = support.shell(*runs.words(mpi, "--hang-after", "1"), program, "works")
    assert (done.returncode, runs.read(done).blocks) == (0, [])
    assert "remark: " not in done.stderr


@on_mpi("mpich4", "openmpi4")
def test_who_asks_several_in_turn_is_not_said_to_wait_for_one(mpi: MPI) -> None:
    """A wait for one process while another computes is reported normally, and once."""
    program = support.compile_program(PROGRAM, mpi, ("-g",))
    done = support.shell(*runs.words(mpi, "--hang-after", "1", n=3), program, "asks")
    assert (done.returncode, runs.read(done).blocks) == (0, [])
    assert "no progress" not in done.stderr
    first = "remark: no MPI call has begun or returned for 1 s, except polls that found nothing\n"
    assert done.stderr.count("remark: ") == done.stderr.count(first) == 1, done.stderr


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
def test_of_processes_of_two_nodes(mpi: MPI) -> None:
    launcher = " ".join([sys.executable, str(LAUNCHER), "1", *mpi.mpiexec])
    program = support.compile_program(PROGRAM, mpi, ("-g",))
    words = ["run", "--check", "--mpiexec", launcher, "--hang-after", "1", "-n", "2", "--"]
    done = told(runs.started([*words, program, "probes"], mpi), PROBES)
    assert PROBES in done.stderr
    assert "the watcher has failed" not in done.stderr


MEET = """\
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  alarm(5);
  static int memory[4];
  void *given;
  MPI_Win window;
  if (rank == 0) MPI_Win_allocate(16, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &given, &window);
  else MPI_Win_create(memory, 16, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Recv(memory, 1, MPI_INT, !rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
"""


@on_mpi("mpich4")
def test_different_collective_calls_are_told_once(mpi: MPI) -> None:
    """The processes are not reported again as waiting forever."""
    program = support.compile_program(MEET, mpi, ("-g", "-w"))
    done = support.shell(*runs.words(mpi, "--hang-after", "1"), program)
    assert done.stderr.count("MPI_Win_allocate and MPI_Win_create are matched") == 1, done.stderr
    assert "are in different collective operations" not in done.stderr
