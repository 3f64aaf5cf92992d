# SPDX-License-Identifier: MIT
"""mpipp compared with MPI, in each Python of MPIPP_ORACLE_PYTHONS with mpi4py."""

from __future__ import annotations

import os
import subprocess

import pytest

from tests import support
from tests.short import some

PYTHONS = [path for path in os.environ.get("MPIPP_ORACLE_PYTHONS", "").split(os.pathsep) if path]
DATATYPES = some(5000)  # datatypes for each version of Python
CHECK = ("-m", "tests.oracle.check")


@pytest.mark.timeout(300)
@pytest.mark.parametrize("python", PYTHONS or [None])
def test_mpi_says_the_same(python: str | None) -> None:
    if python is None:
        support.lacking("an interpreter with mpi4py in MPIPP_ORACLE_PYTHONS")
    compare(python, DATATYPES)


def test_as_mpi4py_3_tells_it() -> None:
    compare(support.older_mpi4py().python, DATATYPES // 10)


def compare(python: str, datatypes: int) -> None:
    done = subprocess.run(
        [python, *CHECK, "--seed", "1", "--count", str(datatypes)],
        capture_output=True,
        text=True,
        env=support.clean_environment(PYTHONPATH=str(support.ROOT)),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "0 differences"
