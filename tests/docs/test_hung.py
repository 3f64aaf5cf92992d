# SPDX-License-Identifier: MIT
"""docs/hung.md shows what a user sees: its gdb sessions, run as written.

With MPIPP_UPDATE_DOCS=1 the outputs in the file are replaced by what gdb prints.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.docs.test_tutorial import (
    Gdb,
    Session,
    cpu_seconds,
    read_sessions,
    rewrite,
    same,
    shown,
    works_in,
)
from tests.support import MPI, ROOT, find_mpi, need

PAGE = ROOT / "docs" / "hung.md"
MPIPP = ["env", f"PYTHONPATH={ROOT}", sys.executable, "-m", "mpipp.cli"]


@contextmanager
def attached(session: Session, mpi: MPI, directory: Path) -> Iterator[Gdb]:
    """A gdb on all processes of a job: "attach NUMBER PROGRAM ARGUMENT..."."""
    _, number, program, *arguments = session.start
    words = [*MPIPP, "run", "-n", number, "--", f"./{program}", *arguments]
    launcher = subprocess.Popen(
        words, cwd=directory, env=dict(mpi.env), stdout=subprocess.DEVNULL, start_new_session=True
    )
    try:
        pids = wait_for(int(number), program, directory)
        yield Gdb([*MPIPP, "attach", *map(str, pids), "--", "-q"], mpi, directory)
    finally:
        os.killpg(launcher.pid, 15)
        launcher.wait(timeout=30)


def wait_for(number: int, program: str, directory: Path) -> list[int]:
    """The processes, once all poll or compute: past the start, which takes far less."""
    for _ in range(600):
        done = subprocess.run(["pgrep", "-x", program], capture_output=True, text=True, check=False)
        pids = [pid for pid in sorted(map(int, done.stdout.split())) if works_in(directory, pid)]
        if len(pids) == number and all(cpu_seconds(pid) > 0.3 for pid in pids):
            return pids
        time.sleep(0.1)
    raise AssertionError(f"the processes of {program} did not start")


def alike(line: str) -> str:
    """A line without what differs from run to run."""
    line = re.sub(r"\[Switching to inferior.*", "[Switching to inferior]", line)
    line = re.sub(r"\[Switching to thread.*", "[Switching to thread]", line)
    return "#0" if line.startswith("#0 ") else same(line)  # where in the library it polls


@pytest.mark.timeout(300)
def test_every_output_is_what_gdb_prints(tmp_path: Path) -> None:
    mpi = find_mpi("mpich4")
    need("gdb")
    (tmp_path / "examples").mkdir()
    shutil.copy(ROOT / "examples" / "halo.c", tmp_path / "examples")
    words = [mpi.mpicc, "-g", "examples/halo.c", "-o", "halo"]
    subprocess.run(words, cwd=tmp_path, env=dict(mpi.env), check=True)
    assert mpi.wrapper  # built before the clock of the first session runs
    text = PAGE.read_text()
    sessions = read_sessions(text)
    answers: dict[int, list[str]] = {}
    for session in sessions:
        with attached(session, mpi, tmp_path) as gdb:
            for command in session.commands:
                answers[command.line] = shown(gdb.ask(command.text), tmp_path)
    if os.environ.get("MPIPP_UPDATE_DOCS"):
        PAGE.write_text(rewrite(text, answers, sessions))
        return
    for session in sessions:
        for command in session.commands:
            assert [alike(line) for line in answers[command.line]] == [
                alike(line) for line in command.expected
            ], command.text
