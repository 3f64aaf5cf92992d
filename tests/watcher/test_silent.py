# SPDX-License-Identifier: MIT
"""A correct program gets no report, and runs as without the watcher."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.analysis import silence
from tests.support import MPI, every_mpi, on_mpi
from tests.watcher import runs
from tests.watcher.history.test_shared_channels import THREADS

WELL = re.compile(r"mpipp: (no errors|\d+ warnings?) in \d processes \([\d,]+ MPI calls checked\)")


def expect_silence(found: runs.Run, *unchecked: str) -> None:
    told = [block for block in found.blocks if not block.startswith(silence.ALLOWED)]
    assert (found.status, told, found.last[:-1]) == (0, [], [*unchecked])
    assert WELL.fullmatch(found.last[-1]), found.last


@every_mpi
@pytest.mark.parametrize("seed", [5, 6])
def test_traffic(mpi: MPI, seed: int, tmp_path: Path) -> None:
    command: list[str | Path] = [silence.traffic(mpi), str(seed), "60", tmp_path / tmp_path.name]
    expect_silence(runs.run(mpi, command))


@on_mpi("mpich4", "openmpi4")
def test_traffic_that_is_compared_before(mpi: MPI, tmp_path: Path) -> None:
    command: list[str | Path] = [silence.traffic(mpi), "7", "30", tmp_path / tmp_path.name]
    expect_silence(runs.run(mpi, command, "--strict", "--on-error", "abort"))


# Open MPI 4.1.4 ends such programs by a signal, watched or not; 5.0.11 makes some hang.
@on_mpi("mpich4", "mpich5")
@pytest.mark.parametrize("options", [[], ["--strict", "--on-error", "abort"]])
def test_traffic_of_threads(mpi: MPI, options: list[str], tmp_path: Path) -> None:
    command: list[str | Path] = [
        silence.traffic(mpi),
        "4",
        "40",
        tmp_path / tmp_path.name,
        "--threads",
    ]
    expect_silence(runs.run(mpi, command, *options), THREADS)


@on_mpi("mpich4")
def test_disjoint_groups_of_one_call(mpi: MPI) -> None:
    found = runs.run(mpi, [runs.program("groups.c", mpi)])
    assert (found.status, found.blocks) == (0, [])


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("options", [[], ["--strict"]])
def test_no_requests_are_completed(mpi: MPI, options: list[str]) -> None:
    expect_silence(runs.run(mpi, [runs.program("empty_requests.c", mpi)], *options))
