# SPDX-License-Identifier: MIT
"""A receive into the program's constants is reported before it happens; correct calls are not."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests import support
from tests.support import MPI
from tests.watcher import runs

WRONG = ("literal", "bcast", "get", "relocated", "reduced", "shares", "again", "parts")
RIGHT = ("protected", "nothing")
STANDARDS = {"mpich4": "MPI-4.0, section 5.1.12", "openmpi4": "MPI-3.1, section 4.1.12"}
COMM = 'comm = "MPI_COMM_WORLD"'
WIN = (
    "{base = ADDRESS, size = 16, disp_unit = 4, flavor = CREATE, model = UNIFIED, "
    f"{COMM}, epochs = {{fence}}}}"
)
STOPPED = {
    "literal": (
        "error: MPI_Recv writes to buf in read-only memory at ADDRESS",
        f"  rank 0: MPI_Recv(source = 1, tag = 0, {COMM}, buf = ADDRESS (7 MPI_CHAR))",
        "    called at constants.c:27 in received",
        "    writes buf(CHAR)",
    ),
    "bcast": (
        "error: MPI_Bcast writes to buffer in read-only memory at ADDRESS",
        f"  rank 1: MPI_Bcast(root = 0, {COMM}, buffer = ADDRESS (4 MPI_INT))",
        "    called at constants.c:40 in bcast",
        "    writes buffer(INT)",
    ),
    "get": (
        "error: MPI_Get writes to origin_addr in read-only memory at ADDRESS",
        f"  rank 0: MPI_Get(target_rank = 1, win = {WIN}, origin_addr = ADDRESS (4 MPI_INT), "
        "target_disp = 0 (4 MPI_INT))",
        "    called at constants.c:49 in get",
        "    writes origin_addr(INT)",
    ),
}


def program(mpi: MPI) -> Path:
    return runs.program("constants.c", mpi)


@support.on_mpi("mpich4", "openmpi4")
def test_mpi_does_not_see_such_a_call(mpi: MPI) -> None:
    """With `--on-error handler` the call returns an error, and MPI does not get it."""
    found = runs.run(mpi, [program(mpi), "all"], "--on-error", "handler")
    told = [*(f"{name}: buffer\n" for name in WRONG), *(f"{name}: fine\n" for name in RIGHT)]
    assert (found.status, found.output) == (0, "".join(told))
    what = sorted(re.sub(" at 0x[0-9a-f]+$", "", block.split("\n")[0]) for block in found.blocks)
    written = {
        "MPI_Allgatherv": "recvbuf",
        "MPI_Allreduce": "recvbuf",
        "MPI_Bcast": "buffer",
        "MPI_Get": "origin_addr",
        "MPI_Irecv": "buf",
        "MPI_Recv": "buf",
        "MPI_Sendrecv": "recvbuf",
    }
    assert what == [
        f"error: {call} writes to {buffer} in read-only memory" for call, buffer in written.items()
    ]


@support.on_mpi("mpich4", "openmpi4", "mpich5", "openmpi5")
def test_what_is_right_is_not_told(mpi: MPI) -> None:
    """Correct are sends of constants, and receives into memory that is still writable."""
    found = runs.run(mpi, [program(mpi), "all", "right"], "--check=memory")
    assert (found.status, found.blocks) == (0, [])
    assert found.output == "".join(f"{name}: fine\n" for name in (*WRONG, *RIGHT))
    assert re.fullmatch(r"mpipp: no errors in 2 processes \(.*", runs.only(found.last))


@support.on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("how", STOPPED)
def test_a_process_stops_before_it_is_written(mpi: MPI, how: str) -> None:
    known = {name: mpi.env[name] for name in ("LD_LIBRARY_PATH",) if name in mpi.env}
    with support.running(
        [sys.executable, "-m", "mpipp.cli", *runs.words(mpi, "--stop"), program(mpi), how],
        env={**support.clean_environment(PYTHONPATH=str(support.ROOT)), **known},
        stderr=subprocess.PIPE,
    ) as run:
        assert run.stderr
        lines = []
        for line in run.stderr:
            told = support.without_points(line.rstrip("\n"))
            lines.append(re.sub("0x[0-9a-f]+", "ADDRESS", told))
            if stops := re.search(r" stops there: mpipp attach (\d+);", line):
                break
        assert stops, lines
        stat = Path(f"/proc/{stops[1]}/stat")
        while stat.read_text().rpartition(")")[2].split()[0] != "T":
            os.sched_yield()
        # The process must not continue: MPI would write to the memory.
        os.kill(int(stops[1]), signal.SIGKILL)
        run.stderr.read()
    assert lines[:-1] == [
        *STOPPED[how],
        f"  rule: {STANDARDS[mpi.id]}: a buffer must lie in mapped memory of the process",
        "  to do: pass writable memory: constants and string literals are read-only",
    ]
