# SPDX-License-Identifier: MIT
"""The wrapper gets no memory: the program is not disturbed, and the debugger reports
missing data."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import support
from tests.faults import faults

FEW = support.on_mpi("mpich4", "openmpi4")
SAID = re.compile(r"of \d+ requests failed (\d+) malloc and (\d+) mmap, dropped (\d+)")


@FEW
@pytest.mark.parametrize("every", [1, 5])
def test_the_program_goes_on(mpi: support.MPI, every: int, tmp_path: Path) -> None:
    expected = faults.families_says(mpi.id, tmp_path)
    program = faults.program("families.c", mpi)
    injector = faults.library("no_memory.c", mpi)
    for after in (0, 3, 7, 20, 60, 150, 250, 350, 445, 459):
        env = {"FAIL_AFTER": str(after), "FAIL_EVERY": str(every)}
        done = faults.run([program, tmp_path], mpi, injector, mpi.wrapper, env=env)
        assert done.returncode == 3, (env, done.stderr)
        assert done.stdout == expected, env
        said = SAID.search(done.stderr)
        assert said, done.stderr
        malloc, mmap, dropped = map(int, said.groups())
        assert malloc + mmap > 0, f"nothing failed with {env}"
        # The wrapper may work for a while without a larger hash table.
        assert dropped > 0 or malloc == 0, f"{malloc} failed and nothing was dropped with {env}"


@FEW
@pytest.mark.parametrize("after", [0, 50, 100])
def test_the_debugger_says_so(mpi: support.MPI, after: int) -> None:
    program = faults.program("families.c", mpi)
    injector = faults.library("no_memory.c", mpi)
    preload = f"'LD_PRELOAD={injector} {mpi.wrapper}' FAIL_AFTER={after} FAIL_EVERY=3"
    stop = [f"set exec-wrapper env {preload}", "break about", "ignore 1 11", "run", "up"]
    look = ["output t", "echo \\n", "mpipp list types --all --limit 0", "mpipp info"]
    output = support.gdb_batch(look, program=program, mpi=mpi, stop=stop)
    assert re.search(
        r"^dropped   \d+ records, for lack of memory: some objects are unknown$", output, re.M
    ), output
    assert "Traceback" not in output and "Python" not in output, output
    # At least one line for every type.
    assert output.count("kind = ") + output.count("<") >= 12, output
