# SPDX-License-Identifier: MIT
"""Processes that wait while one of their threads has not called MPI yet, or others continue."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path
from subprocess import Popen

import pytest

from tests import support
from tests.support import MPI, on_mpi
from tests.watcher import runs

ALONE = """\
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
static void *send(void *unused) {
  int value = getchar();
  MPI_Send(&value, 1, MPI_INT, 0, 8, MPI_COMM_SELF);
  return unused;
}
int main(int argc, char **argv) {
  int provided, value;
  pthread_t thread;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  pthread_create(&thread, 0, send, 0);
  MPI_Recv(&value, 1, MPI_INT, 0, 8, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  pthread_join(thread, 0);
  MPI_Finalize();
}
"""
REMARK = "remark: possible deadlock: rank 0 waits for itself\n"
UNLESS = "\n  this is no deadlock if another thread of rank 0 calls MPI\n"


@on_mpi("openmpi4", "mpich5", "openmpi5")  # with MPICH 4 such a send waits forever
def test_a_thread_that_sends_late(mpi: MPI) -> None:
    """mpipp reports a remark, not an error, because a thread does send the message later."""
    program = support.compile_program(ALONE, mpi, ("-g", "-pthread"))
    words = runs.words(mpi, "--hang-after", "1", "--error-exit", "9", n=1)
    run = runs.started([*words, program], mpi)
    done = runs.went_on(run, runs.until(run, UNLESS.strip("\n")))
    assert REMARK in done.stderr and UNLESS in done.stderr
    found = runs.read(done)
    assert (found.status, found.blocks) == (0, [])
    assert found.last[-1].startswith("mpipp: no errors in 1 process (")


def interrupted(run: Popen[str], said: str) -> subprocess.CompletedProcess[str]:
    """End a run like the user, because it would not end. The result includes its output so far."""
    os.killpg(run.pid, signal.SIGINT)  # like Ctrl-C
    return runs.ended(run, said)


SCRIPT = """\
import signal, sys, threading
from mpi4py import MPI
signal.alarm(120)
if len(sys.argv) > 1:
    threading.Thread(target=threading.Event().wait, daemon=True).start()
MPI.COMM_WORLD.Recv(bytearray(4), source=1 - MPI.COMM_WORLD.rank, tag=4)
"""


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("kind", ["error", "remark"])
def test_mpi4py(mpi: MPI, kind: str, tmp_path: Path) -> None:
    """mpi4py uses MPI_THREAD_MULTIPLE by default. MPI's own threads do not make a deadlock
    uncertain."""
    script = tmp_path / "main.py"
    script.write_text(SCRIPT)
    words: list[str | Path] = [mpi.python, script, *(["thread"] if kind == "remark" else [])]
    run = runs.started([*runs.words(mpi, "--hang-after", "1"), *words], mpi)
    first = f"{kind}: possible deadlock: rank 0 and rank 1 wait for each other\n"
    interrupted(run, runs.until(run, first))


COMPUTES = """\
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) getchar();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
"""


@on_mpi("mpich4", "openmpi4")
def test_one_computes_and_the_other_waits(mpi: MPI) -> None:
    """A process that computes for long causes a remark, not an error, with the text of
    `mpipp why`."""
    program = support.compile_program(COMPUTES, mpi, ("-g",))
    run = runs.started([*runs.words(mpi, "--hang-after", "1"), program], mpi)
    said = runs.until(run, "      for rank 0\n")
    time.sleep(2)  # the remark must not appear a second time
    done = runs.went_on(run, said)
    lines = done.stderr.splitlines()
    first = lines.index("remark: no MPI call has begun or returned for 1 s")
    assert lines[first + 1 : first + 5] == [
        "  every wait can still be satisfied",
        "    rank 0 is not in MPI (computing after MPI_Comm_rank, called at main.c:6 in main)",
        "    rank 1 waits in MPI_Barrier, called at main.c:8 in main",
        "      for rank 0",
    ]
    found = runs.read(done)
    assert (found.status, found.blocks) == (0, [])
    runs.only(found.last)
    assert done.stderr.count("remark: ") == 1, done.stderr


POLLS = """\
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int rank, value = 0, there = 0, wrong = argc > 1 && *argv[1] == 'w';
  int seconds = wrong ? 120 : 3;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank), alarm(wrong ? 240 : 0);
  double begun = MPI_Wtime();
  if (rank == 0) {
    while (MPI_Wtime() - begun < seconds) {
      MPI_Iprobe(1, 7, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
      usleep(1000);
    }
    if (argc > 1 && !wrong) MPI_Abort(MPI_COMM_WORLD, 7);
    if (!wrong) MPI_Send(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
  } else {
    int peer = rank == 1 && !wrong ? 0 : 3 - rank;
    MPI_Recv(&value, 1, MPI_INT, peer, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(&value, 1, MPI_INT, 2, 5, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
"""
STUCK = """\
error: deadlock: rank 1 and rank 2 wait for each other
  rank 1 waits in MPI_Recv(source 2, tag 5), called at main.c:18 in main
    rank 2 has no such send pending
  rank 2 waits in MPI_Recv(source 1, tag 5), called at main.c:18 in main
    rank 1 has no such send pending"""


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("wrong", [True, False])
def test_others_poll(mpi: MPI, wrong: bool) -> None:
    """Two processes can never continue. They are reported once, while the third calls MPI all the
    time."""
    program = support.compile_program(POLLS, mpi, ("-g",))
    words: list[str | Path] = [*runs.words(mpi, "--hang-after", "1", n=3), program]
    run = runs.started([*words, "wrong"] if wrong else words, mpi)
    if wrong:
        said = runs.until(run, STUCK.splitlines()[-1])
        time.sleep(2)  # the remark must not appear a second time
        found = runs.read(interrupted(run, said))
    else:
        found = runs.read(runs.ended(run))
    assert found.blocks[:1] == ([STUCK] if wrong else [])
    assert sum("deadlock" in block for block in found.blocks) == wrong, found.blocks
    assert wrong or found.status == 0  # after Ctrl-C, the launcher sets the status


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
def test_others_have_waited_long_when_one_ends_the_job(mpi: MPI) -> None:
    program = support.compile_program(POLLS, mpi, ("-g",))
    block = runs.only(runs.run(mpi, [program, "abort"], "--hang-after", "1", n=3).blocks)
    assert block.startswith("warning: a process has called MPI_Abort\n")


MISSING = """\
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int rank, there;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  alarm(120);
  while (rank == 2 && access(argv[1], F_OK)) {
    MPI_Iprobe(1, 7, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    usleep(1000);
  }
  if (rank) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
"""


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
def test_one_after_the_other_comes_to_wait(mpi: MPI, tmp_path: Path) -> None:
    """Several processes wait for a process that will not communicate again: mpipp
    reports it once."""
    program = support.compile_program(MISSING, mpi, ("-g",))
    come = tmp_path / "come"
    run = runs.started([*runs.words(mpi, "--hang-after", "1", n=3), program, come], mpi)
    said = runs.until(run, "not communicate again")
    come.touch()
    time.sleep(3)
    found = runs.read(interrupted(run, said))
    (told,) = (block for block in found.blocks if "not communicate again" in block)
    first = "error: waits forever: rank 1 waits for rank 0, which will not communicate again\n"
    assert told.startswith(first)
