# SPDX-License-Identifier: MIT
"""`mpipp stacks` prints the stacks of a running job, which then continues."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from mpipp.cli.main import main
from mpipp.toolchain import running_jobs
from tests import support
from tests.gdb import expectations
from tests.gdb.processes.test_all_ranks import FORTRAN, PYTHON, WHERE, WHERE_FORTRAN, WHERE_PYTHON
from tests.ranks import ranks, until_inside

PROGRAM = expectations.PROGRAMS / "look.c"
STOPPED = r"no process was stopped for more than \d+ ms\n"


def launcher(pid: int) -> str:
    """The id of a process's launcher, by which users name a job."""
    (job,) = (job for job in running_jobs.jobs() if pid in (one.pid for one in job.processes))
    return str(job.launcher)


def said(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> str:
    assert main(["stacks", *words]) == status
    output, errors = capsys.readouterr()
    return output + errors


@support.on_mpi("mpich4", "openmpi4")
def test_a_running_job(
    mpi: support.MPI, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ranks(support.compile_program(PROGRAM, mpi), mpi, n=4) as pids:
        until_inside("MPI_Barrier", pids[0], pids[1])
        until_inside("MPI_Wait", pids[2])
        job = launcher(pids[0])
        assert re.fullmatch(re.escape(WHERE) + STOPPED, said(capsys, job))
        found = said(capsys, job, "--json")
        picture = tmp_path / "stacks.svg"
        assert said(capsys, job, "--svg", str(picture)) == f"written to {picture}\n"
        assert picture.read_text().startswith("<svg")
        # No process is traced any more, and all are in the same state as before.
        states = [Path(f"/proc/{pid}/status").read_text() for pid in pids.values()]
        assert all("TracerPid:\t0\n" in state for state in states)
        assert not any(re.search(r"State:\s+[tT]", state) for state in states)
    assert json.loads(found)["stacks"]["ranks"] == "0-3"
    files = [tmp_path / "a.json", tmp_path / "b.json"]
    for file in files:  # the files look as if they came from two nodes
        file.write_text(found)
    merged = said(capsys, "--merge", *map(str, files))
    assert re.fullmatch(re.escape(WHERE) + STOPPED, merged)


@support.on_mpi("mpich4", "openmpi4")
def test_python(mpi: support.MPI, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "look.py"
    script.write_text(PYTHON)
    with ranks(Path(mpi.python), mpi, str(script)) as pids:
        until_inside("MPI_Barrier", pids[1])
        until_inside("MPI_Mprobe", pids[0])
        found = said(capsys, launcher(pids[0]))
    assert re.fullmatch(re.escape(WHERE_PYTHON) + STOPPED, found)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["4", "--merge", "a"], "--merge reads files: leave out JOB, or leave out --merge"),
        (["--merge", "/none/a"], "cannot read /none/a: No such file or directory"),
        (["--merge", "/dev/null"], "/dev/null is not from mpipp stacks --json"),
        (["/"], "no running job on this machine has the run's directory /"),
    ],
)
def test_wrong_input(words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, *words, status=2) == f"mpipp: {sentence}\n"


@support.on_mpi("mpich4", "openmpi4")
def test_fortran(mpi: support.MPI, capsys: pytest.CaptureFixture[str]) -> None:
    with ranks(support.compile_program(FORTRAN, mpi), mpi) as pids:
        until_inside("MPI_Recv", pids[0])
        until_inside("MPI_Barrier", pids[1])
        found = said(capsys, launcher(pids[0]))
    assert re.fullmatch(re.escape(WHERE_FORTRAN.replace("look::", "")) + STOPPED, found)
