# SPDX-License-Identifier: MIT
"""A foreign program, beside files with names for which mpipp searches."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from mpipp.toolchain import mpi_libraries as mpis
from tests.cli.test_run import HELLO
from tests.support import another_user, compile_program, find_mpi, library, need, shell


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """An MPI program, in tmp_path/home/work."""
    directory = tmp_path / "home" / "work"
    directory.mkdir(parents=True)
    return Path(shutil.copy(compile_program(HELLO, find_mpi("mpich4")), directory / "program"))


def plant(path: Path, then: str = "") -> Path:
    """Create a script that creates a file when it runs. Returns this file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    said = path.parent / f"{path.name}-was-run"
    path.write_text(f"#!/bin/sh\necho >>{said}\n{then}\n")
    path.chmod(0o755)
    return said


def test_a_compiler_above_the_program_is_not_run(program: Path) -> None:
    above = [program.parent, *program.parents[1:3]]
    said = [plant(one / "bin" / name) for one in above for name in ("mpicc", "mpicc.mpich")]
    said += [plant(program.parent / "mpicc")]
    done = shell("run", "-n", "1", "--", program)
    assert (done.returncode, done.stderr) == (0, "")
    assert [one for one in said if one.exists()] == []


def with_library(directory: Path) -> dict[str, str]:
    """The environment of a program that loads its MPI library from an installation's lib."""
    (directory / "lib").mkdir(parents=True)
    shutil.copy(os.path.realpath(library("libmpich.so.12")), directory / "lib" / "libmpich.so.12")
    return {"LD_LIBRARY_PATH": str(directory / "lib")}


def test_a_compiler_beside_the_library_is_preferred(tmp_path: Path) -> None:
    own = tmp_path / "own"
    with_library(own)
    plant(own / "bin" / "mpicc", f'exec {need("mpicc.mpich")} "$@"')
    loaded = str(own / "lib" / "libmpich.so.12")
    found = mpis.find(mpis.FLAVORS["mpich"], loaded, pytest.fail)
    assert (found.mpicc, found.library) == (str(own / "bin" / "mpicc"), loaded)


# Each file and each kind of foreign owner occurs once. `make test-all` tests the other pairs.
WHICH, HOW = ("", "bin", "bin/mpicc"), ("owner", "group", "others")
PAIRS = [
    pytest.param(which, how, marks=[pytest.mark.thorough] * (i != j))
    for i, which in enumerate(WHICH)
    for j, how in enumerate(HOW)
]


@pytest.mark.thorough
@pytest.mark.parametrize(("which", "how"), PAIRS)
def test_a_compiler_of_others_beside_the_library_is_left_out(
    which: str, how: str, program: Path, tmp_path: Path
) -> None:
    user = another_user()
    other = tmp_path / "other"
    env = with_library(other)
    said = [plant(other / "bin" / name) for name in ("mpicc", "mpicc.mpich")]
    changed = other / which
    problem = {
        "owner": f"{changed} belongs to nobody",
        "group": f"its group may write {changed}",
        "others": f"others may write {changed}",
    }[how]
    if how == "owner":
        os.chown(changed, user, -1)
    else:
        changed.chmod(0o775 if how == "group" else 0o757)
    if which.endswith("mpicc"):
        (other / "bin" / "mpicc.mpich").unlink()
    name = "mpicc" if which.endswith("mpicc") else "mpicc.mpich"
    done = shell("run", "-n", "1", "--", program, env=env)
    assert (done.returncode, done.stderr) == (
        0,
        f"mpipp: {other}/bin/{name} is left out: {problem}\n",
    )
    assert [one for one in said if one.exists()] == []
    # A program that the user would run without mpipp needs no trust.
    path = f"{other}/bin:{os.environ['PATH']}"
    done = shell("run", "-n", "1", "--", program, env={**env, "PATH": path})
    assert (done.returncode, done.stderr) == (0, "")
    assert any(one.exists() for one in said)


NAMES = ("mpicc", "mpicc.openmpi")


def test_installations_that_a_library_can_be_part_of(tmp_path: Path) -> None:
    found = []
    for path, name in (
        ("one/lib/libmpi.so", "one/bin/mpicc"),
        ("two/lib64/openmpi/lib/libmpi.so", "two/lib64/openmpi/bin/mpicc"),
        ("three/lib/x86_64-linux-gnu/openmpi/lib/libmpi.so", "three/bin/mpicc.openmpi"),
        ("four/libraries/libmpi.so", "four/bin/mpicc"),
        ("five/libmpi.so", "five/mpicc"),
    ):
        plant(tmp_path / name)
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
        found.append(list(mpis.beside(str(tmp_path / path), NAMES, [], print)))
    names = ["one/bin/mpicc", "two/lib64/openmpi/bin/mpicc", "three/bin/mpicc.openmpi"]
    assert found == [*([str(tmp_path / name)] for name in names), [], []]
    assert list(mpis.beside("libmpi.so.40", NAMES, [], print)) == []


def test_a_loader_that_the_program_names_is_not_run(tmp_path: Path) -> None:
    said = plant(tmp_path / "loader")
    (tmp_path / "main.c").write_text("int main(void) { return 0; }\n")
    words = [need("gcc"), "main.c", "-o", "program", f"-Wl,--dynamic-linker={tmp_path}/loader"]
    subprocess.run(words, cwd=tmp_path, check=True)
    for command in ("run", "gdb"):
        done = shell(command, "--", "./program", cwd=tmp_path)
        assert (done.stderr, done.returncode) == (
            f"mpipp: cannot find the MPI of ./program without starting {tmp_path}/loader, which is "
            "not safe: it is not in a directory of the system; name the MPI compiler with "
            "--mpicc\n",
            2,
        )
    assert not said.exists()


def test_a_python_of_another_user_is_not_asked(tmp_path: Path) -> None:
    user = another_user()
    said = plant(tmp_path / "other" / "python3", 'exec python3 "$@"')
    script = tmp_path / "script"
    script.write_text(f"#!{tmp_path}/other/python3\n")
    script.chmod(0o755)
    os.chown(tmp_path / "other", user, -1)
    done = shell("run", "--", script)
    assert (done.stderr, done.returncode) == (
        f"mpipp: cannot find the MPI of {script} without starting {tmp_path}/other/python3, which "
        f"is not safe: {tmp_path}/other belongs to nobody; name the MPI compiler with "
        "--mpicc\n",
        2,
    )
    assert not said.exists()


def test_an_mpi4py_in_the_working_directory_is_not_loaded(tmp_path: Path) -> None:
    (tmp_path / "mpi4py.py").write_text("open('was-loaded', 'w')\nraise ImportError('planted')\n")
    shell("run", "--", need("python3"), cwd=tmp_path)
    assert not (tmp_path / "was-loaded").exists()
