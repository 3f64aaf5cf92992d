# SPDX-License-Identifier: MIT
"""`mpipp gdb` loads the wrapper only into the program, and passes gdb's own options unchanged."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from tests.support import (
    MPI,
    clean_environment,
    compile_program,
    every_mpi,
    make_core,
    on_mpi,
    shell,
)

PROGRAM = """\
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int started;
static const char *preloaded;
static void mark(void)
{
    started++;
}
int main(int argc, char **argv)
{
    preloaded = getenv("LD_PRELOAD");
    MPI_Init(&argc, &argv);
    mark();
    printf("argument %s\\n", argc > 1 ? argv[1] : "none");
    fflush(stdout);
    if (argc > 1 && argv[1][0] == 'w')
        sleep(60);
    MPI_Finalize();
    return 0;
}
"""

# gdb maps the library to read its symbols, but not to run it.
IN_GDB = (
    "python print('gdb itself:', any('xp ' in line and 'libmpipp' in line "
    "for line in open('/proc/self/maps')))"
)


@every_mpi
def test_the_wrapper_is_in_the_program_only(mpi: MPI) -> None:
    program = compile_program(PROGRAM, mpi)
    words = ["gdb", "-nx", "-q", "-batch", "-ex", "break mark", "-ex", "run"]
    words += ["-ex", "info sharedlibrary libmpipp", "-ex", "print started", "-ex", IN_GDB]
    words += ["-ex", "frame 1", "-ex", "print argv[1]", "-ex", "print argv[2]"]
    # gdb's shell writes at once, and gdb later, so their order varies.
    shell_of_gdb = "shell echo shell: $(grep -c libmpipp /proc/self/maps)"
    done = shell(*words, "-ex", shell_of_gdb, "--", program, "a 'b", "$HOME")
    assert "declined" not in done.stdout + done.stderr
    assert "/libmpipp_" in done.stdout
    assert "$1 = 0\ngdb itself: False\n" in done.stdout
    assert '"a \'b"' in done.stdout
    assert '"$HOME"' in done.stdout
    assert "shell: 0\n" in done.stdout


@on_mpi("mpich4", "openmpi4")
def test_a_breakpoint_before_the_program_runs(mpi: MPI) -> None:
    words = ["gdb", "-nx", "-q", "-batch", "-ex", "break mark", "-ex", "tbreak main", "-ex", "run"]
    words += ["-ex", "break PMPI_Init", "-ex", "continue", "-ex", "continue", "-ex", "run"]
    done = shell(*words, "-ex", "bt 2", "--args", compile_program(PROGRAM, mpi))
    assert "Temporary breakpoint 2, main" in done.stdout
    assert "PMPI_Init" in done.stdout.split("Temporary breakpoint 2, main")[1]


@pytest.mark.thorough
@on_mpi("mpich4")
def test_redirection_and_a_program_without_a_mark(mpi: MPI, tmp_path: Path) -> None:
    program = compile_program(PROGRAM, mpi)
    words: list[str | Path] = ["gdb", "-nx", "-batch", "-ex"]
    words += [f"run redirected > {tmp_path}/out", program]
    done = shell(*words)
    assert "exited normally" in done.stdout
    assert (tmp_path / "out").read_text() == "argument redirected\n"


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
def test_what_was_preloaded_stays(mpi: MPI) -> None:
    other = os.path.realpath("/lib/x86_64-linux-gnu/libm.so.6")
    words = ["gdb", "-nx", "-batch", "-ex", "break mark", "-ex", "run", "-ex", "print preloaded"]
    done = shell(*words, "--", compile_program(PROGRAM, mpi), env={"LD_PRELOAD": other})
    assert f'.so:{other}"\n' in done.stdout


@on_mpi("mpich4", "openmpi4")
def test_a_core(mpi: MPI, tmp_path: Path) -> None:
    program = compile_program(PROGRAM, mpi)
    core = make_core(program, mpi, ["break mark", "run"], tmp_path / "my core")
    done = shell("gdb", "-nx", "-batch", "-ex", "bt", "-ex", "info sharedlibrary", program, core)
    assert "mark ()" in done.stdout
    assert "/libmpipp_" in done.stdout
    assert "declined" not in done.stdout + done.stderr
    done = shell("gdb", core)
    assert (done.stdout, done.stderr, done.returncode) == (
        "",
        f"mpipp: {core} is a core file: write mpipp gdb {program} '{core}'\n",
        2,
    )


@on_mpi("mpich4")
def test_a_running_process(mpi: MPI) -> None:
    program = compile_program(PROGRAM, mpi)
    running = subprocess.Popen(
        [program, "wait"],
        env={**mpi.env, "LD_PRELOAD": mpi.wrapper},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert running.stdout
        assert running.stdout.readline() == "argument wait\n"
        done = shell("gdb", "-nx", "-batch", "-ex", "print started", "-p", str(running.pid))
    finally:
        running.kill()
        running.wait()
        running.stdout.close()
    assert done.stdout.endswith(f"$1 = 1\n[Inferior 1 (process {running.pid}) detached]\n")


def test_mpipp_is_loaded_from_anywhere(tmp_path: Path) -> None:
    done = shell("gdb", "-nx", "-batch", "-ex", "info pretty-printer global mpipp", cwd=tmp_path)
    assert "mpipp" in done.stdout, done.stderr


def test_what_gdb_cannot_start(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/usr/bin/env python3\n")
    script.chmod(0o755)
    empty = tmp_path / "empty"
    empty.touch(0o755)
    python = subprocess.run(
        ["sh", "-c", "command -v python3"],
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    for words, sentence in (
        (("--",), "no program after --: give it with its arguments"),
        (("-batch", "--args"), "no program after --args: give it with its arguments"),
        (("--", "./x"), "there is no program ./x: give its path, or its name on PATH"),
        (
            ("--", "./script"),
            f"./script is not a program that gdb can start: debug its interpreter, {python} "
            "./script",
        ),
        (("--", "./empty"), "./empty is not a program that gdb can start"),
        (("--mpicc",), "argument --mpicc: expected one argument: see mpipp gdb --help"),
    ):
        done = shell("gdb", *words, cwd=tmp_path)
        assert (done.stdout, done.stderr, done.returncode) == ("", f"mpipp: {sentence}\n", 2)


def test_no_gdb(tmp_path: Path) -> None:
    done = shell("gdb", env={"PATH": str(tmp_path)})
    assert (done.stderr, done.returncode) == (
        "mpipp: there is no gdb on PATH: install it (Debian: gdb)\n",
        2,
    )


def test_the_exit_status_is_gdbs() -> None:
    started = time.monotonic()
    assert shell("gdb", "-nx", "-batch", "-ex", "quit 7").returncode == 7
    assert time.monotonic() - started < 60
