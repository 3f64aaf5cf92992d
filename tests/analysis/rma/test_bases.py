# SPDX-License-Identifier: MIT
"""Windows are where the program has them, also where MPI takes them to begin elsewhere."""

from __future__ import annotations

from pathlib import Path

from tests.support import MPI, every_mpi
from tests.watcher import runs

PROGRAMS = Path(__file__).resolve().parent / "programs"
BESIDE = (
    "mpipp: not checked: what lies beside 2 windows: this MPI library takes them to begin up to {} "
    "bytes from the program's memory, and operations on windows access that; sizes and "
    "addresses that are multiples of 16 avoid it"
)


@every_mpi
def test_a_store_before_the_window(mpi: MPI, tmp_path: Path) -> None:
    program = runs.compiled(PROGRAMS / "bases.c", mpi, tmp_path)
    done = runs.said(mpi, [program], "--check=rma")
    assert (done.returncode, runs.read(done).blocks) == (0, [])
    before = int(done.stdout)
    told = [line for line in done.stderr.splitlines() if runs.BESIDE in line]
    assert told == ([BESIDE.format(before)] if before else [])
    if before:  # nothing of windows is checked
        assert runs.BESIDE not in runs.said(mpi, [program], "--check=messages").stderr
