# SPDX-License-Identifier: MIT
"""A watcher that is late, gone, or cannot read: the program continues, and the report says so."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from subprocess import Popen

import pytest

from tests.support import MPI, every_mpi, need, on_mpi, shell
from tests.watcher import runs

DEADLOCK = """\
error: deadlock: rank 0 and rank 1 wait for each other
  rank 0 waits in MPI_Recv(source 1, tag 5), called at ends.c:80 in main
    rank 1 has no such send pending
  rank 1 waits in MPI_Recv(source 0, tag 5), called at ends.c:80 in main
    rank 0 has no such send pending"""


WAITALL = """\
error: deadlock: rank 0 and rank 1 wait for each other
  rank 0 waits in MPI_Waitall(2 requests), called at ends.c:46 in wait_for_all
    for MPI_Irecv(source 1, tag 5), called at ends.c:45 in wait_for_all: \
rank 1 has no such send pending
    for MPI_Irecv(source 1, tag 6), called at ends.c:45 in wait_for_all: \
rank 1 has no such send pending
  rank 1 waits in MPI_Waitall(2 requests), called at ends.c:46 in wait_for_all
    for MPI_Irecv(source 0, tag 5), called at ends.c:45 in wait_for_all: \
rank 0 has no such send pending
    for MPI_Irecv(source 0, tag 6), called at ends.c:45 in wait_for_all: \
rank 0 has no such send pending"""


def started(mpi: MPI, how: str, *options: str, before: Sequence[str] = ()) -> Popen[str]:
    """A watched run, in a session of its own."""
    words: list[str | Path] = [*runs.words(mpi, *options), runs.program("ends.c", mpi), how]
    return runs.started(words, mpi, before=before)


def ended(run: Popen[str]) -> runs.Run:
    """The results of a run, when it has ended."""
    return runs.read(runs.ended(run))


def told(run: Popen[str], lines: int, end: Callable[[int, int], None] = os.killpg) -> str:
    """The output up to this many lines with "no such send". Then the user ends the run."""
    said = runs.until(run, "no such send", lines)
    end(run.pid, signal.SIGINT)
    return said[said.index("error: ") :].rstrip("\n")


@every_mpi
def test_a_deadlock(mpi: MPI) -> None:
    run = started(mpi, "hang", "--hang-after", "1")
    assert told(run, 2) == DEADLOCK
    found = ended(run)
    # A process that the user ends is not reported as dead.
    assert found.blocks == []
    assert found.last == ["mpipp: 1 error in 2 processes (13 MPI calls checked)"]


@every_mpi
def test_where_memory_may_not_be_read(mpi: MPI) -> None:
    """For example, Yama may forbid tracing. Waiting calls are found anyway."""
    root = os.geteuid() == 0
    before = [need("setpriv"), "--bounding-set", "-sys_ptrace"] if root else []
    run = started(mpi, "waitall", "--hang-after", "1", before=before)
    # Only mpipp gets the signal, and the launcher is notified.
    assert told(run, 4, os.kill) == WAITALL
    last = runs.only(ended(run).last)
    # If one process ends long before the other, that is reported, too.
    assert re.fullmatch(
        r"mpipp: (1 error|2 errors) in 2 processes \(13 MPI calls checked\)", last
    ), last


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (signal.SIGKILL, "the watcher has ended before the program"),
        (signal.SIGSTOP, "the watcher was stopped by a signal"),
    ],
)
def test_what_was_told_is_counted_without_the_watcher(
    mpi: MPI, harm: signal.Signals, said: str
) -> None:
    run = started(mpi, "hang", "--hang-after", "0.5")
    runs.until(run, "no such send")
    os.kill(watcher_of(run.pid), harm)
    os.killpg(run.pid, signal.SIGTERM)
    found = ended(run)
    assert found.last == [
        f"mpipp: not checked: {said}",
        "mpipp: 1 error in 0 processes (0 MPI calls checked)",
    ]


def watcher_of(run: int) -> int:
    """The id of the watcher that the processes of a run started."""
    lines = subprocess.run(
        ["pgrep", "-f", "-a", "--", "[-]m mpipp.watcher "],
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    directory = next(
        word for pid in children(run) for word in arguments(pid) if re.search(r"/mpipp-\w+$", word)
    )
    return next(int(line.split()[0]) for line in lines.splitlines() if directory in line)


def children(pid: int) -> list[int]:
    """The children of a process."""
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(word) for word in file.read().split()]


def arguments(pid: int) -> list[str]:
    """The command line of a process."""
    with open(f"/proc/{pid}/cmdline") as file:
        return file.read().split("\0")


@on_mpi("mpich4", "openmpi4")
def test_memory_that_the_system_refuses(mpi: MPI) -> None:
    """No process is killed by SIGXFSZ, and the report names the missing records."""
    found = runs.run(mpi, [runs.program("ends.c", mpi), "limit"])
    assert (found.status, found.output) == (0, "limit\n")
    assert found.last[:-1] == [
        "mpipp: not checked: rank 0: the system has no memory left that the watcher can read"
    ]


@on_mpi("mpich4", "openmpi4")
def test_the_program_starts_with_the_signals_that_it_has_without(mpi: MPI) -> None:
    program = runs.program("ignored.c", mpi)
    assert mpi.run([program], n=1, preload=False).stdout == "0 0\n"
    assert runs.run(mpi, [program], n=1).output == "0 0\n"
    launcher = " ".join(mpi.mpiexec)
    launched = shell("run", "--mpiexec", launcher, "-n", "1", "--", program, env=mpi.env)
    assert launched.stdout == "0 0\n"
