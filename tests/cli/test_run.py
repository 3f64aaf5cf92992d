# SPDX-License-Identifier: MIT
"""`mpipp run` selects the launcher and wrapper for a program, and loads the wrapper
only into it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from mpipp.toolchain import mpi_libraries as mpis
from tests.support import (
    MPI,
    compile_program,
    every_mpi,
    find_mpi,
    lacking,
    need,
    on_mpi,
    shell,
)

# Prints its rank, arguments and preloaded libraries, and exits with status 3.
HELLO = """\
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    printf("%d of %d: [%s] %s\\n", rank, size, argc > 1 ? argv[1] : "", getenv("LD_PRELOAD"));
    MPI_Finalize();
    return argc > 2 ? atoi(argv[2]) : 0;
}
"""

IN_PYTHON = """\
from mpi4py import MPI
print(any("libmpipp" in line for line in open("/proc/self/maps")), MPI.COMM_WORLD.rank)
"""


def environment(mpi: MPI) -> dict[str, str]:
    """The settings of a user of this MPI. Its compilers need not be first in PATH."""
    return {name: mpi.env[name] for name in ("LD_LIBRARY_PATH", "MPI4PY_LIBMPI") if name in mpi.env}


@every_mpi
def test_ranks_with_the_wrapper(mpi: MPI) -> None:
    program = compile_program(HELLO, mpi)
    done = shell("run", "-n", "2", "--", program, "a b", env=environment(mpi))
    assert done.returncode == 0, done.stderr
    lines = sorted(done.stdout.splitlines())
    assert [line.split(": ")[0] for line in lines] == ["0 of 2", "1 of 2"]
    flavor = mpis.probe(mpi.mpicc).flavor.key
    for line in lines:
        said, library = line.rsplit(" ", 1)
        assert said.endswith(": [a b]")
        assert library.endswith(f"/libmpipp_{flavor}.so")


@pytest.mark.parametrize("words", [("-np", "2"), ("--check", "-np", "2"), ("-np", "2", "--check")])
def test_the_number_of_processes_as_launchers_have_it(words: tuple[str, ...]) -> None:
    program = compile_program(HELLO, find_mpi("mpich4"))
    done = shell("run", *words, "--", program, "-np")
    assert [line.split(": ")[0] for line in sorted(done.stdout.splitlines())] == [
        "0 of 2",
        "1 of 2",
    ]


@every_mpi
def test_the_exit_status_is_the_programs(mpi: MPI) -> None:
    done = shell("run", "-n", "1", "--", compile_program(HELLO, mpi), "x", "3")
    assert done.returncode == 3


@on_mpi("mpich4", "openmpi4", "mpich5", "openmpi5")
def test_mpi4py(mpi: MPI) -> None:
    done = shell("run", "-n", "1", "--", mpi.python, "-c", IN_PYTHON, env=environment(mpi))
    assert (done.stdout, done.returncode) == ("True 0\n", 0), done.stderr


@on_mpi("mpich5", "openmpi5")
def test_a_python_script(mpi: MPI, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text(f"#!{mpi.python}\n{IN_PYTHON}")
    script.chmod(0o755)
    done = shell("run", "-n", "1", "--", script)
    assert (done.stdout, done.returncode) == ("True 0\n", 0), done.stderr


@on_mpi("mpich4", "openmpi4")
def test_only_the_program_has_the_wrapper(mpi: MPI) -> None:
    ask = "grep -c libmpipp /proc/self/maps /proc/$PPID/maps | sed 's/.*://'; echo $MPIPP_FRAMES"
    words = ("run", "-n", "1", "--frames", "4", "--mpicc", mpi.mpicc, "--", "sh", "-c", ask)
    itself, launcher, frames = shell(*words).stdout.split()
    assert int(itself) > 0
    assert (launcher, frames) == ("0", "4")


@on_mpi("mpich4", "openmpi4")
def test_what_was_preloaded_stays(mpi: MPI) -> None:
    other = os.path.realpath("/lib/x86_64-linux-gnu/libm.so.6")
    done = shell("run", "-n", "1", "--", compile_program(HELLO, mpi), env={"LD_PRELOAD": other})
    assert done.stdout.endswith(f".so:{other}\n"), done.stderr


@on_mpi("mpich4", "openmpi4")
def test_a_launcher_with_options(mpi: MPI) -> None:
    program = compile_program(HELLO, mpi)
    words = (need(f"mpiexec.{mpi.id[:-1]}"), "-n 2", *mpi.mpiexec[1:])
    done = shell("run", "--mpiexec", " ".join(words), program)
    assert len(done.stdout.splitlines()) == 2, done.stderr


def test_a_compiler_of_another_mpi() -> None:
    mpich, openmpi = find_mpi("mpich4"), find_mpi("openmpi4")
    program = compile_program(HELLO, openmpi)
    done = shell("run", "--mpicc", mpich.mpicc, "--", program)
    name = mpis.probe(mpich.mpicc).name
    assert done.stderr.startswith(f"mpipp: {program} uses Open MPI (")
    assert done.stderr.endswith(
        f"libmpi.so.40), but {mpich.mpicc} belongs to {name}: name a compiler of "
        "Open MPI with --mpicc\n"
    )
    assert done.returncode == 2


def test_no_compiler_for_the_program(tmp_path: Path) -> None:
    # A library without a compiler, as on a machine with only the run-time package.
    mpi = find_mpi("mpich4")
    program = compile_program(HELLO, mpi)
    library = os.path.realpath("/usr/lib/x86_64-linux-gnu/libmpich.so.12")
    (tmp_path / "libmpich.so.12").write_bytes(Path(library).read_bytes())
    env = {"LD_LIBRARY_PATH": str(tmp_path), "PATH": str(tmp_path)}
    env["MPIPP_CACHE"] = str(tmp_path / "cache")
    done = shell("run", "--", program, env=env)
    assert (done.stderr, done.returncode) == (
        "mpipp: no MPI compiler of the MPICH ABI found beside the program's MPI library or on "
        "PATH: install it, or name it with --mpicc\n",
        2,
    )


def test_no_c_compiler(tmp_path: Path) -> None:
    program = compile_program(HELLO, find_mpi("mpich4"))
    library = os.path.realpath("/usr/lib/x86_64-linux-gnu/libmpich.so.12")
    (tmp_path / "libmpich.so.12").write_bytes(Path(library).read_bytes())
    mpicc = tmp_path / "mpicc"
    mpicc.write_text("#!/bin/sh\necho nocc\n")
    mpicc.chmod(0o755)
    env = {"LD_LIBRARY_PATH": str(tmp_path), "PATH": str(tmp_path)}
    env["MPIPP_CACHE"] = str(tmp_path / "cache")
    done = shell("run", "--", program, env=env)
    assert (done.stderr, done.returncode) == (
        f"mpipp: {mpicc} calls the C compiler nocc, which does not exist: "
        "install it (Debian: gcc), or name another MPI compiler with --mpicc\n",
        2,
    )


def test_programs_that_cannot_be_run(tmp_path: Path) -> None:
    (tmp_path / "script").write_text("#!/bin/sh\n")
    (tmp_path / "script").chmod(0o755)
    (tmp_path / "rows").symlink_to("script")
    (tmp_path / "text").touch()
    damaged = tmp_path / "damaged"
    damaged.write_bytes(b"\x7fELF\2\1\1" + bytes(3))
    damaged.chmod(0o755)
    for words, sentence in (
        ((), "no program to run: give it after --, with its arguments"),
        (("-n", "0", "--", "x"), "-n 0: the number of MPI processes must be at least 1"),
        (("--frames", "-1", "--", "x"), "--frames -1: the number of frames must be at least 0"),
        (("--", "./x"), "there is no program ./x: give its path, or its name on PATH"),
        (("--", "./text"), "./text is not executable: make it so with chmod +x"),
        (
            ("--", "rows"),
            "there is no program rows on PATH: for the one here, write ./rows",
        ),
        (
            ("--", "text"),
            "there is no program text on PATH, and ./text is not executable: make it so with "
            "chmod +x, and write ./text",
        ),
        (("--", "./damaged"), "./damaged is a damaged ELF file"),
        (
            ("--mpicc", "mpicc.mpich", "--mpiexec", "no-such-launcher", "--", "/bin/true"),
            "there is no program no-such-launcher: give its path, or its name on PATH",
        ),
    ):
        done = shell("run", *words, cwd=tmp_path)
        assert (done.stdout, done.stderr, done.returncode) == ("", f"mpipp: {sentence}\n", 2)


def test_a_static_program(tmp_path: Path) -> None:
    source = tmp_path / "main.c"
    source.write_text("int main(void) { return 0; }\n")
    words = [need("gcc"), "-static", str(source), "-o", str(tmp_path / "program")]
    if subprocess.run(words, capture_output=True, check=False).returncode != 0:
        lacking("there is no static C library")
    done = shell("run", "--", "./program", cwd=tmp_path)
    assert done.stderr == (
        "mpipp: ./program is statically linked, and nothing can be preloaded into it: "
        "link it with the shared MPI library\n"
    )


@on_mpi("mpich4", "openmpi4")
def test_settings_files_and_the_command_that_is_started(mpi: MPI, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.mpipp]\ncheck = 'messages'\nn = 2\n")
    program = compile_program(HELLO, mpi)
    done = shell("run", "-v", "--", program, cwd=tmp_path, env=environment(mpi))
    assert done.stdout.count(" of 2: ") == 2, done.stderr
    started = next(line for line in done.stderr.splitlines() if "mpipp: starting " in line)
    assert re.match(rf"mpipp: starting {re.escape(mpi.mpiexec[0].split('/')[-1])} .*-n 2 ", started)
    assert started.endswith(f" -- {program}")
    assert "mpipp: no errors in 2 processes" in done.stderr
    done = shell("run", "-n", "1", "--", program, cwd=tmp_path, env=environment(mpi))
    assert "mpipp: no errors in 1 process " in done.stderr
    done = shell("run", "-v", "--provoke-sweep", "1", "--", program, cwd=tmp_path)
    assert done.stderr == (
        "mpipp: -v prints one command, and --provoke-sweep starts several: leave out -v\n"
    )
    off = {**environment(mpi), "MPIPP_CONFIG": ""}
    done = shell("run", "-v", "-n", "1", "--", program, cwd=tmp_path, env=off)
    assert done.stderr.startswith("mpipp: starting ")
    assert len(done.stderr.splitlines()) == 1


def test_a_program_without_mpi_and_a_machine_without_mpi(tmp_path: Path) -> None:
    (tmp_path / "script").write_text("#!/bin/sh\n")
    (tmp_path / "script").chmod(0o755)
    for program, sentence in (
        (
            "./script",
            "./script is a script: give the program it runs, or name the MPI compiler with --mpicc",
        ),
        (
            "/bin/true",
            "/bin/true is not linked with a supported MPI library: pass the MPI program itself, "
            "or the MPI compiler with --mpicc",
        ),
        (
            sys.executable,
            f"{sys.executable} cannot load mpi4py: ModuleNotFoundError: No module named 'mpi4py'",
        ),
    ):
        done = shell("run", "--", program, cwd=tmp_path, env={"PATH": str(tmp_path)})
        assert (done.stdout, done.stderr, done.returncode) == ("", f"mpipp: {sentence}\n", 2)
