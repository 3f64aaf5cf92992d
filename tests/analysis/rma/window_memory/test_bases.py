# SPDX-License-Identifier: MIT
"""Windows begin at the program's address, even if MPI moves their start."""

from __future__ import annotations

from pathlib import Path

from tests.support import MPI, every_mpi, program_source
from tests.watcher import runs

BESIDE = (
    "mpipp: not checked: memory beside 2 windows: this MPI library moves windows by up to {} "
    "bytes; use sizes and addresses that are multiples of 16"
)


@every_mpi
def test_a_store_before_the_window(mpi: MPI, tmp_path: Path) -> None:
    program = runs.compiled(program_source("analysis/rma", "bases.c"), mpi, tmp_path)
    done = runs.said(mpi, [program], "--check=rma")
    assert (done.returncode, runs.read(done).blocks) == (0, [])
    before = int(done.stdout)
    told = [line for line in done.stderr.splitlines() if runs.BESIDE in line]
    assert told == ([BESIDE.format(before)] if before else [])
    if before:  # with these arguments, no windows are checked
        assert runs.BESIDE not in runs.said(mpi, [program], "--check=messages").stderr
