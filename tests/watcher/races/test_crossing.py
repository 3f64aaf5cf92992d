# SPDX-License-Identifier: MIT
"""Messages of a library and of its caller, and a master that takes all results in one loop."""

from __future__ import annotations

import sys
from pathlib import Path

from tests import support
from tests.support import MPI, on_mpi
from tests.watcher import runs
from tests.watcher.nodes.test_nodes import LAUNCHER

RACE = "warning: MPI_Recv took the message of rank 2, but could have taken another one of rank 3"
ONE_SENDER = (
    "remark: MPI_Recv with MPI_ANY_SOURCE matches two messages of rank 2: the order in which "
    "rank 2 sends them decides"
)
ORDER = (
    "remark: messages of several ranks may arrive in another order; the same call takes all of them"
)


def heads(mpi: MPI, how: str, n: int, check: str = "--check=races") -> list[str]:
    """The first lines of the findings."""
    program = runs.program("crossing.c", mpi)
    found = runs.run(mpi, [program, how], check, n=n).others
    return [block.splitlines()[0] for block in found]


@on_mpi("mpich4", "openmpi4")
def test_a_library_takes_a_message_of_its_caller(mpi: MPI) -> None:
    assert heads(mpi, "", 3) == [ONE_SENDER]  # rank 2 sends both messages
    assert heads(mpi, "", 4) == [RACE]
    assert heads(mpi, "fixed", 3) == heads(mpi, "fixed", 4) == []


@on_mpi("mpich4", "openmpi4")
def test_a_master_gets_one_remark(mpi: MPI) -> None:
    assert heads(mpi, "master", 4) == [ORDER]


@on_mpi("mpich4")
def test_only_by_name(mpi: MPI) -> None:
    assert heads(mpi, "", 4, "--check=all") == []


@on_mpi("mpich4", "openmpi4")
def test_races_between_nodes(mpi: MPI, tmp_path: Path) -> None:
    program = runs.program("crossing.c", mpi)
    launcher = [sys.executable, "-I", "-S", str(LAUNCHER), "2", *mpi.mpiexec]
    options = ["--check=races", "--report", "report", "--mpiexec", " ".join(launcher), "-n", "4"]
    known = {name: mpi.env[name] for name in ("LD_LIBRARY_PATH",) if name in mpi.env}
    done = runs.read(support.shell("run", *options, "--", program, env=known, cwd=tmp_path))
    assert [block.splitlines()[0] for block in done.others] == [RACE]
