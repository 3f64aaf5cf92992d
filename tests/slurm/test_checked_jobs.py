# SPDX-License-Identifier: MIT
"""Checked jobs of Slurm: `srun mpipp exec --check`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.slurm.batch_system import batch_system
from tests.support import MPI, compile_program, on_mpi

PROGRAM = Path(__file__).with_name("programs") / "mismatch.c"
MPIPP = (sys.executable, "-m", "mpipp.cli")
# Two nodes with two ranks each: MPICH learns its ranks through PMI-2, Open MPI through PMIx.
PLUGINS = {"mpich4": "pmi2", "openmpi4": "pmix"}
LAYOUT = ("--nodes=2", "--ntasks=4", "--ntasks-per-node=2")
MISMATCH = "error: the types sent and received do not match"


def start(mpi: MPI) -> list[str]:
    """Return the words that start four ranks on two nodes."""
    return ["srun", f"--mpi={PLUGINS[mpi.id]}", *LAYOUT]


@on_mpi("mpich4", "openmpi4")
def test_errors_within_a_node_and_between_nodes(mpi: MPI) -> None:
    program = compile_program(PROGRAM, mpi)
    with batch_system("node1", "node2") as slurm:
        report = str(slurm.directory / "report")
        words = [*start(mpi), *MPIPP, "exec", "--check", "--report", report, "--", str(program)]
        done = slurm.run(words, MPIPP_WRAPPER=mpi.wrapper)
        assert done.returncode == 0, done.stderr
        assert done.stderr.count(MISMATCH) == 1  # only watchers of the same node can compare
        assert "mpipp: no errors in 2 processes" in done.stderr
        shown = slurm.run([*MPIPP, "report", report])
    # The report shows equal errors once, with all their ranks.
    assert "ranks 0 and 1: MPI_Send(dest = 1," in shown.stdout, shown.stdout + shown.stderr
    assert "ranks 1 and 2: MPI_Recv(source = 0," in shown.stdout
    assert "1 error in 4 processes" in shown.stdout


@pytest.mark.thorough
@on_mpi("mpich4")
def test_slurm_kills_watchers_by_their_cgroup(mpi: MPI) -> None:
    """With cgroups, Slurm kills the watcher of a node when the last rank there has ended."""
    program = compile_program(PROGRAM, mpi)
    with batch_system("node1", "node2", cgroups=True) as slurm:
        report = str(slurm.directory / "report")
        words = [*start(mpi), *MPIPP, "exec", "--check", "--report", report, "--", str(program)]
        done = slurm.run(words, MPIPP_WRAPPER=mpi.wrapper)
        shown = slurm.run([*MPIPP, "report", report])
    assert "mpipp: no errors in 2 processes" in done.stderr, done.stderr
    assert "mpipp: 1 error in 2 processes" in done.stderr
    assert "has not reported its end" not in shown.stdout + shown.stderr
    assert "1 error in 4 processes" in shown.stdout


@pytest.mark.thorough
@on_mpi("mpich4")
def test_heterogeneous_job(mpi: MPI) -> None:
    program = str(compile_program(PROGRAM, mpi))
    parts = ("--ntasks=2", ":", "--ntasks=1")
    with batch_system("node1", "node2") as slurm:
        report = str(slurm.directory / "report")
        words = ["srun", "--mpi=pmi2", *parts, *MPIPP, "exec", "--check", "--report", report]
        done = slurm.run([*words, "--", program], MPIPP_WRAPPER=mpi.wrapper)
        assert done.returncode == 0, done.stderr
        shown = slurm.run([*MPIPP, "report", report])
    # All parts of the job share MPI_COMM_WORLD.
    assert "ranks 1 and 2: MPI_Recv(source = 0," in shown.stdout, shown.stdout + shown.stderr
    assert "1 error in 3 processes" in shown.stdout
