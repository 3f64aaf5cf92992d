# SPDX-License-Identifier: MIT
"""Random one-sided programs in C, some with the separate memory model.

A run with --check=rma must report their conflicts.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.analysis.rma import onesided_sources as written
from tests.support import MPI, compile_program
from tests.watcher import runs

PROGRAMS = 100  # seeds of a run; half of them are left out, because their programs have flags


def run(mpi: MPI, first: int) -> list[str]:
    """The errors in the analysis of the programs of some seeds."""
    assert mpi.wrapper
    wrong = []
    for separate in (False, True):
        made = written.write(range(first, first + PROGRAMS), loads=False, separate=separate)
        with tempfile.TemporaryDirectory() as directory:
            program = compile_program(written.put(made, Path(directory)), mpi)
            options = ["--rma-model=separate"] if separate else []
            ran = runs.run(
                mpi, [program], "--check=rma-conflict,rma-epoch", *options, n=written.RANKS
            )
        compared = written.compare(made, ran.blocks)
        wrong += [f"one-sided in C, false: {one}" for one in compared.false]
        if len(ran.last) == 1:  # nothing is undecided
            wrong += [f"one-sided in C, missing: {one}" for one in compared.missing]
        if ran.status:
            wrong.append(f"one-sided in C, seeds from {first} on: ended with {ran.status}")
    return wrong
