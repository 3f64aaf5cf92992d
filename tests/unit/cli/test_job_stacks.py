# SPDX-License-Identifier: MIT
"""Find the job of a run's directory, and merge the stacks of several nodes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mpipp.cli.stacks import job_stacks
from mpipp.cli.stacks.job_stacks import JobStacks
from mpipp.common.errors import MpippError
from mpipp.ranks.stack_tree import Step
from mpipp.toolchain import launcher_ancestors
from mpipp.toolchain.running_jobs import Job, Process
from mpipp.watcher.settings import Settings


def job(launcher: int, *above: int) -> Job:
    return Job(launcher, "", "mpiexec", (Process(launcher + 1, "a", 0, ""),), above)


def test_the_job_of_a_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launcher_ancestors, "PROC", str(tmp_path))
    report = str(tmp_path / "report")
    settings = json.dumps(Settings(report=report)._asdict())
    for pid, words in ((50, ["mpiexec", "{"]), (61, ["mpiexec", "launch.py", settings, "./a"])):
        (tmp_path / str(pid)).mkdir()
        (tmp_path / str(pid) / "cmdline").write_bytes("\0".join(words).encode() + b"\0")
    jobs = [job(40), job(50), job(60, 61)]
    assert job_stacks.of_directory(jobs, report) is jobs[2]
    with pytest.raises(MpippError, match=r"^no running job on this machine has the run's"):
        job_stacks.of_directory(jobs, str(tmp_path))


def test_nodes_are_merged(tmp_path: Path) -> None:
    whole = JobStacks()
    for node in range(2):
        one = JobStacks(failures=[f"process {node}: gone"], stood=0.25 * node)
        for rank in (2 * node, 2 * node + 1):
            one.by_rank.add(rank, [Step("a.c:3 in main")])
        file = tmp_path / f"{node}.json"
        file.write_text(json.dumps(one.record()))
        whole.merge(job_stacks.from_file(str(file)))
    assert whole.record()["stacks"]["below"][0]["ranks"] == "0-3"
    assert (whole.failures, whole.stood) == (["process 0: gone", "process 1: gone"], 0.25)
