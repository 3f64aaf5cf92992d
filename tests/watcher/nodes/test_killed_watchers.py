# SPDX-License-Identifier: MIT
"""Watchers that a batch system kills as soon as the last rank of their node has exited."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from mpipp.watcher.output import node_results
from tests.support import MPI, ROOT, on_mpi, shell
from tests.watcher import runs

EXEC = [sys.executable, "-m", "mpipp.cli", "exec", "--check"]
STEP = [sys.executable, str(Path(__file__).with_name("step.py"))]
SUMMARY = "mpipp: 2 warnings in 2 processes (8 MPI calls checked)"
FINDINGS = ["warning: 1 datatype is not freed", "warning: 1 info object is not freed"]


def launched(mpi: MPI, *options: str) -> runs.Run:
    """Two ranks with a watcher that is killed when both have exited."""
    program = str(runs.program("kept_objects.c", mpi))
    # A killed watcher cannot remove its socket.
    with tempfile.TemporaryDirectory(prefix="mpipp-test-", dir="/tmp") as short:
        done = subprocess.run(
            [*STEP, *mpi.mpiexec, "-n", "2", *EXEC, *options, "--", program],
            env={
                **mpi.env,
                "PYTHONPATH": str(ROOT),
                "MPIPP_WRAPPER": mpi.wrapper,
                "XDG_RUNTIME_DIR": short,
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
    return runs.read(done)


def first_lines(found: runs.Run) -> list[str]:
    """The first line of each finding."""
    return sorted(block.splitlines()[0] for block in found.blocks)


@on_mpi("mpich4", "openmpi4")
def test_the_summary_comes_before_the_last_rank_exits(mpi: MPI) -> None:
    found = launched(mpi)
    assert (first_lines(found), found.last) == (FINDINGS, [SUMMARY])


@on_mpi("mpich4")
def test_the_results_of_a_node_are_complete(mpi: MPI, tmp_path: Path) -> None:
    report = str(tmp_path / "report")
    found = launched(mpi, "--report", report)
    assert (first_lines(found), found.last) == (FINDINGS, [SUMMARY])
    (node,), failed = node_results.nodes(report)
    assert (node.ended, node.total.warnings, failed) == (True, 2, [])


@on_mpi("mpich4")
def test_a_launcher_gets_the_summary(mpi: MPI, tmp_path: Path) -> None:
    report = tmp_path / "report"
    launcher = " ".join([*STEP, *mpi.mpiexec])
    words = ["run", "--check=fast", "--mpiexec", launcher, "-n", "2", "--report", str(report)]
    done = shell(*words, "--", runs.program("kept_objects.c", mpi), env=mpi.env)
    found = runs.read(done)
    assert (first_lines(found), found.last) == (FINDINGS, [SUMMARY])
    assert json.loads((report / "findings.json").read_text())["not_checked"] == []
