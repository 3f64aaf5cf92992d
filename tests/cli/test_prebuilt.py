# SPDX-License-Identifier: MIT
"""An installation of mpipp that contains wrappers: no compiler, one wrapper for each ABI."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from mpipp.common.errors import MpippError
from mpipp.toolchain import build_wrapper, elf, prebuilt_wrapper
from mpipp.toolchain import mpi_libraries as mpis
from mpipp.toolchain.preload import with_wrapper
from tests.support import MPI, MPI_IDS, ROOT, compile_program, find_mpi, on_mpi

# The build with the newest library of each ABI, whose wrapper serves the older ones.
NEWEST = {"mpich4": "mpich5", "mpich5": "mpich5", "openmpi4": "openmpi5", "openmpi5": "openmpi5"}

PROGRAM = """\
#include <mpi.h>
#include <stdio.h>
extern int session(void) __asm__("MPI_Session_init") __attribute__((weak));
extern int large(void) __asm__("MPI_Send_c") __attribute__((weak));
extern int handle(void) __asm__("MPI_Comm_toint") __attribute__((weak));
int main(int argc, char **argv) {
  int rank;
  double row[4] = {0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    printf("%d %d %d\\n", session != NULL, large != NULL, handle != NULL);
  if (rank == 0) MPI_Send(row, 4, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(row, 4, MPI_INT64_T, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
}
"""


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory for PYTHONPATH with mpipp as a wheel installs it, without the C sources."""
    site = tmp_path_factory.mktemp("site")
    shutil.copytree(
        ROOT / "mpipp", site / "mpipp", ignore=shutil.ignore_patterns("__pycache__", "_prebuilt")
    )
    for name in sorted({*NEWEST.values()} & {*MPI_IDS}):
        made = Path(find_mpi(name).wrapper)
        to = site / "mpipp" / "_prebuilt" / made.stem.partition("_")[2]
        to.mkdir(parents=True)
        for library in made.parent.glob("*.so"):
            shutil.copy(library, to)
    return site


def run(
    mpi: MPI, installation: Path, cache: Path, words: Sequence[str | Path]
) -> subprocess.CompletedProcess[str]:
    env = {**mpi.env, "PYTHONPATH": str(installation), "MPIPP_CACHE": str(cache)}
    command = [sys.executable, "-m", "mpipp.cli", *map(str, words)]
    return subprocess.run(
        command, env=env, cwd=cache, capture_output=True, text=True, timeout=300, check=False
    )


def launcher(mpi: MPI) -> list[str]:
    return [] if len(mpi.mpiexec) == 1 else ["--mpiexec", " ".join(mpi.mpiexec)]


@on_mpi(*NEWEST)
@pytest.mark.each_mpi
def test_one_wrapper_serves_all_libraries_of_its_abi(
    mpi: MPI, installation: Path, tmp_path: Path
) -> None:
    program = compile_program(PROGRAM, mpi)
    alone = mpi.run([program], n=2, preload=False).stdout
    done = run(
        mpi,
        installation,
        tmp_path,
        ["run", "--check", "-n", "2", *launcher(mpi), "--", program],
    )
    # The program finds the procedures that its library has, and no others.
    assert done.stdout == alone, done.stderr
    assert "MPI_DOUBLE is sent, MPI_INT64_T received" in done.stderr
    assert "mpipp: 1 error" in done.stderr
    # Nothing has been compiled, and a second run makes no other copy.
    (made,) = (path for path in tmp_path.iterdir() if path.is_dir())
    assert made.name.startswith("prebuilt-")
    run(mpi, installation, tmp_path, ["run", "-n", "1", *launcher(mpi), "--", program])
    assert [path for path in tmp_path.iterdir() if path.is_dir()] == [made]


@on_mpi("mpich4", "openmpi4")
def test_only_procedures_of_the_library_are_left(
    mpi: MPI, installation: Path, tmp_path: Path
) -> None:
    program = compile_program(PROGRAM, mpi)
    done = run(mpi, installation, tmp_path, ["wrapper", program])
    wrapper = done.stdout.strip()
    assert done.returncode == 0, done.stderr
    known = elf.defined(_library_of(program, mpi))
    left = {name for name in elf.defined(wrapper) if prebuilt_wrapper.is_of_mpi(name)}
    assert {"MPI_Send", "PMPI_Send"} <= left <= known


def _library_of(program: Path, mpi: MPI) -> str:
    listed = subprocess.run(
        ["ldd", program], env=mpi.env, capture_output=True, text=True, check=True
    ).stdout
    words = [line.split() for line in listed.splitlines() if "libmpi" in line.split()[0]]
    return os.path.realpath(words[0][2])


@on_mpi("mpich4")
def test_the_users_own_build_is_preferred(
    mpi: MPI, installation: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prebuilt_wrapper, "DIRECTORY", installation / "mpipp" / "_prebuilt")
    found = mpis.probe(mpi.mpicc)
    monkeypatch.setenv("MPIPP_CACHE", str(tmp_path))
    assert Path(with_wrapper(found).wrapper).parent.name.startswith("prebuilt-")
    own = build_wrapper.library_path(found)
    own.parent.mkdir(parents=True)
    own.touch()
    assert with_wrapper(found).wrapper == ""


def test_a_library_that_cannot_be_read(
    installation: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prebuilt_wrapper, "DIRECTORY", installation / "mpipp" / "_prebuilt")
    monkeypatch.setenv("MPIPP_CACHE", str(tmp_path))
    flavor = mpis.FLAVORS["mpich"]
    gone = mpis.Mpi("", flavor, "MPICH", "", "", (), (), str(tmp_path / "libmpi.so.12"))
    with pytest.raises(MpippError, match=r"^cannot read .*libmpi\.so\.12: No such file"):
        prebuilt_wrapper.fitted(gone)
    (tmp_path / "libmpi.so.12").write_text("no library\n")
    with pytest.raises(MpippError, match=r"^.*libmpi\.so\.12 is not an ELF file$"):
        prebuilt_wrapper.fitted(gone)
    assert not list(tmp_path.glob("*/*.so"))


@on_mpi("mpich4")
def test_doctor_asks_for_no_compiler(mpi: MPI, installation: Path, tmp_path: Path) -> None:
    empty = replace(mpi, env={**mpi.env, "PATH": str(tmp_path)})
    done = run(empty, installation, tmp_path, ["doctor"])
    rows = dict(re.split(r"\s{2,}", line[2:], maxsplit=1) for line in done.stdout.splitlines()[:3])
    assert rows["wrappers"].startswith("installed for the MPICH ABI")
    assert rows["MPI compiler"] == "not found (only mpipp cc needs it)"
    assert "MPI: " not in done.stdout
