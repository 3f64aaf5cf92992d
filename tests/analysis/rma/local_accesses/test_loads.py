# SPDX-License-Identifier: MIT
"""Loads and stores of windows in unmodified programs, detected by the pages of the windows."""

from __future__ import annotations

import re

from tests.support import MPI, compile_program, on_mpi, program_source
from tests.watcher import runs

SOURCE = program_source("analysis/rma", "loads.c")
LOOKS = ("--check=rma", "--rma-loads", "--budget", runs.ALL)
GET = "MPI_Get and a store read and write the same memory"
FOUND = [  # the second party is rank 1: its place, and the first byte in the window
    ("MPI_Put and a load write and read the same memory", "a load", "sum", 8224),
    (GET, "a store", "set", 16568),
    (GET, "a store", "copies", 20480),
    (GET, "a store", "receives", 4144),
]
NOT_CHECKED = (
    "mpipp: not checked: loads and stores of N of N pages of windows, and accesses to the other "
    "pages after the first load and store between two calls"
)


def told(block: str) -> tuple[str, str, str, int]:
    headline = block.splitlines()[0].removeprefix("error: ").partition(":")[0]
    side = re.search(
        r"\n  rank 1: (a \w+)\n    at loads\.c:\d+ in (\w+)(?: \(inlined\))?\n"
        r"(?:    from .*\n)*.*byte (\d+)",
        block,
    )
    assert side, block
    return headline, side[1], side[2], int(side[3])


@on_mpi("mpich4", "mpich5", "openmpi4", "openmpi5")
def test_loads_and_stores_are_found_in_a_program_as_it_is(mpi: MPI) -> None:
    program = compile_program(SOURCE, mpi, ("-g", "-O1", "-pthread"))
    wrong = runs.run(mpi, [program], *LOOKS)
    assert wrong.status == 0
    assert [told(block) for block in wrong.blocks] == FOUND
    right = runs.run(mpi, [program, "right"], *LOOKS)
    assert (right.status, right.output, right.blocks) == (0, "110557\n", [])
    last = [re.sub(r"\d[\d,]* of \d[\d,]* pages", "N of N pages", one) for one in right.last]
    asked, _, rest = last.pop().partition(" MPI calls checked)")
    assert "looked at" not in rest
    assert (last, asked) == ([NOT_CHECKED], "mpipp: no errors in 2 processes (149")


@on_mpi("mpich4", "openmpi4")
def test_places_are_the_program_s_own_in_a_process_with_threads(mpi: MPI) -> None:
    program = compile_program(SOURCE, mpi, ("-g", "-O1", "-pthread"))
    wrong = runs.run(mpi, [program], *LOOKS, BEGIN_WITH_THREAD="1")
    assert [told(block) for block in wrong.blocks] == FOUND


@on_mpi("mpich4")
def test_without_time_no_page_is_looked_at(mpi: MPI) -> None:
    program = compile_program(SOURCE, mpi, ("-g", "-O1", "-pthread"))
    run = runs.run(mpi, [program], "--check=rma", "--rma-loads", "--budget", "0")
    assert run.status == 0
    assert [told(block) for block in run.blocks] == FOUND[-1:]  # a system call is reported, too
    assert run.last[0] == "mpipp: not checked: loads and stores of 270 pages of windows"
