# SPDX-License-Identifier: MIT
"""`mpipp run` and `mpipp exec` watch the MPI programs that scripts and other commands start."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from mpipp.toolchain import started_programs
from tests.cli.test_run import HELLO
from tests.support import MPI, compile_program, find_mpi, finished, on_mpi, shell

TITLES = {"mpich4": "the MPICH ABI", "openmpi4": "Open MPI"}
COMMANDS = {
    "env": ("env", "A=1", "./app"),
    "shell": ("sh", "-c", "cat /dev/null; ./app; true"),
    "python": (sys.executable, "-m", "start", "./app"),
    "script": ("./start.sh",),
    "script of the shell": ("sh", "start"),
    # The command computes the program's name, so only the launcher shows the MPI.
    "computed name": ("sh", "-c", './"$(printf ap)p"'),
}
# MPICH's launcher passes descriptors to its processes, which Python would close.
START = "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:], close_fds=False))\n"


@pytest.fixture
def directory(mpi: MPI, tmp_path: Path) -> Path:
    """A working directory with a program, and a script and a module that start it."""
    (tmp_path / "app").symlink_to(compile_program(HELLO, mpi))
    (tmp_path / "start.py").write_text(START)
    for name in ("start.sh", "start"):
        (tmp_path / name).write_text('#!/bin/sh\nexport B=2\nexec ./app "$@"\n')
    (tmp_path / "start.sh").chmod(0o755)
    return tmp_path


def other_first(mpi: MPI) -> dict[str, str]:
    """An environment in which another MPI is the default."""
    other = find_mpi("openmpi4" if mpi.id == "mpich4" else "mpich4")
    return {"MPICC": other.mpicc}


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("options", [(), ("--check",)], ids=["plain", "check"])
def test_run(mpi: MPI, options: Sequence[str], directory: Path) -> None:
    launcher = shlex.join(mpi.mpiexec)
    for name, words in COMMANDS.items():
        done = shell(
            *("run", *options, "--mpiexec", launcher, "-n", "2", "--", *words),
            cwd=directory,
            env={"PYTHONPATH": f"{directory}:{os.getcwd()}", **other_first(mpi)},
        )
        assert done.returncode == 0, (name, done.stderr)
        found = sorted(line.split(": ")[0] for line in done.stdout.splitlines())
        assert found == ["0 of 2", "1 of 2"], (name, done.stdout)
        assert f"libmpipp_{'mpich' if mpi.id == 'mpich4' else 'openmpi'}.so" in done.stdout, name
        if options:
            assert "mpipp: no errors in 2 processes (8 MPI calls checked)" in done.stderr, name


@on_mpi("mpich4", "openmpi4")
def test_exec(mpi: MPI, directory: Path) -> None:
    for name in ("env", "script", "computed name"):
        words = [*mpi.mpiexec, "-n", "2", sys.executable, "-m", "mpipp.cli", "exec", "--check"]
        done = finished(
            [*words, "--", *COMMANDS[name]],
            240,
            cwd=directory,
            env={**mpi.env, "PYTHONPATH": os.getcwd(), **other_first(mpi)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert done.returncode == 0, (name, done.stderr)
        assert "mpipp: no errors in 2 processes (8 MPI calls checked)" in done.stderr, name


@on_mpi("mpich4")
def test_the_launcher_decides_between_named_programs(mpi: MPI, directory: Path) -> None:
    other = find_mpi("openmpi4")
    (directory / "other").symlink_to(compile_program(HELLO, other))
    text = "if true; then exec ./other; else exec ./app; fi\n"
    done = shell(
        *("run", "--mpiexec", shlex.join(other.mpiexec), "-n", "1", "--", "sh", "-c", text),
        cwd=directory,
    )
    assert "libmpipp_openmpi.so" in done.stdout, done.stderr
    assert done.returncode == 0


@on_mpi("mpich4")
def test_a_program_without_mpi_runs(mpi: MPI) -> None:
    done = shell("run", "--check", "--mpiexec", mpi.mpiexec[0], "-n", "2", "--", "/bin/echo", "x")
    assert (done.stdout, done.returncode) == ("x\nx\n", 0)
    assert "mpipp: not checked: none of 2 processes has initialized MPI\n" in done.stderr


def test_the_named_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    mpich, openmpi = (compile_program(HELLO, find_mpi(name)) for name in ("mpich4", "openmpi4"))
    (tmp_path / "a b").symlink_to(mpich)
    (tmp_path / "other").symlink_to(openmpi)
    for number, text in enumerate(("./other", "./script0", "./script1", "./script2", "./script3")):
        script = tmp_path / f"script{number}"
        script.write_text(f"#!/bin/sh\n{text}\n")
        script.chmod(0o755)
    (tmp_path / "loop").write_text("#!/bin/sh\n./loop\n")
    (tmp_path / "loop").chmod(0o755)
    (tmp_path / "binary").write_bytes(b"\0\xff" * 100 + b"\n./other\n")
    for words, keys in (
        (["env", "a=b", "./a b", "./other"], ["mpich", "openmpi"]),
        (["sh", "-c", "(./other;./other)>x"], ["openmpi"]),
        (["./script0"], ["openmpi"]),
        (["./script3"], ["openmpi"]),
        (["./script4"], []),  # too deep
        (["./loop", "./loop"], []),
        (["sh", "binary"], ["openmpi"]),
        (["no-such-program"], []),
        (["sh", "-c", "x" * 10000], []),
    ):
        assert [one.flavor.key for one in started_programs.find(words)] == keys, words
