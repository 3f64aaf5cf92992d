# SPDX-License-Identifier: MIT
"""Checked runs on several nodes that share no run directory: the job's error output has the
findings of other nodes."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.nodes.cluster import Cluster, cluster
from tests.support import MPI, ROOT, clean_environment, on_mpi
from tests.watcher import runs
from tests.watcher.nodes.test_nodes import WRONG

HOSTS = ["head", "node1", "head", "node1"]
ONLY_AT_THE_END = (
    "mpipp: not checked: deadlocks across nodes, and which process died first: node1 does not "
    "share the run's directory, so mpipp compared nodes only at the end"
)


@contextmanager
def private_directory() -> Iterator[Path]:
    """Yield a directory of the head node that no other node has."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        yield Path(name)


def checked(
    nodes: Cluster, mpi: MPI, directory: Path, wrong: tuple[str, ...], *options: str
) -> runs.Run:
    """Watch two processes on each of two nodes."""
    launcher = shlex.join(nodes.launcher(mpi, HOSTS))
    program = str(runs.program("nodes.c", mpi))
    command = ["run", "--check=fast", "--mpiexec", launcher, "-n", "4", *options, "--", program]
    enter = nodes.inside([sys.executable, "-m", "mpipp.cli", *command, *wrong])
    enter = [f"--wdns={directory}" if word.startswith("--wdns=") else word for word in enter]
    done = subprocess.run(
        enter,
        env={**clean_environment(), **mpi.env, **nodes.environment, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert "mpipp-message" not in done.stdout + done.stderr
    return runs.read(done)


@on_mpi("openmpi4")
def test_findings_without_a_shared_directory(mpi: MPI) -> None:
    wrong = ("type", "near", "lost")  # each between two nodes
    with cluster("node1") as nodes, private_directory() as own:
        report = own / "report"
        found = checked(nodes, mpi, Path("/tmp"), wrong, "--report", str(report))
        assert found.status == 0
        assert sorted(found.blocks) == sorted(mpi.cited(block) for block in WRONG[:3])
        assert found.last == [
            ONLY_AT_THE_END,
            "mpipp: 3 errors in 4 processes (159 MPI calls checked)",
        ]
        told = json.loads((report / "findings.json").read_text())
        assert (len(told["findings"]), told["calls"]) == (3, 159)
        # Nodes that make the same mistake share one finding.
        found = checked(nodes, mpi, Path("/tmp"), ("leak",))
        (leak,) = found.blocks
        assert leak.splitlines()[0] == "warning: 1 datatype is not freed"
        assert found.last[-1] == "mpipp: 1 warning in 4 processes (152 MPI calls checked)"
        left = nodes.run(nodes.ssh, "node1", "ls -A /tmp").split()
        assert [name for name in left if "mpipp" in name] == []
        # With a shared directory there is nothing to say.
        found = checked(nodes, mpi, nodes.directory, wrong)
        assert sorted(found.blocks) == sorted(mpi.cited(block) for block in WRONG[:3])
        assert found.last == ["mpipp: 3 errors in 4 processes (159 MPI calls checked)"]


@on_mpi("openmpi4")
def test_a_death_and_a_hang_without_a_shared_directory(mpi: MPI) -> None:
    with cluster("node1") as nodes:
        found = checked(nodes, mpi, Path("/tmp"), ("die",))
        assert found.status
        # Open MPI's launcher ends at once, before a watcher can report.
        line = "has not reported its end; before, rank 3 got SIGABRT at nodes.c:60 in main"
        reported = [block for block in found.blocks if "rank 3: died" in block]
        assert reported or any(text.endswith(line) for text in found.last), found
        options = "--on-hang=abort:7", "--hang-after", "1"
        found = checked(nodes, mpi, Path("/tmp"), ("hang",), *options)
        assert found.status == 7
        assert any(block.startswith("error: deadlock") for block in found.blocks), found
