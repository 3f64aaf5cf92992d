# SPDX-License-Identifier: MIT
"""Programs compiled and linked by `mpipp cc`, even without any checked access."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support import MPI, need, on_mpi, shell
from tests.watcher import runs

# Functions that mark their frames in GCC's shadow memory, and have no checked loads or stores.
FRAMES = """\
int part(int (*function)(int *)) { int array[20]; return function(array); }
"""
MAIN = """\
int part(int (*function)(int *));
static int taken(int *array) { __asm__ volatile("" :: "r"(array) : "memory"); return 0; }
int main(void) { return part(taken); }
"""
IN_FORTRAN = """\
program main
  integer :: array(10)
  call take(array)
contains
  subroutine take(array)
    integer :: array(:)
    if (size(array) /= 10) stop 1
  end subroutine
end program
"""
WITH_MPI = """\
#include <mpi.h>
int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Finalize();
  return 0;
}
"""


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A directory with the sources."""
    texts = {"part.c": FRAMES, "main.c": MAIN, "main.f90": IN_FORTRAN, "mpi.c": WITH_MPI}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def make(directory: Path, compiler: str, *words: str, command: str = "cc") -> None:
    """Compile with `mpipp`, which must print nothing."""
    done = shell(command, "--mpicc", need(compiler), *words, cwd=directory)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def start(program: Path) -> None:
    """Run a program without mpipp. It must succeed."""
    assert subprocess.run([program], check=False, timeout=60).returncode == 0


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("how", [(), ("-O2",), ("-O2", "-flto"), ("-static",), ("-pie", "-fPIE")])
def test_a_program_with_nothing_to_look_at(
    compiler: str, how: Sequence[str], sources: Path
) -> None:
    if "-flto" in how and compiler == "clang":
        pytest.skip("its text for the link is of another kind")
    make(sources, compiler, *how, "main.c", "part.c", "-o", "program")
    start(sources / "program")


@pytest.mark.thorough
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_objects_and_a_shared_library_with_nothing_to_look_at(compiler: str, sources: Path) -> None:
    make(sources, compiler, "-c", "main.c")
    make(sources, compiler, "-c", "-fPIC", "part.c")
    make(sources, compiler, "main.o", "part.o", "-o", "program")
    start(sources / "program")
    make(sources, compiler, "-shared", "part.o", "-o", "libpart.so")
    words = [need("gcc"), "main.c", "-L.", "-lpart", f"-Wl,-rpath,{sources}", "-o", "other"]
    subprocess.run(words, cwd=sources, check=True)
    start(sources / "other")


def test_fortran_with_nothing_to_look_at(sources: Path) -> None:
    make(sources, "gfortran", "main.f90", "-o", "program", command="fortran")
    start(sources / "program")


@on_mpi("mpich4", "openmpi4")
def test_a_program_of_mpi_with_nothing_to_look_at(mpi: MPI, sources: Path) -> None:
    make(sources, mpi.mpicc, "-g", "mpi.c", "-o", "program")
    alone = mpi.run([sources / "program"], n=2, preload=False)
    assert (alone.returncode, alone.stderr) == (0, "")
    run = runs.run(mpi, [sources / "program"], "--check=buffers")
    assert (run.status, run.blocks) == (0, [])


@pytest.mark.thorough
@pytest.mark.parametrize(
    "words",
    [
        (
            *("-Wl,-rpath,/nowhere", "-L", ".", "-lm", "-L.", "-l", "m", "-Xlinker", "--as-needed"),
            *("-u", "main", "-z", "now", "-rdynamic", "-pthread", "-static-libgcc", "-lc"),
        ),
        ("-fuse-ld=bfd", "-s", "-no-pie"),
        ("-shared", "-fPIC"),
    ],
    ids=["others", "no-pie", "shared"],
)
def test_options_of_the_link_are_none_of_compilations(words: Sequence[str], sources: Path) -> None:
    # Clang would warn about unused options.
    make(sources, "clang", "-Werror", "-O2", *words, "main.c", "part.c", "-o", "program")
    if "-shared" not in words:
        start(sources / "program")
