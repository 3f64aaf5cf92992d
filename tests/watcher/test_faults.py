# SPDX-License-Identifier: MIT
"""Unexpected failures of the watcher: one process is left out, and the report says so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support import MPI, on_mpi
from tests.watcher import runs

# Every Python loads this before its program, so that reading the threads of rank 1 fails.
FAILING = """\
import sys
if "-m" in sys.orig_argv and "mpipp.watcher" in sys.orig_argv:
    from mpipp.watcher.processes.process import WatchedProcess
    was = WatchedProcess.progress
    def progress(self):
        if self.registry.info.world_rank in {ranks}:
            raise {error}
        return was(self)
    WatchedProcess.progress = progress
"""
# Make code that reads several processes fail.
FAILING_BETWEEN = """\
import sys
if "-m" in sys.orig_argv and "mpipp.watcher" in sys.orig_argv:
    from mpipp.watcher.history.periodic_compare import HistoryComparison
    def look(self, watched):
        raise KeyError("made up")
    HistoryComparison.look = look
"""
LEFT_OUT = (
    r"mpipp: not checked: rank 1: its records are damaged \(the watcher has failed: {error}\): the "
    r"traceback is in ({directory}/watcher-[\w.-]+\.log)"
)


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize(
    ("error", "said"),
    [('KeyError("made up")', "KeyError: 'made up'"), ("MemoryError", "MemoryError")],
)
@pytest.mark.parametrize("is_kept", [True, False], ids=["report", "no report"])
def test_one_process_is_left_out(
    mpi: MPI, error: str, said: str, is_kept: bool, tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text(FAILING.format(ranks=[1], error=error))
    report = tmp_path / "report"
    options = ["--hang-after", "0.2", "--error-exit", "5"]
    options += ["--report", str(report)] if is_kept else []
    found = runs.run(mpi, [runs.program("faults.c", mpi)], *options, n=3, PYTHONPATH=str(tmp_path))
    directory = re.escape(str(report)) if is_kept else r"\S*/mpipp-\w+"
    left, last = found.last
    match = re.fullmatch(LEFT_OUT.format(error=said, directory=directory), left)
    assert match, found
    trace = Path(match[1])
    assert f"\n{said}\n" in trace.read_text()
    assert re.fullmatch(r"mpipp: 1 warning in 2 processes \(\d+ MPI calls checked\)", last)
    # The other processes are checked as usual, and all continue.
    assert "  ranks 0 and 2: MPI_Datatype #" in runs.only(found.blocks)
    assert (found.status, found.output) == (5, "ended\n" * 3)
    if not is_kept:
        trace.unlink()
        trace.parent.rmdir()  # fails unless the directory is empty now


@pytest.mark.thorough
@on_mpi("mpich4")
def test_what_fails_between_processes(mpi: MPI, tmp_path: Path) -> None:
    """If one comparison between processes fails, the others still run."""
    (tmp_path / "sitecustomize.py").write_text(FAILING_BETWEEN)
    report = tmp_path / "report"
    options = ["--error-exit", "5", "--report", str(report)]
    found = runs.run(mpi, [runs.program("faults.c", mpi)], *options, PYTHONPATH=str(tmp_path))
    (trace,) = report.glob("watcher-*.log")
    assert found.last == [
        "mpipp: not checked: the watcher has failed: KeyError: 'made up': its traceback is in "
        f"{trace}",
        found.last[-1],
    ]
    assert trace.read_text().count("KeyError: 'made up'") == 1
    assert "  ranks 0 and 1: MPI_Datatype #" in runs.only(found.blocks)
    assert found.status == 5
