# SPDX-License-Identifier: MIT
"""Options of `mpipp run` with wrong values."""

from __future__ import annotations

import pytest

from tests import support
from tests.support import MPI, on_mpi
from tests.watcher import runs


@on_mpi("mpich4")
def test_where_the_report_cannot_be_written(mpi: MPI) -> None:
    """The program does not start, because its findings would be lost."""
    found = runs.run(mpi, [runs.program("ends.c", mpi), "well"], "--report", "/proc/none", "-q")
    said = "it cannot be written (No such file or directory): name a directory that only mpipp uses"
    assert found == (2, "", [], [f"mpipp: --report /proc/none: {said}"])


WRONG = (
    ("--check --hang-after -1", "--hang-after -1: write a number of seconds, or 0 for never"),
    ("--check=buffers --budget -1", "--budget -1: write a percentage of the time, 0 or more"),
    (
        "--check=fast --budget 5",
        "--budget limits the guards of buffers and --rma-loads: add --check=buffers",
    ),
    ("--check=fast --rma-loads", "--rma-loads checks one-sided communication: add --check=rma"),
    (
        "--check=fast --rma-model separate",
        "--rma-model affects checks of one-sided communication: add --check=rma",
    ),
    ("--gdb=all", "--gdb=all works only in checked runs: add --check"),
    ("--error-exit 3", "--error-exit works only in checked runs: add --check"),
    ("--check --error-exit 256", "--error-exit 256: write an exit status from 1 to 255"),
    ("--check --error-exit 0", "--error-exit 0: write an exit status from 1 to 255"),
    ("--hang-after 5", "--hang-after works only in checked runs: add --check"),
    ("-q", "-q works only in checked runs: add --check"),
)


@pytest.mark.parametrize(("words", "told"), WRONG)
def test_wrong_options(words: str, told: str) -> None:
    """Wrong options are reported before anything is built or started."""
    done = support.shell("run", *words.split(), "--", "no-program")
    assert (done.stderr, done.returncode) == (f"mpipp: {told}\n", 2)


def test_a_wrong_bound_of_the_log() -> None:
    done = support.shell("run", "--check=rma", "--", "no-program", env={"MPIPP_RMA_LOG": "1e6"})
    assert (done.stderr, done.returncode) == (
        "mpipp: MPIPP_RMA_LOG=1e6: set it to a number of bytes\n",
        2,
    )
