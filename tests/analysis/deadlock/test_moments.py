# SPDX-License-Identifier: MIT
"""A process never seems to hang at any instruction between MPI's return and the wrapper's.

The test steps over function calls, except the one that begins to record the result.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mpipp.model import Thread
from mpipp.registry.registry import Registry
from tests import support
from tests.analysis.deadlock.observed import job
from tests.mi import Machine

# The function of the wrapper that begins to record a result.
CASES = {
    "matched": "mpipp_recorder_add_message",
    "received": "mpipp_recorder_receive_wildcard",
    "received-then": "mpipp_recorder_receive_wildcard",
    "completed": "mpipp_recorder_complete",
}
MOST = 2000  # instructions


@contextmanager
def attached(pid: int) -> Iterator[Machine]:
    words = support.gdb_words(None, printers=False)
    with subprocess.Popen(
        [*words[:1], "--interpreter=mi3", *words[1:]],
        env=support.clean_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        machine = Machine(process)
        try:
            machine.run(f"-target-attach {pid}")
            yield machine
        finally:
            process.kill()


def is_inside(registry: Registry) -> bool:
    return any(isinstance(thread, Thread) and thread.call for thread in registry.threads())


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", CASES)
@support.on_mpi("mpich4", "openmpi4")
def test_moments(mpi: support.MPI, name: str, tmp_path: Path) -> None:
    hold = tmp_path / "hold"
    # LD_BIND_NOW resolves all functions before, because lazy resolution takes thousands of
    # instructions.
    with job("moments.c", mpi, name, str(hold), n=2, env=["LD_BIND_NOW=1"]) as hung:
        waiting = hung.becomes(lambda report: "rank 0 waits in" in report)
        assert "rank 0 waits in" in waiting
        with attached(hung.pids[1]) as gdb:
            gdb.ask(f"-break-insert -f {CASES[name]}")
            hold.touch()
            gdb.run("-exec-continue")
            gdb.ask("-break-delete")
            # Without this stop, a waiting process would use a processor.
            os.kill(hung.pids[0], signal.SIGSTOP)
            looked_at = 0
            while is_inside(hung.registry(1)) and looked_at < MOST:
                report = hung.report()
                assert report.startswith("still moving"), report
                gdb.run("-exec-next-instruction")
                looked_at += 1
    assert 10 < looked_at < MOST
