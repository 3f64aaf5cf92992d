# SPDX-License-Identifier: MIT
"""A correct program gets no findings, wherever its processes are stopped."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from mpipp.analysis import all_checks
from mpipp.analysis.context import process as checked
from mpipp.common.errors import MpippError
from tests import support
from tests.around import Around
from tests.short import some
from tests.wrapper.watched import Process, watched

STOPS = int(os.environ.get("MPIPP_STOPS", some(50)))


@contextmanager
def stopped(processes: Sequence[Process]) -> Iterator[None]:
    """Stop the processes one after another, so that they are at different places."""
    for process in processes:
        os.kill(process.pid, signal.SIGSTOP)
    try:
        for process in processes:
            while state(process.pid) not in "Tt":
                time.sleep(0.0005)
        yield
    finally:
        for process in processes:
            os.kill(process.pid, signal.SIGCONT)


def state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


@support.on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("n", [2, 4])
def test_silence(mpi: support.MPI, n: int) -> None:
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    draw = random.Random(seed)
    looked_at, stops = 0, 2 * STOPS // n
    small = {"MPIPP_LEDGER": "150000"}  # bytes; few enough to compare everything at each stop
    with watched("traffic.c", mpi, n=n, env=small) as processes:
        for process in processes:
            process.until("start")
        for process in processes:
            process.go()
        for _ in range(stops):
            time.sleep(draw.random() * 0.01)
            with stopped(processes):
                looked_at += look(processes)
    assert looked_at > stops  # the program is inside MPI most of the time


def look(processes: Sequence[Process]) -> int:
    found = []
    for number, process in enumerate(processes):
        process.registry.invalidate()
        found.append(checked.Process(number, process.registry, Around(process.registry), None))
    failures: list[MpippError] = []
    findings = list(all_checks.findings(found, lambda _, error: failures.append(error)))
    assert failures == []
    assert findings == [], [(one.what, [party.text for party in one.parties]) for one in findings]
    return sum(len(one.operations) for one in found)
