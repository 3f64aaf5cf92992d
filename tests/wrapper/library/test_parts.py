# SPDX-License-Identifier: MIT
"""The wrapper's libraries: the recorder alone, and the parts that a run requests."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from mpipp.toolchain import elf
from mpipp.watcher.ipc import launch
from tests import support
from tests.support import MPI

# Functions that the recorder must not use, because it handles no signal and creates no thread.
FOREIGN = re.compile(
    r"_*(sigaction|signal|pthread_create|thrd_create|clone|fork|alarm|set\w*timer)"
)
# The recorder's symbols: MPI procedures, also for Fortran, and symbols for parts, hooks and
# readers.
OWN = re.compile(r"P?MPIX?_\w+|mpi_win_get_attr_(f08_)?|mpipp_\w+")

# Print the state when MPI is initialized: signal handlers, threads, and the wrapper's files.
PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  char line[4096];
  MPI_Init(&argc, &argv);
  FILE *status = fopen("/proc/self/status", "r"), *maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, status))
    if (!strncmp(line, "SigCgt:", 7) || !strncmp(line, "Threads:", 8)) fputs(line, stdout);
  while (fgets(line, sizeof line, maps)) {
    char *name = strstr(line, "/libmpipp_");
    if (name && strstr(line, "r-xp")) printf("loaded: %s", name + 1);
  }
  MPI_Finalize();
  return 0;
}
"""


def said(output: str) -> tuple[list[str], list[str]]:
    """The state that one process printed, and the wrapper's files, without the flavor."""
    lines = output.splitlines()
    loaded = [re.sub(r"loaded: (libmpipp)_(mpich|openmpi|abi)?", r"\1_", one) for one in lines]
    return (
        [line for line in lines if not line.startswith("loaded: ")],
        sorted(line for line in loaded if line.startswith("libmpipp_")),
    )


@support.every_mpi
def test_the_recorder_has_no_handler_no_thread_and_nothing_of_the_c_library(mpi: MPI) -> None:
    assert [name for name in elf.undefined(mpi.wrapper) if FOREIGN.fullmatch(name)] == []
    words = [support.need("nm"), "-D", "--defined-only", mpi.wrapper]
    listed = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    defined = {line.split()[-1].partition("@")[0] for line in listed.splitlines()}
    assert {name for name in defined if not OWN.fullmatch(name)} == set()
    program = support.compile_program(PROGRAM, mpi)
    without, none = said(mpi.run([program], preload=False).stdout)
    recorded, loaded = said(mpi.run([program]).stdout)
    assert len(without) == 2
    assert (recorded, none, loaded) == (without, [], ["libmpipp_.so"])


@pytest.mark.each_case
@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ((), []),
        (("--check",), ["guard", "rma", "death", "free"]),
        (("--check=fast", "--no-backtrace"), []),
        (("--check=fast", "--strict"), ["check", "death"]),
        (("--check=buffers",), ["guard", "death", "free"]),
        (("--check=rma",), ["guard", "rma", "death", "free"]),
        (("--provoke=1",), ["guard", "perturb"]),
        (("--provoke=rma,1",), ["guard", "perturb"]),
    ],
)
@support.on_mpi("mpich4", "openmpi4")
def test_a_run_loads_the_parts_that_its_options_ask_for(
    mpi: MPI, options: Sequence[str], parts: Sequence[str]
) -> None:
    program = support.compile_program(PROGRAM, mpi)
    assert mpi.wrapper
    done = support.shell("run", *options, "-n", "1", "--", str(program), env=dict(mpi.env))
    names = ["libmpipp_.so", *(f"libmpipp_{'_' * (part != 'free')}{part}.so" for part in parts)]
    assert said(done.stdout)[1] == sorted(names), done.stderr


@support.every_mpi
def test_a_part_refers_to_what_others_offer_only(mpi: MPI) -> None:
    offered: dict[str, set[str]] = {}
    libraries = [mpi.wrapper, *(launch.part_path(mpi.wrapper, name) for name in launch.PARTS)]
    for library in libraries:
        words = [support.need("nm"), "-D", "--defined-only", library]
        listed = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        offered[Path(library).name] = {line.split()[-1] for line in listed.splitlines()}
    # Symbols for hooks, readers and programs, and for the libc interposer.
    used = {"mpipp_registry", "mpipp_hook_in", "mpipp_hook_out", "mpipp_program_register"}
    used |= set(elf.undefined(str(Path(mpi.wrapper).with_name(launch.INTERPOSER))))
    for library in libraries[1:]:
        needed = [offered[name] for name in elf.needed(library) if name in offered]
        wanted = {name for name in elf.undefined(library) if name.startswith("mpipp_")}
        known = set().union(*needed)
        # The guard may be loaded without the RMA log.
        assert {one for one in wanted - known if not one.startswith("mpipp_rma_")} == set()
        used |= wanted
    every = {name for names in offered.values() for name in names if name.startswith("mpipp_")}
    # Open MPI 4 has no persistent collective operations.
    assert every - used <= {"mpipp_intercept_parts", "mpipp_abi_has"}


def test_a_part_that_is_not_there_is_named(tmp_path: Path) -> None:
    mpi = support.find_mpi("mpich4")
    wrapper = tmp_path / Path(mpi.wrapper).name
    shutil.copy(mpi.wrapper, wrapper)
    program = support.compile_program(PROGRAM, mpi)
    words = ["exec", "--check=buffers", "--", str(program)]
    done = support.shell(*words, env={**mpi.env, "MPIPP_WRAPPER": str(wrapper)})
    missing = launch.part_path(str(wrapper), "guard")
    assert done.stderr.splitlines()[0] == (
        f"mpipp: not checked: buffers of pending operations: there is no {missing}: "
        "build it with mpipp wrapper --build"
    )
    assert said(done.stdout)[1] == ["libmpipp_.so"]
