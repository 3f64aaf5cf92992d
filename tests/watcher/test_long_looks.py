# SPDX-License-Identifier: MIT
"""Runs after which the watcher works longer than the program ran."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from subprocess import Popen

import pytest

from tests.support import MPI, ROOT, compile_program, on_mpi
from tests.watcher import runs
from tests.watcher.test_unwatched import children

# The watcher may be idle for less time than its work takes here.
_SOON = """
import sys
from mpipp.cli.commands.run import launcher_session
from mpipp.cli.main import main
launcher_session._LATE = 0.6
sys.exit(main())
"""


def counting(mpi: MPI, number: int, *python: str) -> Popen[str]:
    """A program that counts in windows, and prints a line when it is done."""
    program = compile_program(ROOT / "benchmarks" / "programs" / "onesided.c", mpi, ("-O2", "-g"))
    words = runs.words(mpi, "--check=rma")
    return Popen(
        [sys.executable, *python, *words, str(program), "counters", str(number)],
        env={**mpi.env, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@on_mpi("mpich4")
def test_it_is_awaited(mpi: MPI) -> None:
    run = counting(mpi, 5000, "-c", _SOON)
    found = runs.read(runs.ended(run))
    assert (found.status, found.blocks) == (0, [])
    (line,) = found.last
    assert line.startswith("mpipp: no errors in 2 processes (20,022 MPI calls checked)"), line


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
def test_the_user_waits_no_longer(mpi: MPI) -> None:
    run = counting(mpi, 50000, "-m", "mpipp.cli")
    assert run.stdout is not None
    assert run.stdout.readline().endswith(" 100000\n")
    while children(run.pid):  # waits for the launcher
        time.sleep(0.05)
    os.killpg(run.pid, signal.SIGINT)  # like Ctrl-C
    found = runs.read(runs.ended(run))
    assert (found.status, found.blocks) == (0, [])
    assert found.last == [
        "mpipp: not checked: the watcher was interrupted before its checks had finished",
        "mpipp: nothing found in 0 processes (0 MPI calls checked); ended by SIGINT",
    ]
