# SPDX-License-Identifier: MIT
"""`mpipp exec`, for launchers that mpipp does not start."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mpipp.cli.commands import exec
from mpipp.common import job_secret
from mpipp.common.errors import MpippError
from mpipp.toolchain import launcher_ancestors
from mpipp.toolchain.launched_programs import prefixed
from tests.support import MPI, ROOT, lacking, on_mpi, shell, short_directory
from tests.watcher import runs

EXEC = [sys.executable, "-m", "mpipp.cli", "exec"]


def launched(
    mpi: MPI, directory: Path, *words: str | Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Two processes under MPI's own launcher."""
    return subprocess.run(
        [*mpi.mpiexec, "-n", "2", *EXEC, *map(str, words)],
        env={
            **mpi.env,
            "PYTHONPATH": str(ROOT),
            "MPIPP_WRAPPER": mpi.wrapper,
            "XDG_RUNTIME_DIR": str(directory),
            **environment,
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
    assert found.last == ["mpipp: 1 warning in 2 processes (13 MPI calls checked)"]


@on_mpi("mpich4")
def test_without_a_watcher(mpi: MPI, tmp_path: Path) -> None:
    found = runs.read(launched(mpi, tmp_path, "--", runs.program("ends.c", mpi), "leak"))
    assert (found.status, found.output, found.blocks, found.last) == (0, "leak\n", [], [])


@on_mpi("mpich4")
def test_a_job_without_a_runtime_directory(mpi: MPI, tmp_path: Path) -> None:
    """As on cluster nodes, the processes use a directory with a name that others cannot guess."""
    program = runs.program("ends.c", mpi)
    cache = str(tmp_path / "cache")
    with short_directory() as short:
        short.chmod(0o777)
        kept = {"TMPDIR": str(short), "MPIPP_CACHE": cache, "XDG_RUNTIME_DIR": ""}
        found = runs.read(launched(mpi, short, "--check", "--", program, "leak", **kept))
    assert found.last == ["mpipp: 1 warning in 2 processes (13 MPI calls checked)"]
    assert (tmp_path / "cache" / "secret").stat().st_mode & 0o777 == 0o600


def alone(**environment: str) -> subprocess.CompletedProcess[str]:
    """The output of `mpipp exec --check` for a program without MPI."""
    known = {"PYTHONPATH": str(ROOT), "MPIPP_WRAPPER": "/none.so", "PATH": os.environ["PATH"]}
    return subprocess.run(
        [*EXEC, "--check", "--", "sh", "-c", 'echo "watched: $MPIPP_WATCH"; exit 3'],
        env={**known, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def unwatched(done: subprocess.CompletedProcess[str]) -> str:
    """The reason why the program ran without a watcher."""
    assert (done.returncode, done.stdout) == (3, "watched: \n")
    before = "mpipp: not watched: "
    (said,) = (line for line in done.stderr.splitlines() if line.startswith(before))
    return said.removeprefix(before)


def test_where_there_can_be_no_directory_the_program_runs() -> None:
    nowhere = {"HOME": "/proc/none", "MPIPP_CACHE": "/proc/none"}
    assert unwatched(alone(**nowhere)) == (
        "cannot store the secret of the job in /proc/none/secret (No such file or directory): "
        "set XDG_RUNTIME_DIR to a directory that only you may enter"
    )


@pytest.mark.parametrize("is_private", [True, False])
def test_where_another_user_was_first_the_program_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_private: bool
) -> None:
    """The directory is in the one for all users, or in the user's, where only root
    could create it."""
    tmp_path.chmod(0o700 if is_private else 0o777)
    cache = tmp_path / "cache"
    environment = {"PMI_JOBID": "job", "MPIPP_CACHE": str(cache), "TMPDIR": str(tmp_path)}
    environment["XDG_RUNTIME_DIR"] = str(tmp_path)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(tempfile, "tempdir", None)
    path = Path(exec.directory_of_job())
    path.mkdir()
    path.chmod(0o755)
    assert unwatched(alone(**environment)) == f"{path}: another user owns it, or may enter it"


def test_options_of_another_command() -> None:
    done = shell("exec", "--provoke", "--", "true")
    assert (done.returncode, done.stderr) == (
        2,
        "mpipp: unrecognized arguments: --provoke=any: see mpipp exec --help\n",
    )
    told = " ".join(shell("exec", "--help").stdout.split())
    assert told.endswith("The other options, such as --provoke and --valgrind, need mpipp run.")


SLURM = {"SLURM_JOB_ID": "7", "SLURM_STEP_ID": "0"}


@pytest.mark.parametrize(
    ("environment", "above", "name"),
    [
        (SLURM, [[10]], "7-0-launcher-10"),
        # Several jobs of a batch script at once; hydra_pmi_proxy starts each process in a shell.
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
    """All processes of a job on a node share one directory, and other jobs have others."""
    for variable in exec._JOBS:
        monkeypatch.delenv(variable, raising=False)
    for variable, value in {**environment, "XDG_RUNTIME_DIR": str(tmp_path)}.items():
        monkeypatch.setenv(variable, value)
    monkeypatch.setattr(launcher_ancestors, "above", lambda pid: above)
    assert Path(exec.directory_of_job()).name == f"mpipp-{os.getuid()}-{name}"


def test_names_that_nobody_can_guess(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The name is equal for all processes of a job, and different for other jobs and users."""
    for variable in exec._JOBS:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", "")
    monkeypatch.setattr(launcher_ancestors, "above", lambda pid: [])
    names: dict[tuple[str, str], str] = {}
    for cache in ("one", "other"):
        monkeypatch.setenv("MPIPP_CACHE", str(tmp_path / cache))
        for job in ("7", "8"):
            monkeypatch.setenv("SLURM_JOB_ID", job)
            names[cache, job] = Path(exec.directory_of_job()).name
            assert Path(exec.directory_of_job()).name == names[cache, job]
    assert len({*names.values()}) == 4
    assert all(re.fullmatch("mpipp-[0-9a-f]{24}", name) for name in names.values())
    assert [path.name for path in (tmp_path / "one").iterdir()] == ["secret"]


def test_many_processes_keep_one_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPIPP_CACHE", str(tmp_path / "cache"))
    with ThreadPoolExecutor(16) as pool:
        assert len({*pool.map(job_secret.name, ["job"] * 64)}) == 1
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["secret"]


def loose(kept: Path) -> None:
    kept.chmod(0o644)


def short(kept: Path) -> None:
    kept.write_bytes(b"known")


def link(kept: Path) -> None:
    kept.rename(kept.with_name("elsewhere"))
    kept.symlink_to("elsewhere")


def nobodys(kept: Path) -> None:
    if os.geteuid() != 0:
        lacking("only root gives files to another user")
    os.chown(kept, 65534, 65534)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (loose, "another user owns it, or may read it"),
        (nobodys, "another user owns it, or may read it"),
        (short, "it is damaged: remove it"),
        (link, "Too many levels of symbolic links"),
    ],
)
def test_a_secret_that_others_may_know(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None], why: str
) -> None:
    monkeypatch.setenv("MPIPP_CACHE", str(tmp_path))
    monkeypatch.setenv("HOME", "/proc/none")
    job_secret.name("job")
    change(tmp_path / "secret")
    with pytest.raises(
        MpippError, match=f"cannot store the secret of the job in {tmp_path}/secret .{why}."
    ):
        job_secret.name("job")


def test_long_names_of_jobs_differ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    names = set()
    for number in range(3):
        monkeypatch.setenv("PMIX_NAMESPACE", f"prterun-{'node' * 20}-{number}")
        names.add(Path(exec.directory_of_job()).name)
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
    assert prefixed(words, ["with"]) == [
        *("with", "./a", ":", *options.split(), "with", "./b", "-v")
    ]
