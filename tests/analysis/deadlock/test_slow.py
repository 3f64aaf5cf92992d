# SPDX-License-Identifier: MIT
"""The exact reports on slow programs, programs/slow.c: slow.txt."""

from __future__ import annotations

from functools import partial
from operator import eq
from pathlib import Path

import pytest

from tests import support
from tests.analysis.deadlock.observed import job, reports

REPORTS = Path(__file__).with_name("slow.txt")
# MPICH 4 does not wait in MPI_Comm_disconnect, and Open MPI 4 has no partitions.
OF_ONE = {"disconnect": "openmpi4", "partitions": "mpich4", "partitioned-send": "mpich4"}


@pytest.mark.timeout(600)
@support.on_mpi("mpich4", "openmpi4")
def test_slow(mpi: support.MPI, tmp_path: Path) -> None:
    expected = reports(REPORTS)
    found: dict[str, str] = {}
    for name in [name for name in expected if OF_ONE.get(name, mpi.id) != mpi.id]:
        del expected[name]
        (tmp_path / name).touch()
    with job("slow.c", mpi, str(tmp_path), n=4) as slow:
        for name, (_, wanted) in expected.items():
            found[name] = slow.becomes(partial(eq, wanted))
            (tmp_path / name).touch()
    assert found == {name: wanted for name, (_, wanted) in expected.items()}
