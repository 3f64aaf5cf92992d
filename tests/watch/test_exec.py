# SPDX-License-Identifier: MIT
"""`mpipp exec`: for launchers that mpipp does not start."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import runs
from support import MPI, ROOT, on_mpi, shell, short_directory

from mpipp.cli import launchers, start, watched

EXEC = [sys.executable, "-m", "mpipp.cli", "exec"]


def launched(mpi: MPI, directory: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """Two processes under the MPI's own launcher."""
    return subprocess.run(
        [*mpi.mpiexec, "-n", "2", *EXEC, *map(str, words)],
        env={
            **mpi.env,
            "PYTHONPATH": str(ROOT),
            "MPIPP_WRAPPER": mpi.wrapper,
            "XDG_RUNTIME_DIR": str(directory),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@on_mpi("mpich4", "openmpi4", "openmpi5")
def test_a_watched_program(mpi: MPI, tmp_path: Path) -> None:
    with short_directory() as short:
        done = launched(mpi, short, "--check", "--", runs.program("ends.c", mpi), "leak")
    found = runs.read(done)
    assert found.status == 0
    (block,) = found.blocks
    assert re.search("^warning: 1 datatype is not freed\n  ranks 0 and 1: ", block)
    assert found.last == ["mpipp: 1 warning in 2 processes, 13 calls"]


@on_mpi("mpich4")
def test_without_a_watcher(mpi: MPI, tmp_path: Path) -> None:
    found = runs.read(launched(mpi, tmp_path, "--", runs.program("ends.c", mpi), "leak"))
    assert (found.status, found.output, found.blocks, found.last) == (0, "leak\n", [], [])


@on_mpi("mpich4")
def test_a_directory_that_others_may_enter(mpi: MPI, tmp_path: Path) -> None:
    name = f"mpipp-{os.getuid()}-job"
    (tmp_path / name).mkdir()
    (tmp_path / name).chmod(0o755)
    done = subprocess.run(
        [*EXEC, "--check", "--", "true"],
        env={
            **mpi.env,
            "PYTHONPATH": str(ROOT),
            "MPIPP_WRAPPER": mpi.wrapper,
            "XDG_RUNTIME_DIR": str(tmp_path),
            "PMI_JOBID": "job",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (
        2,
        f"mpipp: {tmp_path}/{name} is not this user's alone: remove it, or set XDG_RUNTIME_DIR\n",
    )


def test_options_of_another_command() -> None:
    done = shell("exec", "--provoke", "--", "true")
    assert (done.returncode, done.stderr) == (
        2,
        "mpipp: unrecognized arguments: --provoke=any: see mpipp exec --help\n",
    )
    told = " ".join(shell("exec", "--help").stdout.split())
    assert told.endswith("--provoke and --valgrind are options of mpipp run alone.")


SLURM = {"SLURM_JOB_ID": "7", "SLURM_STEP_ID": "0"}


@pytest.mark.parametrize(
    ("environment", "above", "name"),
    [
        (SLURM, [[10]], "7-0-launcher-10"),
        # Several at once in a batch script; hydra_pmi_proxy has a shell for each process.
        ({"SLURM_JOB_ID": "7", "PMIX_NAMESPACE": "a@1"}, [[20], [10]], "7-a_1-launcher-20"),
        ({}, [[31, 30], [10]], "launcher-30"),
        ({"PMI_JOBID": "a"}, [], "a"),
        ({}, [], f"parent-{os.getppid()}"),
    ],
)
def test_whom_a_watcher_sees(
    environment: dict[str, str],
    above: list[list[int]],
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All processes of a job on a node have one directory, and those of others another."""
    for variable in start._JOBS:
        monkeypatch.delenv(variable, raising=False)
    for variable, value in {**environment, "XDG_RUNTIME_DIR": str(tmp_path)}.items():
        monkeypatch.setenv(variable, value)
    monkeypatch.setattr(launchers, "above", lambda pid: above)
    assert Path(start.directory_of_job()).name == f"mpipp-{os.getuid()}-{name}"


def test_long_names_of_jobs_differ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    names = set()
    for number in range(3):
        monkeypatch.setenv("PMIX_NAMESPACE", f"prterun-{'node' * 20}-{number}")
        names.add(Path(start.directory_of_job()).name)
    assert len(names) == 3
    assert {len(name) for name in names} == {60}


@pytest.mark.parametrize(
    "options",
    [
        "-n 1",
        "-env A B",
        "-env A=B -n 1",
        "--mca btl tcp -n 2",
        "--map-by=core -n 1",
        "--oversubscribe -envall -n 1 -wdir /tmp",
        "",
    ],
)
def test_the_options_of_several_programs(options: str) -> None:
    words = ["./a", ":", *options.split(), "./b", "-v"]
    assert watched.prefixed(words, ["with"]) == [
        *("with", "./a", ":", *options.split(), "with", "./b", "-v")
    ]
