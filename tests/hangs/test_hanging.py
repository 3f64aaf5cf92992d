# SPDX-License-Identifier: MIT
"""What is said of programs that hang: each of programs/hanging.c, word for word.

The reports stand in hanging.txt; MPIPP_UPDATE_HANGS=1 writes it from what MPICH's processes show.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import support
from observed import job, reports

REPORTS = Path(__file__).with_name("hanging.txt")
EXPECTED = reports(REPORTS)


@pytest.mark.timeout(600)
@support.on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("name", EXPECTED)
def test_hanging(mpi: support.MPI, name: str) -> None:
    n, expected = EXPECTED[name]
    updates = bool(os.environ.get("MPIPP_UPDATE_HANGS"))

    def is_there(report: str) -> bool:
        return not report.startswith("still") if updates else report == expected

    with job("hanging.c", mpi, name, n=n) as hung:
        found = hung.becomes(is_there)
    if updates:
        _write(name, n, found)
        return
    assert found == expected


def _write(name: str, n: int, report: str) -> None:
    known = {**reports(REPORTS), name: (n, report)}
    parts = [
        f"=== {name}, {n} process{'es' * (n > 1)}\n{text}\n" for name, (n, text) in known.items()
    ]
    REPORTS.write_text("\n".join(parts))
