# SPDX-License-Identifier: MIT
"""Checked jobs that Slurm ends: `scancel`, the time limit, and the failure of a node.

The report comes before Slurm kills the processes, KillWait seconds after SIGTERM.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.slurm.batch_system import BatchSystem, batch_system
from tests.slurm.test_checked_jobs import LAYOUT, MPIPP, start
from tests.support import MPI, compile_program, on_mpi, wait_until

pytestmark = pytest.mark.thorough

PROGRAM = Path(__file__).with_name("programs") / "unsent.c"
ENDED = "remark: a process has been ended by SIGTERM\n"
KILL_WAIT = 3000  # seconds: the test would fail if the report waited for SIGKILL


class Job:
    """A running batch job with four ranks on two nodes, all inside MPI calls."""

    def __init__(self, slurm: BatchSystem, mpi: MPI, *options: str) -> None:
        self._output = slurm.directory / f"output{'-'.join(options)}"
        program = str(compile_program(PROGRAM, mpi))
        words = [*start(mpi), *MPIPP, "exec", "--check", "--hang-after", "10000", "--", program]
        submit = ["sbatch", "--parsable", *options, *LAYOUT, f"--output={self._output}"]
        done = slurm.run([*submit, f"--wrap={shlex.join(words)}"], MPIPP_WRAPPER=mpi.wrapper)
        self.number = done.stdout.strip()
        assert self.number.isdigit(), done.stderr
        self.wait("ready\n")

    def text(self) -> str:
        """The job's output so far."""
        return self._output.read_text() if self._output.exists() else ""

    def wait(self, expected: str, times: int = 1) -> str:
        """The output with an expected text."""
        wait_until(lambda: self.text().count(expected) >= times, self.text)
        return self.text()


@on_mpi("mpich4")
def test_cancelled_job(mpi: MPI) -> None:
    with batch_system("node1", "node2", kill_wait=KILL_WAIT) as slurm:
        job = Job(slurm, mpi)
        assert slurm.run(["scancel", job.number]).returncode == 0
        text = job.wait("mpipp: no errors in 2 processes", 2)
    assert ENDED in text
    assert "rank 0: MPI_Recv(source" in text
    assert f"see the state of Slurm job {job.number}: sacct -j {job.number} shows" in text


@on_mpi("mpich4")
def test_time_limit(mpi: MPI) -> None:
    with batch_system("node1", "node2", kill_wait=KILL_WAIT) as slurm:
        job = Job(slurm, mpi, "--time=1")  # a minute is Slurm's shortest limit
        text = job.wait("mpipp: no errors in 2 processes", 2)
    assert "DUE TO TIME LIMIT" in text
    assert ENDED in text
    # Slurm sets SLURM_JOB_END_TIME from version 23.02 on.
    older = f"sacct -j {job.number} shows CANCELLED after scancel, TIMEOUT at the time limit"
    assert older in text or f"Slurm job {job.number} has reached its time limit" in text


@on_mpi("mpich4")
def test_failed_node(mpi: MPI) -> None:
    with batch_system("node1", "node2", kill_wait=KILL_WAIT) as slurm:
        job = Job(slurm, mpi)
        slurm.run([slurm.nodes.ssh, "node2", "kill -KILL -1"])  # only processes of this node
        # Slurm waits for the node. The other node reports when the user cancels the job.
        assert slurm.run(["scancel", job.number]).returncode == 0
        text = job.wait("mpipp: no errors in 2 processes")
    assert ENDED in text
    unknown = "messages and collective calls with 2 processes unknown to this watcher"
    assert f"mpipp: not checked: {unknown}" in text
