# SPDX-License-Identifier: MIT
"""The reports on cores of processes that died of a signal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import cores, support
from tests.analysis.deadlock.observed import PROGRAMS

both = support.on_mpi("mpich4", "openmpi4")
WAITS = "still moving: every wait can still be satisfied\n  rank 0 is not in MPI ("


def core_of(mpi: support.MPI, how: str, directory: Path) -> Path:
    program = support.compile_program(PROGRAMS / "dying.c", mpi, ("-g", "-O0"))
    return cores.by_kernel(program, mpi, directory, [how])


@both
@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("store", "SIGSEGV at dying.c:11 in store"),
        ("handler", "SIGSEGV at dying.c:11 in store"),
        ("abort", "SIGABRT in abort, called at dying.c:26 in main"),
        ("assert", "SIGABRT in __assert_fail, called at dying.c:27 in main"),
    ],
)
def test_the_signal_and_the_line(mpi: support.MPI, how: str, said: str, tmp_path: Path) -> None:
    core = core_of(mpi, how, tmp_path)
    assert support.shell("why", core).stdout == f"rank 0 is dead ({said})\n"
    found = support.shell("check", core)
    signal, _, where = said.partition(" ")
    first, second, *_ = found.stdout.splitlines()
    assert first == f"error: a process has died of {signal}"
    assert second == f"  not in MPI: {where}"
    assert found.returncode == 1


@both
def test_in_a_call(mpi: support.MPI, tmp_path: Path) -> None:
    core = core_of(mpi, "call", tmp_path)
    where = "MPI_Sendrecv(dest 0, sendtag 5, source 0, recvtag 5, MPI_COMM_SELF)"
    said = f"dead (SIGSEGV in {where}, called at dying.c:29 in main)"
    assert support.shell("why", core).stdout == f"rank 0 is {said}\n"
    document = json.loads(support.shell("why", "--json", core).stdout)
    (process,) = document["jobs"][0]["processes"]
    assert (process["state"], process["where"]) == ("died", said)


@both
@pytest.mark.parametrize("how", ["killed", "killed-again"])
def test_one_that_another_process_has_ended_shows_where_it_was(
    mpi: support.MPI, how: str, tmp_path: Path
) -> None:
    core = core_of(mpi, how, tmp_path)
    assert support.shell("why", core).stdout.startswith(WAITS)
    assert support.shell("check", core).stdout.startswith("no findings")


@pytest.mark.thorough
@both
def test_in_a_debugger(mpi: support.MPI) -> None:
    program = support.compile_program(PROGRAMS / "dying.c", mpi, ("-g", "-O0"))
    printed = support.gdb_batch(
        ["mpipp why"], program=program, args=["store"], mpi=mpi, stop=["run"]
    )
    assert "  rank 0 is not in MPI (stopped by SIGSEGV at dying.c:11 in store)\n" in printed
