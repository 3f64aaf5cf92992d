# SPDX-License-Identifier: MIT
"""`mpipp doctor` lists the tools on the machine, and says how to install the missing ones."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest

from tests.support import MPI, ROOT, clean_environment, every_mpi, lacking, need, shell


@every_mpi
def test_an_mpi_on_the_path(mpi: MPI) -> None:
    directory = os.path.dirname(mpi.mpicc)
    done = shell("doctor", env={"PATH": f"{directory}:/usr/bin:/bin"})
    assert done.returncode == 0, done.stdout
    rows = [re.split(r"\s{2,}", line[2:]) for line in done.stdout.splitlines()]
    assert re.fullmatch(r"[\d.]+, Python 3\.\d+\.\S+, /\S+/gdb", dict(rows[:1])["gdb"])
    found = [row[1] for row in rows if row[0] == "MPI"]
    name = {"m": "MPICH ", "o": "Open MPI ", "a": "MPI standard ABI "}[mpi.id[0]]
    mine = [text for text in found if text.startswith(name) and f", {directory}/" in text]
    assert len(mine) == 1, found
    # An MPI that has several names is listed once.
    assert len(found) == len({text.split(",")[0] for text in found})


def test_a_machine_without_anything(tmp_path: Path) -> None:
    done = shell("doctor", env={"PATH": str(tmp_path)}, python=_python(tmp_path))
    assert done.returncode == 2
    assert "\u2717 gdb         not found\n" in done.stdout
    assert "\u2717 MPI         not found\n" in done.stdout
    assert "\u2717 gdb: install it\n" in done.stdout
    mpi = "\u2717 MPI: put an mpicc on PATH, name one in MPICC, or install one\n"
    assert mpi in done.stdout


@pytest.mark.parametrize(
    ("manager", "gdb", "mpi"),
    [
        ("apt-get", "sudo apt-get install gdb", "sudo apt-get install libmpich-dev"),
        ("dnf", "sudo dnf install gdb", "sudo dnf install mpich-devel"),
    ],
)
def test_remedies_are_commands(manager: str, gdb: str, mpi: str, tmp_path: Path) -> None:
    python = _python(tmp_path)
    (tmp_path / manager).symlink_to("/bin/true")
    done = shell("doctor", env={"PATH": str(tmp_path)}, python=python)
    assert f"gdb: install it:\n    {gdb}\n" in done.stdout
    assert f"or install one:\n    {mpi}\n" in done.stdout


def test_words_where_the_encoding_has_no_signs(tmp_path: Path) -> None:
    env = {"PATH": str(tmp_path), "PYTHONIOENCODING": "ascii"}
    done = shell("doctor", env=env, python=_python(tmp_path))
    assert "missing gdb         not found\n" in done.stdout
    assert done.stdout.isascii()


def test_marks_have_colours_on_a_terminal(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "mpipp.cli", "doctor"]
    env = clean_environment(PYTHONPATH=str(ROOT), PATH=str(tmp_path), TERM="xterm")
    for more, mark in (({}, "\033[1;31m\u2717\033[0m"), ({"NO_COLOR": "1"}, "\u2717")):
        said = pexpect.run(shlex.join(words), env={**env, **more}, encoding="utf-8")
        assert f"{mark} gdb " in said


def test_settings_files_and_variables(tmp_path: Path) -> None:
    env = {"PATH": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "MPIPP_FRAMES": "2"}
    (tmp_path / "pyproject.toml").write_text("[tool.mpipp]\ncheck = true\n")
    (tmp_path / "mpipp.toml").write_text('n = 4\nmpiexec = "a b"\n')
    python = _python(tmp_path)
    said = shell("doctor", env=env, cwd=tmp_path, python=python).stdout
    for row in (
        f"\u2713 settings    {tmp_path}/mpipp.toml: -n 4 '--mpiexec=a b'\n",
        f"\u2713 settings    {tmp_path}/pyproject.toml: --check=all\n",
        "\u2713 variable    MPIPP_FRAMES=2\n",
        "\u2713 variable    MPIPP_CACHE=",
    ):
        assert row in said
    (tmp_path / "mpipp.toml").chmod(0o666)
    (tmp_path / "pyproject.toml").unlink()
    said = shell("doctor", env=env, cwd=tmp_path, python=python).stdout
    assert f"! settings    {tmp_path}/mpipp.toml is not read: others may write " in said
    (tmp_path / "mpipp.toml").chmod(0o600)
    (tmp_path / "mpipp.toml").write_text("nn = 4\n")
    said = shell("doctor", env=env, cwd=tmp_path, python=python).stdout
    assert f"! settings: {tmp_path}/mpipp.toml: there is no option 'nn': did you mean n?\n" in said
    said = shell("doctor", env={**env, "MPIPP_CONFIG": ""}, cwd=tmp_path, python=python).stdout
    assert "- settings    no file (docs/reference/settings.md)\n" in said


def test_a_broken_mpi_and_a_cache_that_cannot_be_written(tmp_path: Path) -> None:
    broken = tmp_path / "mpicc"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    (tmp_path / "file").touch()
    cache = f"{tmp_path}/file/cache"
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "MPIPP_CACHE": cache}
    need("mpicc.mpich")
    done = shell("doctor", env=env)
    assert re.search(rf"^! MPI +unusable, {broken}$", done.stdout, re.MULTILINE)
    assert f"! MPI: {broken} is not an MPI compiler: name one with --mpicc\n" in done.stdout
    refused(done, f"{cache} is not writable; use a directory of your own")


def test_an_mpi_without_its_c_compiler(tmp_path: Path) -> None:
    mpicc, other = (tmp_path / name for name in ("mpicc.mpich", "mpicc.openmpi"))
    for path in (mpicc, other):
        path.write_text("#!/bin/sh\necho nocc\n")
        path.chmod(0o755)
    (tmp_path / "mpicc").symlink_to(other)  # the same compiler under a second name
    (tmp_path / "sh").symlink_to("/bin/sh")
    env = {"PATH": str(tmp_path), "MPICC": "nompicc"}
    done = shell("doctor", env=env, python=_python(tmp_path))
    assert done.returncode == 2
    advice = [line[2:] for line in done.stdout.splitlines() if line[2:].startswith("MPI: ")]
    assert advice == [
        "MPI: MPICC names nompicc, which does not exist; use the mpicc on PATH:",
        f"MPI: {other} and {mpicc} call the C compiler nocc, which does not exist",
    ]
    assert "not found\n" not in done.stdout.partition("MPI")[2]


def test_a_cache_that_ld_preload_cannot_hold(tmp_path: Path) -> None:
    need("mpicc.mpich")
    cache = tmp_path / "my cache"
    done = shell("doctor", env={"MPIPP_CACHE": str(cache)})
    refused(
        done,
        f"{cache} has a space or a colon in its name, which LD_PRELOAD cannot hold: "
        "set MPIPP_CACHE to another directory",
    )


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("pattern", "uses_pid", "is_warned"),
    [
        ("core", 0, True),
        ("core", 1, False),
        ("core.%p", 0, False),
        ("/var/cores/%e-%t", 0, True),
        ("core.%%p", 0, True),
        ("|/usr/lib/collect %p", 0, False),
    ],
)
def test_core_files_that_processes_overwrite(
    pattern: str, uses_pid: int, is_warned: bool, tmp_path: Path
) -> None:
    if os.geteuid() != 0:
        lacking("only root can show a process other settings of the system")
    (tmp_path / "core_pattern").write_text(f"{pattern}\n")
    (tmp_path / "core_uses_pid").write_text(f"{uses_pid}\n")
    # Run in a new mount namespace, so that the settings of the system do not change.
    script = "".join(
        f"{need('mount')} --bind {tmp_path}/{name} /proc/sys/kernel/{name} && "
        for name in ("core_pattern", "core_uses_pid")
    )
    words = [need("unshare"), "--mount", need("sh"), "-c", f'{script} exec "$@"', "sh"]
    command = [sys.executable, "-m", "mpipp.cli", "doctor"]
    done = subprocess.run(
        [*words, *command],
        env=clean_environment(PYTHONPATH=str(ROOT), PATH="/nowhere"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert f'pattern "{pattern}"' in done.stdout, done.stderr
    assert ("all processes of a job write the same file" in done.stdout) == is_warned


def refused(done: subprocess.CompletedProcess[str], why: str) -> None:
    """Check that doctor reports an unusable cache directory in its lines about MPICH."""
    line = rf"^\u2717 MPICH \S+: the cache directory {re.escape(why)}:?$"
    assert re.search(line, done.stdout, re.MULTILINE), done.stdout
    assert done.returncode == 2


def _python(directory: Path) -> str:
    # A Python without MPI beside it.
    python = directory / "bin" / "python3"
    python.parent.mkdir()
    python.symlink_to("/usr/bin/python3")
    return str(python)
