# SPDX-License-Identifier: MIT
"""Buffers against variables of optimized functions, by the debug information of two compilers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support import MPI, every_fortran, need, on_mpi
from tests.watcher import runs

_CALL = re.compile(r"called at optimized\.c:(\d+)")
# Variables that the debug information gives no location.
_UNKNOWN = {"-O2 clang": ["&block"], "-O2 gcc": ["&total"]}


def lines(mpi: MPI, flag: str, compiler: str, *arguments: str) -> list[int]:
    """The lines of the findings of a run."""
    source = runs.program_source("optimized.c")
    build = f"-cc={compiler}" if mpi.id.startswith("mpich") else ""
    program = runs.program(source.name, mpi, flag, *filter(None, [build]))
    run = runs.run(mpi, [program, *arguments], "--check", n=1)
    return [int(found) for block in run.blocks for found in _CALL.findall(block)[:1]]


@on_mpi("mpich4")
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("flag", ["-O0", "-O2"])
def test_each_marked_line(mpi: MPI, flag: str, compiler: str) -> None:
    need(compiler)
    unknown = _UNKNOWN.get(f"{flag} {compiler}", [])
    text = runs.program_source("optimized.c").read_text().splitlines()
    wrong = [
        number
        for number, line in enumerate(text, 1)
        if line.endswith("// wrong") and not any(one in line for one in unknown)
    ]
    assert lines(mpi, flag, compiler) == wrong
    assert lines(mpi, flag, compiler, "fixed") == []


@every_fortran
def test_names_of_inlined_procedures(mpi: MPI, tmp_path: Path) -> None:
    program = runs.program("inlined.f90", mpi, "-O2", "-fallow-argument-mismatch")
    assert runs.run(mpi, [program, str(tmp_path / "data")], "--check", n=1).blocks == []
