# SPDX-License-Identifier: MIT
"""An overwritten registry under gdb: every command reports the damage in one sentence."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import support
from tests.short import some

SCRIPT = Path(__file__).with_name("gdb_damage.py")
PROGRAM = support.program_source("gdb", "objects.c")
STOP = ["break mark", "run", "frame function main"]


def check(mpi: support.MPI, call: str, cwd: Path) -> str:
    flags = ["-g", "-O0", *(["-DSESSIONS"] if mpi.has_sessions else [])]
    program = support.compile_program(PROGRAM, mpi, flags)
    # Without mpiexec, Open MPI 4 has no default implementation of windows.
    env = {"OMPI_MCA_osc": "pt2pt"} if mpi.id == "openmpi4" else {}
    commands = [f"source {SCRIPT}", f"python start({mpi.has_sessions})", f"python {call}"]
    output = support.gdb_batch(commands, program=program, mpi=mpi, stop=STOP, cwd=cwd, env=env)
    assert "wrong" not in output and "Traceback" not in output, output
    assert "\ndone" in "\n" + output, output
    return output


@support.on_mpi("mpich4", "openmpi4")
def test_every_table(mpi: support.MPI, tmp_path: Path) -> None:
    kinds = 11 if mpi.has_sessions else 10
    assert f"done {13 * kinds}\n" in check(mpi, "each_table()", tmp_path)


@support.on_mpi("mpich4", "openmpi4")
def test_the_root(mpi: support.MPI, tmp_path: Path) -> None:
    check(mpi, "each_root()", tmp_path)


@support.on_mpi("mpich4", "openmpi4")
def test_the_checks(mpi: support.MPI, tmp_path: Path) -> None:
    output = check(mpi, "each_check()", tmp_path)
    assert output.count("not everything was checked: ") == 1
    assert "\nnot everything was checked: cannot read 64 bytes at 0x10" in output
    last = r"^\d+ findings in 1 process, 0 active calls, 2 pending requests$"
    assert re.search(last, output, re.MULTILINE), output
    assert "warning: 1 error handler is not freed" in output


@pytest.mark.parametrize("seed", [1, *support.repeated(2)])
@support.on_mpi("mpich4", "openmpi4")
def test_random_damage(mpi: support.MPI, seed: int, tmp_path: Path) -> None:
    check(mpi, f"fuzz({some(100)}, {seed})", tmp_path)
