# SPDX-License-Identifier: MIT
"""`mpipp stacks` prints the stacks of a running job, which then continues."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from mpipp.cli.main import main
from mpipp.toolchain import running_jobs
from tests import support
from tests.gdb import expectations
from tests.gdb.processes.test_all_ranks import FORTRAN, PYTHON, WHERE, WHERE_FORTRAN, WHERE_PYTHON
from tests.ranks import ranks, until_inside

PROGRAM = expectations.PROGRAMS / "look.c"
STOPPED = r"no process was stopped for more than \d+ ms\n"


def launcher(pid: int) -> str:
    """The id of a process's launcher, by which users name a job."""
    (job,) = (job for job in running_jobs.jobs() if pid in (one.pid for one in job.processes))
    return str(job.launcher)


def said(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> str:
    assert main(["stacks", *words]) == status
    output, errors = capsys.readouterr()
    return output + errors


@support.on_mpi("mpich4", "openmpi4")
def test_a_running_job(
    mpi: support.MPI, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ranks(support.compile_program(PROGRAM, mpi), mpi, n=4) as pids:
        until_inside("MPI_Barrier", pids[0], pids[1])
        until_inside("MPI_Wait", pids[2])
        job = launcher(pids[0])
        assert re.fullmatch(re.escape(WHERE) + STOPPED, said(capsys, job))
        found = said(capsys, job, "--json")
        picture = tmp_path / "stacks.svg"
        assert said(capsys, job, "--svg", str(picture)) == f"written to {picture}\n"
        assert picture.read_text().startswith("<svg")
        # No process is traced any more, and all are in the same state as before.
        states = [Path(f"/proc/{pid}/status").read_text() for pid in pids.values()]
        assert all("TracerPid:\t0\n" in state for state in states)
        assert not any(re.search(r"State:\s+[tT]", state) for state in states)
    assert json.loads(found)["stacks"]["ranks"] == "0-3"
    files = [tmp_path / "a.json", tmp_path / "b.json"]
    for file in files:  # the files look as if they came from two nodes
        file.write_text(found)
    merged = said(capsys, "--merge", *map(str, files))
    assert re.fullmatch(re.escape(WHERE) + STOPPED, merged)


PRINTED = {
    "size": "ranks 0 to 3: size = 4\n",
    "particle": """\
rank 0: particle = {rank = 0, mass = 1.5}
rank 1: particle = {rank = 1, mass = 1.5}
rank 2: particle = {rank = 2, mass = 1.5}
rank 3: particle = {rank = 3, mass = 1.5}
""",
    "particle.mass": "ranks 0 to 3: particle.mass = 1.5\n",
    "field[1][2]": """\
ranks 0, 1 and 3: field[1][2] = 6
rank 2: field[1][2] = 9
min 6 (ranks 0, 1 and 3), max 9 (rank 2), mean 6.75
""",
    "field": """\
ranks 0, 1 and 3: field = {{1, 2, 3}, {4, 5, 6}}
rank 2: field = {{1, 2, 3}, {4, 5, 9}}
rank 2 differs from ranks 0, 1 and 3 in 1 of 6 elements: [1][2] 9 instead of 6
min 1 (ranks 0, 1 and 3, [0][0]), max 9 (rank 2, [1][2]), mean 3.625
""",
    "field[0]": """\
ranks 0 to 3: field[0] = {1, 2, 3}
min 1 (ranks 0 to 3, [0]), max 3 (ranks 0 to 3, [2]), mean 2
""",
    "*row": "ranks 0 to 3: *row = 4\n",
    "row[-1]": "ranks 0 to 3: row[-1] = 3\n",
    "residual": """\
ranks 0, 1 and 3: residual = 0.25
rank 2: residual = nan
min 0.25 (ranks 0, 1 and 3), max 0.25 (ranks 0, 1 and 3), mean 0.25
not finite: nan (rank 2)
""",
}
NOT_PRINTED = {
    "none": "no function on the stack, and no source file of theirs, has none",
    "field[2]": "the index 2 of field is not from 0 to 1",
    "field[0][0][0]": "field[0][0] is not an array",
    "particle.x": "particle has no member x",
    "size.x": "size has no members",
    "*size": "size is not a pointer",
    "size + 1": (
        "size + 1 is not a variable or a part of one, as field[1][2], p->x, *p or u(3): "
        "mpipp print in gdb evaluates other expressions"
    ),
}
WHY = """\
still moving: every wait can still be satisfied
  ranks 0 and 1 wait in MPI_Barrier, called at look.c:36 in exchange
    for rank 3
  rank 2 waits in MPI_Wait, called at look.c:34 in exchange
    for rank 3
  rank 3 is not in MPI (in pause in libc.so.6, called at look.c:15 in compute)
"""


@support.on_mpi("mpich4", "openmpi4")
def test_values_and_waits(
    mpi: support.MPI, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ranks(support.compile_program(PROGRAM, mpi), mpi, n=4) as pids:
        until_inside("MPI_Barrier", pids[0], pids[1])
        until_inside("MPI_Wait", pids[2])
        job = launcher(pids[0])
        for expression, expected in PRINTED.items():
            found = said(capsys, job, "--print", expression)
            assert re.fullmatch(re.escape(expected) + STOPPED, found)
        for expression, sentence in NOT_PRINTED.items():
            found = said(capsys, job, "--print", expression, status=2)
            assert found == f"mpipp: {sentence}\n"
        document = json.loads(said(capsys, job, "--print", "rank", "--json"))
        assert said(capsys, job, "--why").replace("libpthread.so.0", "libc.so.6") == WHY
        waits = json.loads(said(capsys, job, "--why", "--json"))
        picture = tmp_path / "why.svg"
        said(capsys, job, "--why", "--svg", str(picture))
    assert [one["text"] for one in document["values"]] == ["0", "1", "2", "3"]
    assert document["functions"] == dict.fromkeys("0123", "exchange")
    assert [one["state"] for one in waits["jobs"][0]["processes"]] == [
        *["waits", "waits", "waits", "computes"]
    ]
    assert picture.read_text().startswith("<svg")


MOVING = """\
import os
from mpi4py import MPI
comm = MPI.COMM_WORLD
pair = comm.Split(comm.rank // 2)
print(comm.rank, os.getpid(), flush=True)
if comm.rank < 2:
    pair.recv(source=1 - pair.rank)
while True:
    pair.barrier()
"""


@pytest.mark.thorough
@support.on_mpi("mpich4", "openmpi4")
def test_waits_of_ranks_beside_others_that_move(
    mpi: support.MPI, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "moving.py"
    script.write_text(MOVING)
    with ranks(Path(mpi.python), mpi, str(script), n=4) as pids:
        until_inside("MPI_Mprobe", pids[0], pids[1])
        found = said(capsys, launcher(pids[0]), "--why")
    assert found.startswith("deadlock: rank 0 and rank 1 wait for each other\n")
    assert "incomplete: ranks 2 and 3 are missing\n" in found
    moved = "not explained: ranks 2 and 3 made MPI calls while mpipp read the records\n"
    assert found.endswith(moved)


@support.on_mpi("mpich4", "openmpi4")
def test_python(mpi: support.MPI, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "look.py"
    script.write_text(PYTHON)
    with ranks(Path(mpi.python), mpi, str(script)) as pids:
        until_inside("MPI_Barrier", pids[1])
        until_inside("MPI_Mprobe", pids[0])
        found = said(capsys, launcher(pids[0]))
    assert re.fullmatch(re.escape(WHERE_PYTHON) + STOPPED, found)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["4", "--merge", "a"],
            "--merge reads stacks from files: leave out JOB and --print",
        ),
        (
            ["--why", "--merge", "a"],
            "--merge cannot explain waits, because the processes may have moved between the files: "
            "mpipp stacks --why reads all nodes",
        ),
        (["--print", "a", "--svg", "a"], "--svg draws stacks, or the waits of --why: leave it out"),
        (["--status", "--json"], "--json contains all states: leave out --status"),
        (["--merge", "/none/a"], "cannot read /none/a: No such file or directory"),
        (["--merge", "/dev/null"], "/dev/null is not from mpipp stacks --json"),
        (["/"], "no running job on this machine has the run's directory /"),
    ],
)
def test_wrong_input(words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, *words, status=2) == f"mpipp: {sentence}\n"


PRINTED_FORTRAN = {
    "field": """\
rank 0: field = ((1, 2), (3, 4), (5, 6))
rank 1: field = ((1, 2), (3, 9), (5, 6))
rank 1 differs from rank 0 in 1 of 6 elements: (2,1) 9 instead of 4
min 1 (rank 0, (1,0)), max 9 (rank 1, (2,1)), mean 3.91666666667
""",
    "Field(2, 1)": """\
rank 0: Field(2, 1) = 4
rank 1: Field(2, 1) = 9
min 4 (rank 0), max 9 (rank 1), mean 6.5
""",
    "rank": """\
rank 0: rank = 0
rank 1: rank = 1
min 0 (rank 0), max 1 (rank 1), mean 0.5
""",
}


@support.on_mpi("mpich4", "openmpi4")
def test_fortran(mpi: support.MPI, capsys: pytest.CaptureFixture[str]) -> None:
    with ranks(support.compile_program(FORTRAN, mpi), mpi) as pids:
        until_inside("MPI_Recv", pids[0])
        until_inside("MPI_Barrier", pids[1])
        job = launcher(pids[0])
        found = said(capsys, job)
        for expression, expected in PRINTED_FORTRAN.items():
            assert re.fullmatch(
                re.escape(expected) + STOPPED, said(capsys, job, "--print", expression)
            )
    assert re.fullmatch(re.escape(WHERE_FORTRAN.replace("look::", "")) + STOPPED, found)
