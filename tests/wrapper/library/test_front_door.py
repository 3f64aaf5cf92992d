# SPDX-License-Identifier: MIT
"""The wrapper's entry point libmpipp_wrap.c: the commands in its comments, and its list
of parts."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from mpipp.toolchain import mpi_libraries
from tests import support
from tests.support import MPI, ROOT
from wrapper.generator import versions
from wrapper.generator.mpi_standard import standard
from wrapper.generator.unrecorded_procedures import is_wrapped

DOOR = ROOT / "wrapper" / "libmpipp_wrap.c"
PROGRAM = """\
#include <mpi.h>
int main(int argc, char **argv) {
  MPI_Datatype column;
  MPI_Init(&argc, &argv);
  MPI_Type_vector(4, 1, 6, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_Type_free(&column);
  MPI_Finalize();
}
"""


def commands() -> list[str]:
    """The commands in its first comment, each as one line."""
    text = DOOR.read_text().partition("#include")[0]
    blocks = re.findall(r"(?:^//   \S.*\n(?://     \S.*\n)*)", text, re.M)
    lines = [" ".join(re.findall(r"^//\s+(.*)", block, re.M)) for block in blocks]
    return [line for line in lines if " -" in line]


@pytest.mark.thorough
@pytest.mark.timeout(1800)  # one command compiles all files in sequence
@support.on_mpi("mpich4", "openmpi4")
def test_the_recorder_is_built_by_hand(mpi: MPI, tmp_path: Path) -> None:
    build, debug = commands()
    for name in ("wrapper", "mpipp"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "program").symlink_to(support.compile_program(PROGRAM, mpi, ("-g", "-O0")))
    build = build.replace("mpicc ", f"{mpi.mpicc} ", 1)
    typed(build, tmp_path, mpi)
    debug = debug.replace("gdb ", f"gdb {QUIET} ", 1)
    said = typed(
        f"{debug} -ex 'break MPI_Type_free' -ex run -ex up -ex 'print column'", tmp_path, mpi
    )
    assert "$1 = {kind = VECTOR, count = 4, blocklength = 1, stride = 6, " in said


QUIET = "-nx -q -batch -iex 'set breakpoint pending on' -iex 'set debuginfod enabled off'"


def typed(command: str, directory: Path, mpi: MPI) -> str:
    """The output of a command."""
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=directory,
        env={**mpi.env, "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@support.every_mpi
@pytest.mark.each_mpi
def test_what_a_version_of_the_standard_has_is_declared(
    mpi: MPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPAL_PREFIX", "LD_LIBRARY_PATH"):
        if name in mpi.env:
            monkeypatch.setenv(name, mpi.env[name])
    declared = mpi_libraries.probe(mpi.mpicc).procedures
    procedures = [one for one in standard() if is_wrapped(one)]
    of_version = {one.name for one in procedures if versions.first(one) <= mpi.standard}
    assert of_version - {*declared} == set()
    assert len(of_version) > 350


def test_every_part_is_listed() -> None:
    text = DOOR.read_text()
    listed = re.findall(r"^//   (?:[a-z]+  )? *(\w+)/ ", text, re.M)
    folders = {path.name for path in (ROOT / "wrapper").iterdir() if path.is_dir()}
    assert sorted(listed) == sorted(folders - {"generated", "generator"})
