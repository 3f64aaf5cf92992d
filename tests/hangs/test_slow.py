# SPDX-License-Identifier: MIT
"""What is said of programs that only are slow, programs/slow.c, word for word: slow.txt."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import pytest
import support
from observed import job, reports

REPORTS = Path(__file__).with_name("slow.txt")
_ASKING = re.compile(r"rank 0 is (in MPI_Test|not in MPI).*")


@pytest.mark.timeout(600)
@support.on_mpi("mpich4", "openmpi4")
def test_slow(mpi: support.MPI, tmp_path: Path) -> None:
    expected, found = reports(REPORTS), {}
    with job("slow.c", mpi, str(tmp_path), n=4) as slow:
        for name, (_, wanted) in expected.items():
            found[name] = slow.becomes(partial(_is, name, wanted))
            (tmp_path / name).touch()
    assert {name: _same(report, name) for name, report in found.items()} == {
        name: wanted for name, (_, wanted) in expected.items()
    }


def _is(name: str, wanted: str, report: str) -> bool:
    return _same(report, name) == wanted


def _same(report: str, name: str) -> str:
    # One that asks again and again may be seen between two calls.
    return _ASKING.sub("rank 0 asks", report) if name == "polling" else report
