# SPDX-License-Identifier: MIT
"""The line, the callers and the variables of a process that a signal kills, or that exits."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support import MPI, on_mpi
from tests.watcher import runs

# Addresses differ between runs.
_ADDRESS = re.compile(r"0x[0-9a-f]{3,}")
_ENDS = re.compile(r"error: (a process has|2 processes have) (died|ended)")
BESIDE = """\
  rank 1: not in MPI; its last call was MPI_Barrier
    called at crashes.c:64 in main
    1 pending request: MPI_Irecv, called at crashes.c:63 in main
    meanwhile rank 0: MPI_Barrier, called at crashes.c:69 in main
"""
LOAD = (
    """\
error: a process has died, by SIGSEGV
  rank 1: reads unmapped address 0x0
    died at crashes.c:21 in sum
    from crashes.c:46 in end
    from crashes.c:65 in main
    sum: cell = 0x, count = 3, found = 0, i = 0
"""
    + BESIDE
)
ALL = """\
error: 2 processes have died, by SIGSEGV
  rank 0: reads unmapped address 0x0
    died at crashes.c:21 in sum
    from crashes.c:47 in end
    from crashes.c:65 in main
    sum: cell = 0x, count = 3, found = 0, i = 0
    rank 1 died there, too
  rank 0: not in MPI; its last call was MPI_Barrier
    called at crashes.c:64 in main
    1 pending request: MPI_Irecv, called at crashes.c:63 in main
"""
VALUES = (
    'end: how = 0x "{how}", rank = 1, name = 0x "grid", cell = {{id = 7, values = 0x0}}, '
    "parts = 0, call = 0x0"
)
OTHERS = {
    "divide": ("SIGFPE", "divides an integer by zero", 48),
    "assert": ("SIGABRT", "calls abort", 49),
    "call": ("SIGSEGV", "calls unmapped address 0x0", 50),
}
EXIT = (
    """\
error: a process has ended without MPI_Finalize
  rank 1: calls exit
    called at crashes.c:52 in end
    from crashes.c:65 in main
    {values}
"""
    + BESIDE
)


def block_of(mpi: MPI, program: Path, how: str = "", *options: str) -> str:
    """The finding about the death, without its rule and addresses."""
    found = runs.run(mpi, [program, how] if how else [program], *options)
    block = next(one for one in found.blocks if _ENDS.match(one))
    assert found.status != 0
    return _ADDRESS.sub("0x", block.split("  rule: ")[0])


@on_mpi("mpich4", "openmpi4")
def test_a_signal(mpi: MPI) -> None:
    program = runs.program("crashes.c", mpi)
    assert block_of(mpi, program, "load") == LOAD
    assert block_of(mpi, program, "all") == ALL
    for how, (signal, cause, line) in OTHERS.items():
        values = VALUES.format(how=how)
        assert block_of(mpi, program, how) == (
            f"error: a process has died, by {signal}\n  rank 1: {cause}\n"
            f"    died at crashes.c:{line} in end\n    from crashes.c:65 in main\n"
            f"    {values}\n{BESIDE}"
        )
    assert "\n  rank 1: overflows its stack, at address 0x\n" in block_of(mpi, program, "deep")


@on_mpi("mpich4", "openmpi4")
def test_an_exit(mpi: MPI) -> None:
    program = runs.program("crashes.c", mpi)
    values = VALUES.format(how="exit")
    assert block_of(mpi, program, "exit") == EXIT.format(values=values)


@on_mpi("mpich4")
def test_a_callback_of_mpi(mpi: MPI) -> None:
    block = block_of(mpi, runs.program("crashes.c", mpi), "op")
    assert re.match(
        "error: 2 processes have died inside MPI, by SIGSEGV\n"
        "  rank 0: reads unmapped address 0x0\n"
        r"    died at crashes\.c:37 in combine\n"
        "    combine: in = 0x, inout = 0x, length = 0x, type = 0x, to = 0x0, i = 0\n"
        "    rank 1 died there, too\n"
        r"  rank 0: MPI_Reduce_local\(",
        block,
    ), block


@on_mpi("mpich4")
def test_nothing_is_read_if_that_is_not_wanted(mpi: MPI) -> None:
    block = block_of(mpi, runs.program("crashes.c", mpi), "load", "--no-backtrace")
    assert block == f"error: a process has died, {runs.how('by SIGSEGV')}\n{BESIDE}"


@on_mpi("mpich4", "openmpi4")
def test_fortran(mpi: MPI) -> None:
    """The Fortran library has handlers of its own, which run after mpipp's."""
    program = runs.program("crashes.f90", mpi)
    found = block_of(mpi, program)
    # Without an array descriptor, the first element may be at any address.
    assert found.startswith("error: a process has died, by SIGSEGV\n  rank 1: ")
    assert "    died at crashes.f90:12 in relax\n    from crashes.f90:27 in crashes\n" in found
    assert "    relax: u = not allocated, n = 10, factor = 0.5, i = 1\n" in found
    stopped = block_of(mpi, program, "stop")
    assert stopped.startswith(
        "error: a process has ended without MPI_Finalize\n"
        "  rank 1: calls exit\n"
        "    called at crashes.f90:26 in crashes\n"
    )


@on_mpi("mpich4", "openmpi4")
def test_an_exception_in_cxx(mpi: MPI) -> None:
    found = block_of(mpi, runs.program("crashes.cc", mpi))
    assert found.startswith(
        "error: a process has died, by SIGABRT\n  rank 1: calls abort\n    died at "
    )
    assert "crashes.cc:9 in limit\n    from crashes.cc:17 in main\n" in found


@on_mpi("mpich4", "openmpi4")
def test_python(mpi: MPI) -> None:
    found = runs.run(mpi, [mpi.python, runs.program_source("crashes.py")])
    (block,) = (one for one in found.blocks if "SIGSEGV" in one)
    assert block.startswith(
        "error: a process has died, by SIGSEGV\n"
        "  rank 1: writes to unmapped address 0x10\n"
        "    died at crashes.py:11 in store\n"
        "    from crashes.py:17 in main\n"
        "    from crashes.py:21 in <module>\n"
    )
