# SPDX-License-Identifier: MIT
"""The place of a call in programs without symbols or debug information."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests import support
from tests.ranks import ranks, until_inside

WAITS = support.program_source("gdb", "waits.c")


@support.on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("pie", ["-pie", "-no-pie"])
def test_stripped(mpi: support.MPI, pie: str, tmp_path: Path) -> None:
    program = support.compile_program(WAITS, mpi, ["-O0", "-g", "-fPIE", pie])
    stripped = tmp_path / "program"
    subprocess.run([support.need("strip"), "-o", stripped, program], check=True)
    core = tmp_path / "core"
    with ranks(stripped, mpi) as pids:
        until_inside("MPI_Recv", pids[0])
        live = support.gdb_batch(["mpipp list calls", f"gcore {core}"], mpi=mpi, pid=pids[0])
    dead = support.gdb_batch(["mpipp list calls"], program=stripped, core=core)
    found = re.match(r"thread 1 in MPI_Recv, called at program\+(0x[0-9a-f]+)\n", live)
    assert found, live
    assert dead.startswith(found[0]), dead
    # The same place in the program before it was stripped.
    start = 0 if pie == "-pie" else 0x400000
    place = f"info line *{int(found[1], 16) - 1 + start:#x}"
    assert "exchange.h" in support.gdb_batch([place], program=program)
