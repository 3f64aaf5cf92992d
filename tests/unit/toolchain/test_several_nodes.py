# SPDX-License-Identifier: MIT
"""Launchers that may start processes on several nodes, by their command and environment."""

from __future__ import annotations

import pytest

from mpipp.toolchain.run_launcher import may_use_several_nodes


@pytest.mark.parametrize(
    ("command", "environment", "expected"),
    [
        ("mpiexec -n 4", {}, False),
        ("mpiexec.openmpi --oversubscribe --mca btl tcp,self", {}, False),
        ("mpiexec -n 4", {"SLURM_JOB_NUM_NODES": "1"}, False),
        ("mpiexec -n 4", {"SLURM_JOB_NUM_NODES": "3"}, True),
        ("mpiexec -n 4", {"PBS_NODEFILE": "/var/spool/aux/7"}, True),
        ("mpiexec -hosts a,b", {}, True),
        ("mpirun --host=a,b", {}, True),
        ("mpirun --hostfile nodes", {}, True),
        ("/opt/bin/mpiexec -f nodes", {}, True),
        ("/usr/bin/srun", {}, True),
    ],
)
def test_commands(command: str, environment: dict[str, str], expected: bool) -> None:
    assert may_use_several_nodes(command.split(), environment) is expected
