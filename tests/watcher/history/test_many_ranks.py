# SPDX-License-Identifier: MIT
"""A watched run of 64 ranks on this machine, and the memory of its watcher."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import support
from tests.watcher import runs

pytestmark = pytest.mark.thorough

RANKS = 64
MARK = "MPIPP_TEST_MANY_RANKS"  # the watcher inherits this variable from the launcher
# Kilobytes: docs/howto/large-jobs.md says 30 MB and 0.3 MB for each rank. The system's allocator
# may keep some more.
MOST = 2 * (30_000 + RANKS * 300)


def watcher_memory(mark: str) -> int:
    """The largest memory so far of the watcher whose environment has the mark, in kilobytes; 0 if
    there is none."""
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            is_watcher = b"mpipp.watcher" in (directory / "cmdline").read_bytes()
            if is_watcher and f"{MARK}={mark}".encode() in (directory / "environ").read_bytes():
                status = (directory / "status").read_text()
                return int(status.partition("VmHWM:")[2].split()[0])
        except (OSError, IndexError):  # the process has ended meanwhile
            continue
    return 0


@support.on_mpi("mpich4")
def test_error_between_two_of_many_ranks(mpi: support.MPI, tmp_path: Path) -> None:
    program = runs.program("ring_and_mismatch.c", mpi)
    command: list[str | Path] = [*runs.words(mpi, n=RANKS), program]
    run = runs.started(command, mpi, before=["env", f"{MARK}={tmp_path}"])
    memory = [0]

    def has_ended() -> bool:
        memory.append(watcher_memory(str(tmp_path)))
        return run.poll() is not None

    support.wait_until(has_ended, lambda: f"the run has not ended: {memory[-1]} KB")
    errors = runs.ended(run).stderr
    assert "MPI_DOUBLE is sent, MPI_INT received" in errors
    assert f"rank {RANKS - 2}: MPI_Send(dest = {RANKS - 1}" in errors
    assert f"mpipp: 1 error in {RANKS} processes" in errors
    assert 0 < max(memory) < MOST
