# SPDX-License-Identifier: MIT
"""The advice names the sender of a signal from outside, as far as it is known."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from mpipp.watcher.processes import signal_sender
from mpipp.watcher.processes.exit_status import Ending

TERM, KILL = (Ending(number, 0) for number in (signal.SIGTERM, signal.SIGKILL))


@pytest.fixture(autouse=True)
def cgroup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file with the events of this process's control group."""
    (tmp_path / "job" / "step").mkdir(parents=True)
    (tmp_path / "own").write_text("0::/job/step\n")
    monkeypatch.setattr(signal_sender, "_CGROUPS", tmp_path)
    monkeypatch.setattr(signal_sender, "_OWN_CGROUP", tmp_path / "own")
    return tmp_path / "job" / "step" / "memory.events"


def test_without_a_batch_system() -> None:
    assert signal_sender.advice(TERM, {}).startswith("find out who ended the job: ")
    assert signal_sender.advice(KILL, {}).endswith("; SIGKILL leaves no core file")
    assert signal_sender.advice(None, {}).startswith("read the output of the process: ")


def test_slurm() -> None:
    job = {"SLURM_JOB_ID": "12"}
    assert "sacct -j 12 shows CANCELLED after scancel" in signal_sender.advice(TERM, job)
    over = {**job, "SLURM_JOB_END_TIME": str(int(time.time()))}
    limit = "request more time: Slurm job 12 has reached its time limit"
    assert signal_sender.advice(TERM, over) == signal_sender.advice(KILL, over) == limit
    for end in (str(int(time.time()) + 1000), "", "soon", "9" * 10000):
        assert "sacct -j 12 " in signal_sender.advice(TERM, {**job, "SLURM_JOB_END_TIME": end})
    for number in ("12; rm -r", "", "9" * 10000):
        assert "Slurm" not in signal_sender.advice(TERM, {"SLURM_JOB_ID": number})


def test_exhausted_memory(cgroup: Path) -> None:
    cgroup.write_text("low 0\noom 1\noom_kill 1\n")
    assert signal_sender.advice(KILL, {}).startswith("use less memory, or request more: ")
    assert "memory" not in signal_sender.advice(TERM, {})
    for text in ("oom_kill 0\n", "oom_kill x\n", "damaged\n", ""):
        cgroup.write_text(text)
        assert signal_sender.advice(KILL, {}).startswith("find out who sent SIGKILL")
