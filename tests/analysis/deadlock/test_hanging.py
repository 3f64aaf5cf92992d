# SPDX-License-Identifier: MIT
"""The exact reports on programs that hang: hanging.c, waits.c and sessions.c in programs/.

hanging.c has different reasons, waits.c one program for each sort of call, sessions.c uses
sessions. The reports are in hanging.txt, waits.txt and sessions.txt, with the sections of MPI-4.1;
MPIPP_UPDATE_HANGS=1 writes them from the state of MPICH's processes.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests import support
from tests.analysis.deadlock.observed import job, reports

REPORTS = Path(__file__).with_name("hanging.txt")
EXPECTED = reports(REPORTS)
WAITS = Path(__file__).with_name("waits.txt")
OF_WAITS = reports(WAITS)
# Open MPI 4 has no partitions. It exchanges nothing for such a small write, and waits for all
# processes if some have no data. MPICH 4 does not wait in MPI_Comm_disconnect.
OF_MPICH = [name for name in OF_WAITS if name.startswith(("partition", "write", "no-data"))]
OF_OPEN_MPI = ["disconnect"]
OF_BOTH = [name for name in OF_WAITS if name not in (*OF_MPICH, *OF_OPEN_MPI)]
SESSIONS = Path(__file__).with_name("sessions.txt")
OF_SESSIONS = [name for name in reports(SESSIONS) if name != "left"]
CHECKS = {"deadlock", "lone-wait", "collective-mismatch"}


@pytest.mark.each_case
@pytest.mark.timeout(600)
@support.on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("name", EXPECTED)
def test_hanging(mpi: support.MPI, name: str) -> None:
    is_said(mpi, "hanging.c", REPORTS, name)


@pytest.mark.each_case
@pytest.mark.timeout(600)
@support.on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("name", OF_BOTH)
def test_waits(mpi: support.MPI, name: str) -> None:
    is_said(mpi, "waits.c", WAITS, name)


@pytest.mark.each_case
@pytest.mark.timeout(600)
@support.on_mpi("mpich4")
@pytest.mark.parametrize("name", OF_MPICH)
def test_waits_of_mpich(mpi: support.MPI, name: str) -> None:
    is_said(mpi, "waits.c", WAITS, name)


@pytest.mark.timeout(600)
@support.on_mpi("openmpi4")
@pytest.mark.parametrize("name", OF_OPEN_MPI)
def test_waits_of_open_mpi(mpi: support.MPI, name: str) -> None:
    is_said(mpi, "waits.c", WAITS, name)


@pytest.mark.each_case
@pytest.mark.timeout(600)
@support.on_mpi("mpich5", "openmpi5")  # MPICH 4.0 ends a process in most of these calls
@pytest.mark.parametrize("name", OF_SESSIONS)
def test_sessions(mpi: support.MPI, name: str) -> None:
    is_said(mpi, "sessions.c", SESSIONS, name)


@pytest.mark.timeout(600)
@support.on_mpi("mpich5")  # Open MPI 5 does not wait in MPI_Session_finalize
def test_a_session_that_is_over(mpi: support.MPI) -> None:
    is_said(mpi, "sessions.c", SESSIONS, "left")


def is_said(mpi: support.MPI, program: str, path: Path, name: str) -> None:
    n, expected = reports(path)[name]
    expected = mpi.cited(expected)
    updates = bool(os.environ.get("MPIPP_UPDATE_HANGS"))

    def is_there(report: str) -> bool:
        return not report.startswith("still") if updates else report == expected

    with job(program, mpi, name, n=n) as hung:
        found = hung.becomes(is_there)
        checks = {one.rule.check for one in hung.findings()}
    if updates:
        _write(path, name, n, found)
        return
    assert found == expected
    # `mpipp check` finds each hang that `mpipp why` explains.
    assert found.startswith("unknown: ") or checks & CHECKS, checks


def _write(path: Path, name: str, n: int, report: str) -> None:
    # The cited sections have equal numbers.
    report = report.replace("MPI-4.0, section", "MPI-4.1, section")
    known = {**reports(path), name: (n, report)}
    parts = [
        f"=== {name}, {n} process{'es' * (n > 1)}\n{text}\n" for name, (n, text) in known.items()
    ]
    path.write_text("\n".join(parts))
