# SPDX-License-Identifier: MIT
"""`mpipp why` in gdb, on processes and on core files, and in the shell."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tests import support
from tests.analysis.deadlock.observed import PROGRAMS, job

WHY = """\
deadlock: rank 0 and rank 1 wait for each other
  rank 0 waits in MPI_Ssend(dest 1, tag 17), called at hanging.c:25 in tag
    rank 1 has posted no such receive
    near miss, another tag: rank 1 waits for 1 message with tag 71 from rank 0
  rank 1 waits in MPI_Recv(source 0, tag 71), called at hanging.c:26 in tag
    rank 0 has no such send pending
    near miss, another tag: rank 0 sent it 1 message with tag 17

"""
PICTURE = """\
A  rank 0  MPI_Ssend, called at hanging.c:25 in tag  --> B
B  rank 1  MPI_Recv, called at hanging.c:26 in tag   --> A
"""
ALONE = """\
unknown: rank 1 may still continue
  rank 1 waits in MPI_Recv(source 0, tag 71), called at hanging.c:26 in tag
    for rank 0
incomplete: rank 0 is missing
"""
COMPUTING = """\
deadlock: rank 0 and rank 1 wait for each other
  rank 0 waits in MPI_Recv(source 1, tag 5), called at computing.c:13 in main
    rank 1 has no such send pending
  rank 1 waits in MPI_Recv(source 0, tag 5), called at computing.c:13 in main
    rank 0 has no such send pending

the others:
  rank 2 waits in MPI_Recv(source 3, tag 5), called at computing.c:13 in main
    for rank 3
  rank 3 is not in MPI (computing at computing.c:6 in work)
"""
USAGE = "Write mpipp why, with one of --picture, --svg FILE and --json.\n"


@pytest.mark.timeout(600)
@support.on_mpi("mpich4", "openmpi4")
def test_why(mpi: support.MPI, tmp_path: Path) -> None:
    svg = tmp_path / "why.svg"
    cores = [tmp_path / "core.0", tmp_path / "core.1"]
    commands = [
        "mpipp why",
        "mpipp why --picture",
        "mpipp why --json",
        f"mpipp why --svg {svg}",
        "mpipp why --svg /nowhere/why.svg",
        "mpipp why --svg",
        "mpipp why --json --picture",
        "mpipp why rank 1",
    ]
    with job("hanging.c", mpi, "tag", n=2) as hung:
        assert hung.becomes(lambda report: report == WHY.strip()) == WHY.strip()
        printed = support.gdb_batch(
            [
                f"attach {hung.pids[0]}",
                "add-inferior",
                "inferior 2",
                f"attach {hung.pids[1]}",
                *(word for command in commands for word in ("echo @@@\\n", command)),
                "echo @@@\\n",
                f"gcore {cores[1]}",
                "inferior 1",
                f"gcore {cores[0]}",
            ],
            mpi=mpi,
        )
    _, why, picture, document, written, nowhere, *wrong, _ = printed.split("@@@\n")
    assert (why, picture, written) == (WHY, PICTURE, f"written to {svg}\n")
    assert json.loads(document)["jobs"][0]["deadlocks"][0]["circle"] == [0, 1]
    assert ElementTree.parse(svg).getroot().tag.endswith("svg")
    assert nowhere == "Cannot write /nowhere/why.svg: No such file or directory.\n"
    assert wrong == [USAGE] * 3
    of_cores(cores, svg)


def of_cores(cores: list[Path], svg: Path) -> None:
    assert support.shell("why", *cores).stdout == WHY
    assert support.shell("why", cores[1]).stdout == ALONE
    svg.unlink()
    done = support.shell("why", "--svg", svg.name, *cores, cwd=svg.parent)
    assert (done.stdout, done.returncode) == (f"written to {svg}\n", 0)
    assert ElementTree.parse(svg).getroot().tag.endswith("svg")
    assert support.shell("why", cores[1], cores[1]).stderr.endswith(
        "is passed twice: pass one core file for each process\n"
    )


@pytest.mark.timeout(600)
@support.on_mpi("mpich4", "openmpi4")
def test_a_circle_beside_one_that_computes(mpi: support.MPI) -> None:
    expected = COMPUTING.replace(" at computing.c:6 in work", "").strip()
    with job("computing.c", mpi, n=4) as hung:
        assert hung.becomes(lambda report: report == expected) == expected
        pids = " ".join(str(hung.pids[rank]) for rank in range(4))
        printed = support.gdb_batch([f"mpipp attach {pids}", "echo @@@\\n", "mpipp why"], mpi=mpi)
    assert printed.partition("@@@\n")[2].partition("[Inferior")[0] == COMPUTING


@support.on_mpi("mpich4", "openmpi4")
def test_a_process_in_init(mpi: support.MPI) -> None:
    program = support.compile_program(PROGRAMS / "computing.c", mpi)
    commands = ["mpipp why", "mpipp why --picture", "mpipp why --json", "mpipp why --svg why.svg"]
    stop = "set breakpoint pending on", "break PMPI_Init", "run"
    printed = support.gdb_batch(commands, program=program, mpi=mpi, stop=stop)
    pid = re.search(r"process (\d+) ", printed)
    assert pid
    said = (
        f"unknown: process {pid[1]} may still continue, but no rank is known\n"
        f"  process {pid[1]} is in MPI_Init, called at begin.h:23 in begin\n"
    )
    assert printed.startswith(2 * said)
    document, drawn = printed[2 * len(said) :].splitlines()
    known = json.loads(document)
    where = "in MPI_Init, called at begin.h:23 in begin"
    assert known["jobs"] == []
    assert known["without_rank"] == [{"pid": int(pid[1]), "where": where}]
    assert drawn.lower() == "no rank of any process is known: there is nothing to draw."
