# SPDX-License-Identifier: MIT
"""Loads and stores of windows in the program's own memory, in unmodified programs."""

from __future__ import annotations

import re

import pytest

from tests.support import MPI, compile_program, on_mpi, program_source
from tests.watcher import runs

SOURCE = program_source("analysis/rma", "own_memory.c")
# No limit, because the machine may be busy: windows are created and freed with little other work.
LOOKS = ("--check=rma", "--rma-loads", "--budget", "1000000")
HEADLINE = "error: MPI_Put and a load write and read the same memory: data race"
# The finding about memory that the case "given" passes to a window. It occurs twice.
LENT = "error: memory of a window ceases to exist before the window is freed"
SOME_CHECKED = (
    "mpipp: not checked: loads and stores of N of N pages of windows, and accesses to the other "
    "pages after the first load and store between two calls"
)
NOT_CHECKED = "mpipp: not checked: loads and stores of N pages of windows"
LOOKED_AT = ("static", "block", "several", "forks", "buffers", "outlives", "threads")
LEFT_ALONE = ("heap", "stack", "mapped", "messages")
REST = ("given", "again", "second")


def run(mpi: MPI, *words: str) -> tuple[runs.Run, list[str]]:
    """The run, and its last lines without numbers of pages."""
    program = compile_program(SOURCE, mpi, ("-g", "-O1", "-pthread"))
    done = runs.run(mpi, [program, *words], *LOOKS)
    assert (done.status, done.output) == (0, "done\n")
    return done, [re.sub(r"\bof [1-9][\d,]*", "of N", one) for one in done.last]


@on_mpi("mpich4", "mpich5", "openmpi4", "openmpi5")
def test_what_is_ordered_stays_as_it_is(mpi: MPI) -> None:
    cases = [*LOOKED_AT, *LEFT_ALONE, *REST]
    if mpi.id != "mpich4":  # MPICH 4 mistakes one window for the other
        cases.append("overlap")
    done, last = run(mpi, *cases)
    assert [block.splitlines()[0] for block in done.blocks] == [LENT, LENT]
    assert last[0] == SOME_CHECKED
    assert re.match(r"mpipp: 2 errors in 2 processes \([\d,]+ MPI calls checked\)", last[1])
    assert len(last) == 2


@on_mpi("mpich4", "mpich5", "openmpi4", "openmpi5")
def test_a_load_is_found(mpi: MPI) -> None:
    for case in LOOKED_AT[:2]:
        found(mpi, case)


@pytest.mark.thorough
@pytest.mark.parametrize("case", [*LOOKED_AT[2:], "given", "again", "overlap"])
@on_mpi("mpich4", "openmpi4")
def test_a_load_is_found_whatever_else_is_done(mpi: MPI, case: str) -> None:
    if (mpi.id, case) != ("mpich4", "overlap"):
        found(mpi, case)


def found(mpi: MPI, case: str) -> None:
    """Check that one load of rank 1 conflicts, and is reported with its line and byte."""
    done, _ = run(mpi, case, "wrong")
    (block,) = (one for one in done.blocks if not one.startswith(LENT))
    assert len(done.blocks) == (3 if case == "given" else 1)
    assert block.splitlines()[0] == HEADLINE
    place = (
        r"\n  rank 1: a load\n    at own_memory\.c:\d+ in sum(?: \(inlined\)\n    from .*)*\n"
        r"    reads .*, byte 8224 of the window\n"
    )
    assert re.search(place, block), block


@on_mpi("mpich4", "openmpi5")
def test_other_memory_is_left_alone_and_counted(mpi: MPI) -> None:
    done, last = run(mpi, *(word for case in LEFT_ALONE for word in (case, "wrong")))
    assert (done.blocks, last[0]) == ([], NOT_CHECKED)


@on_mpi("mpich4")
def test_without_a_file_the_program_goes_on(mpi: MPI) -> None:
    done, last = run(mpi, "limited", "wrong")
    assert (done.blocks, last[0]) == ([], NOT_CHECKED)


@on_mpi("mpich4", "openmpi4")
def test_fortran_is_told_its_own_address(mpi: MPI) -> None:
    program = compile_program(SOURCE.with_suffix(".f90"), mpi, ("-g",))
    done = runs.run(mpi, [program], *LOOKS)
    assert (done.status, done.output, done.blocks) == (0, "", [])
    assert re.sub(r"\bof [1-9][\d,]*", "of N", done.last[0]) == SOME_CHECKED
