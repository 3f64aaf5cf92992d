# SPDX-License-Identifier: MIT
"""A repeated run stops in the calls of a finding from the run before."""

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

PROGRAM = """\
#include <mpi.h>
int main(int argc, char **argv)
{
    double data[8] = {0};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 6; i++) {
        MPI_Datatype type = i == 3 ? MPI_FLOAT : MPI_DOUBLE;
        if (rank == 0 && WRONG)
            MPI_Send(data, i + 1, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD);
        else if (rank == 0)
            MPI_Send(data, i + 1, type, 1, 5, MPI_COMM_WORLD);
        else
            MPI_Recv(data, 8, type, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
"""


def program(mpi: MPI, wrong: bool) -> Path:
    """The program with its error, or the correct twin."""
    return support.compile_program(PROGRAM, mpi, ("-g", "-O0", "-w", f"-DWRONG={int(wrong)}"))


def stopped(mpi: MPI, at: str, of: Path) -> tuple[list[str], list[str]]:
    """The report for each stopping process, and the output after they continue."""
    known = {name: mpi.env[name] for name in ("LD_LIBRARY_PATH",) if name in mpi.env}
    with support.running(
        [sys.executable, "-m", "mpipp.cli", *runs.words(mpi, "--stop-at", at), of],
        env={**support.clean_environment(PYTHONPATH=str(support.ROOT)), **known},
        stderr=subprocess.PIPE,
    ) as run:
        assert run.stderr
        told, last, before = [], [], ["", ""]
        for line in run.stderr:
            found = re.search(r"(.* stops there): .*kill -CONT (\d+) continues it\n", line)
            last.append(line.rstrip("\n"))
            if found:
                told.append("\n".join([*before, found[1]]))
                last.clear()
                stat = Path(f"/proc/{found[2]}/stat")
                while stat.read_text().rpartition(")")[2].split()[0] != "T":
                    os.sched_yield()
                os.kill(int(found[2]), signal.SIGCONT)
            before = [before[1], line.rstrip("\n")]
        assert run.wait() == 0
    return sorted(told), last


@support.on_mpi("mpich4", "openmpi4")
def test_both_stop_in_the_fourth_message(mpi: MPI, tmp_path: Path) -> None:
    wrong = program(mpi, True)
    found = runs.run(mpi, [wrong], "--report", str(tmp_path))
    assert len(found.blocks) == 1
    told, last = stopped(mpi, f"{tmp_path}:1", wrong)
    told = [re.sub("0x[0-9a-f]+|main[^:]*.c", "...", text) for text in told]
    of = 'tag = 5, comm = "MPI_COMM_WORLD"'
    assert told == [
        f"rank 0: MPI_Send(dest = 1, {of}, buf = ... (4 MPI_DOUBLE))\n"
        "  called at ...:11 in main\n"
        "  rank 0 stops there",
        f"rank 1: MPI_Recv(source = 0, {of}, buf = ... (8 MPI_FLOAT))\n"
        "  called at ...:15 in main\n"
        "  rank 1 stops there",
    ]
    assert last[-1] == "mpipp: 1 error in 2 processes (18 MPI calls checked)"
    # The correct twin makes only one of the calls.
    told, last = stopped(mpi, f"{tmp_path}:1", program(mpi, False))
    assert len(told) == 1
    unmade = "mpipp: not checked: no process stopped at ...:11 in main: "
    assert re.sub("main[^:]*.c", "...", last[-2]) == f"{unmade}the program did not make this call"
    assert last[-1] == "mpipp: no errors in 2 processes (18 MPI calls checked)"


@pytest.mark.thorough
@support.on_mpi("mpich4")
def test_what_is_no_finding(mpi: MPI, tmp_path: Path) -> None:
    runs.run(mpi, [program(mpi, True)], "--report", str(tmp_path))
    for at, why in (
        ("3", "write DIR:NUMBER, which mpipp report DIR prints below each finding"),
        (f"{tmp_path}:2", "the report has 1 finding"),
    ):
        done = support.shell(*runs.words(mpi, "--stop-at", at), program(mpi, True))
        assert (done.returncode, done.stderr) == (2, f"mpipp: --stop-at {at}: {why}\n")
