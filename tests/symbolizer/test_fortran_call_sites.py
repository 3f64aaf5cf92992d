# SPDX-License-Identifier: MIT
"""Places of Fortran calls are in the program, not in the Fortran layer of an MPI library."""

from __future__ import annotations

import re

from tests.support import MPI, every_fortran
from tests.watcher import runs

SOURCE = runs.program_source("places.f90")


def lines(*marks: str) -> list[str]:
    """The program's lines that end with these marks, in the form of reports."""
    text = SOURCE.read_text().splitlines()
    at = (next(i for i, line in enumerate(text, 1) if line.endswith(f"! {m}")) for m in marks)
    return [f"{SOURCE.name}:{number}" for number in at]


@every_fortran
def test_of_buffers_that_are_used_too_early_and_by_two_threads(mpi: MPI) -> None:
    program = runs.program(SOURCE.name, mpi, "-fopenmp")
    run = runs.run(mpi, [program], "--check=overlap,buffers")
    places = {
        block.split("\n")[0].partition(",")[0]: re.findall(r"\n    (?:called )?at (\S+) in", block)
        for block in run.blocks
    }
    used, got, one, other = lines("used", "got", "one", "other")
    assert places["error: a load from the buffer of a pending MPI_Get"][:2] == [used, got]
    both = "error: MPI_Recv and MPI_Sendrecv write the same memory"
    assert places[both] == [other, one]
