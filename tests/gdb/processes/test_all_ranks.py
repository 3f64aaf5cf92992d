# SPDX-License-Identifier: MIT
"""Views of all ranks at once: merged stacks, values, messages and states."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import support
from tests.gdb import expectations
from tests.ranks import ranks, until_inside

PROGRAM = expectations.PROGRAMS / "look.c"
FORTRAN = expectations.PROGRAMS / "look.f90"
PYTHON = """\
import os, sys
from mpi4py import MPI
comm = MPI.COMM_WORLD

def exchange(depth):
    if depth:
        return exchange(depth - 1)
    if comm.rank == 0:
        comm.recv(source=1, tag=7)
    comm.Barrier()

print(comm.rank, os.getpid(), flush=True)
exchange(1)
"""
WHERE = """\
count  ranks  stack, outermost call first
    4  0-3    look.c:48 in main
    2  0-1      look.c:36 in exchange
                MPI_Barrier
    1  2        look.c:34 in exchange
                MPI_Wait(MPI_Irecv(source 3, tag 2))
    1  3        look.c:31 in exchange
                look.c:15 in compute
                pause in libc.so.6
"""
WHERE_FORTRAN = """\
count  ranks  stack, outermost call first
    2  0-1    look.f90:11 in look
    1  0        look.f90:22 in look::exchange
                MPI_Recv(source 1, tag 7)
    1  1        look.f90:24 in look::exchange
                MPI_Barrier
"""
WHERE_PYTHON = """\
count  ranks  stack, outermost call first
    2  0-1    look.py:13 in <module>
              look.py:7 in exchange
    1  0        look.py:9 in exchange
                MPI_Mprobe(source 1, tag 7)
    1  1        look.py:10 in exchange
                MPI_Barrier
"""
STATUS = """\
count  ranks  state
    2  0-1    in MPI_Barrier, called at look.c:36 in exchange
    1  2      in MPI_Wait(MPI_Irecv(source 3, tag 2)), called at look.c:34 in exchange
    1  3      in pause in libc.so.6, called at look.c:15 in compute
"""
MESSAGES = """\
rank 0 to rank 1: 2 messages, 56 bytes
rank 1 to rank 2: 2 messages, 56 bytes
rank 2 to rank 3: 2 messages, 56 bytes
rank 3 to rank 0: 2 messages, 56 bytes
8 messages, 224 bytes, between 4 pairs of ranks
on their way (sent, no receive posted):
  rank 0 to rank 1: 1 message with tag 3, 48 bytes
  rank 1 to rank 2: 1 message with tag 3, 48 bytes
  rank 2 to rank 3: 1 message with tag 3, 48 bytes
  rank 3 to rank 0: 1 message with tag 3, 48 bytes
"""
MATRIX = """\
messages (row: sender, column: receiver)
     0  1  2  3
  0  .  2  .  .
  1  .  .  2  .
  2  .  .  .  2
  3  2  .  .  .
bytes (row: sender, column: receiver)
      0   1   2   3
  0   .  56   .   .
  1   .   .  56   .
  2   .   .   .  56
  3  56   .   .   .
"""
# The expected output of each command.
PRINTED = {
    "steps": """\
ranks 0, 1 and 3: steps = 10
rank 2: steps = -3
min -3 (rank 2), max 10 (ranks 0, 1 and 3), mean 6.75
""",
    "field": """\
ranks 0, 1 and 3: field = {{1, 2, 3}, {4, 5, 6}}
rank 2: field = {{1, 2, 3}, {4, 5, 9}}
rank 2 differs from ranks 0, 1 and 3 in 1 of 6 elements: [1][2] 9 instead of 6
min 1 (ranks 0, 1 and 3, [0][0]), max 9 (rank 2, [1][2]), mean 3.625
""",
    "particle": """\
rank 0: particle = {rank = 0, mass = 1.5}
rank 1: particle = {rank = 1, mass = 1.5}
rank 2: particle = {rank = 2, mass = 1.5}
rank 3: particle = {rank = 3, mass = 1.5}
""",
    "residual --plot": """\
rank 0 |████████████████████████████████████████ 0.25
rank 1 |████████████████████████████████████████ 0.25
rank 2 | nan
rank 3 |████████████████████████████████████████ 0.25
""",
    "field --plot": """\
ranks 0, 1 and 3:
0 |  ░|
1 |░▒▓|
rank 2:
0 |  ░|
1 |░▒█|
from " " to "█": 1 to 9; "!": not finite
""",
    "row[0]@3 --plot": """\
ranks 0, 1 and 3 | ░▒|
rank 2           | ░█|
from " " to "█": 4 to 9; "!": not finite
""",
}
# The expected error of each command.
WRONG = {
    "mpipp where all": "Write mpipp where, with one of --svg FILE and --json.",
    "mpipp where --svg": "Write mpipp where, with one of --svg FILE and --json.",
    "mpipp where --svg /none/a.svg": "Cannot write /none/a.svg: No such file or directory.",
    "mpipp messages 3": "Write mpipp messages, with one of --matrix and --json.",
    "mpipp print --ranks": (
        "Write mpipp print EXPR --ranks, with one of --plot, --svg FILE and --save FILE."
    ),
    "mpipp print steps --ranks --plot --save a": (
        "Write mpipp print EXPR --ranks, with one of --plot, --svg FILE and --save FILE."
    ),
    "mpipp compare-ranks steps": "Write mpipp compare-ranks EXPR with FILE.",
    "mpipp compare-ranks steps with /none/a": "Cannot read /none/a: No such file or directory.",
    "mpipp compare-ranks steps with /dev/null": (
        "/dev/null is not from mpipp print EXPR --ranks --save."
    ),
    "mpipp print none --ranks": 'No symbol "none" in current context.',
    "mpipp print particle --ranks --plot": (
        "particle is neither a number nor an array of numbers: leave out --plot or --svg."
    ),
    "mpipp print exchange(0, 1) --ranks": "",
}
MARK = "@@@"


def outputs(commands: list[str], **how: Any) -> list[str]:
    """The output of gdb for each command.

    Before glibc 2.34, pause is in another library.
    """
    typed = [word for command in commands for word in (command, f"echo {MARK}\\n")]
    printed = support.gdb_batch(typed, **how).replace("libpthread.so.0", "libc.so.6")
    return printed.split(f"{MARK}\n")[:-1]


@pytest.fixture(scope="module", params=support.installed("mpich4", "openmpi4"))
def waiting(request: pytest.FixtureRequest) -> Iterator[dict[int, int]]:
    mpi = support.find_mpi(request.param)
    with ranks(support.compile_program(PROGRAM, mpi), mpi, n=4) as pids:
        until_inside("MPI_Barrier", pids[0], pids[1])
        until_inside("MPI_Wait", pids[2])
        yield pids


def attach(pids: dict[int, int]) -> list[str]:
    return [f"mpipp attach {' '.join(str(pids[rank]) for rank in sorted(pids))}"]


def without_times(text: str) -> str:
    return re.sub(r", for \d+ s$", "", text, flags=re.M)


def test_all_ranks(waiting: dict[int, int], tmp_path: Path) -> None:
    pictures = [tmp_path / name for name in ("where.svg", "bars.svg", "maps.svg")]
    commands = ["mpipp where", "mpipp status", "mpipp messages", "mpipp messages --matrix"]
    commands += [f"mpipp print {command} --ranks" for command in PRINTED]
    commands += [
        f"mpipp where --svg {pictures[0]}",
        f"mpipp print residual --ranks --svg {pictures[1]}",
        f"mpipp print field --ranks --svg {pictures[2]}",
        "mpipp where --json",
    ]
    found = outputs([*commands, *WRONG], stop=attach(waiting))
    assert found[0] == WHERE
    assert without_times(found[1]) == STATUS
    assert found[2] == MESSAGES
    assert found[3] == MATRIX + MESSAGES[MESSAGES.index("8 messages") :]
    for (command, expected), said in zip(PRINTED.items(), found[4:]):
        assert said == expected, command
    assert all(path.read_text().startswith("<svg") for path in pictures)
    assert_stacks(json.loads(found[4 + len(PRINTED) + 3]))
    for (command, sentence), said in zip(WRONG.items(), found[len(commands) :]):
        assert sentence in said and said.count("\n") == 1, (command, said)


def assert_stacks(found: dict[str, Any]) -> None:
    """The JSON of `mpipp where` has the tree."""
    assert (found["mpipp"], found["command"]) == (1, "where")
    (job,) = found["jobs"]
    assert (job["size"], job["inferiors"], job["stacks"]["ranks"]) == (4, [1, 2, 3, 4], "0-3")
    (main,) = job["stacks"]["below"]
    assert (main["text"], main["kind"], main["line"]) == ("look.c:48 in main", "program", 48)
    assert main["path"].endswith("/look.c")
    waits = main["below"][1]["below"][0]
    assert [waits["text"], waits["kind"], waits["ranks"]] == ["MPI_Wait", "mpi", "2"]


def test_some_ranks(waiting: dict[int, int], tmp_path: Path) -> None:
    some = {rank: waiting[rank] for rank in (0, 2)}
    live = outputs(["mpipp where", "mpipp messages", f"gcore {tmp_path}/core"], stop=attach(some))
    assert live[0] == (
        "count  ranks  stack, outermost call first\n"
        "    2  0,2    look.c:48 in main\n"
        "    1  0        look.c:36 in exchange\n"
        "                MPI_Barrier\n"
        "    1  2        look.c:34 in exchange\n"
        "                MPI_Wait(MPI_Irecv(source 3, tag 2))\n"
        "incomplete: ranks 1 and 3 are not in this gdb\n"
    )
    assert "unknown: the messages on their way to ranks 1 and 3\n" in live[1]
    program = Path(f"/proc/{waiting[0]}/exe").resolve()
    dead = outputs(
        ["mpipp where", "mpipp status", "mpipp print steps --ranks"],
        program=program,
        core=tmp_path / "core",
    )
    assert dead[0].startswith(
        "count  ranks  stack, outermost call first\n"
        "    1  0      look.c:48 in main\n"
        "              look.c:36 in exchange\n"
        "              MPI_Barrier\n"
    )
    assert "    1  0      in MPI_Barrier, called at look.c:36 in exchange\n" in dead[1]
    assert dead[2] == "rank 0: steps = 10\n"


def test_compare_with_another_run(waiting: dict[int, int], tmp_path: Path) -> None:
    file, text = tmp_path / "before.json", tmp_path / "text.json"
    commands = [
        f"mpipp print field --ranks --save {file}",
        f"mpipp print particle --ranks --save {text}",
        f"mpipp compare-ranks field with {file}",
        "mpipp rank 1",
        "set var field[0][1] = 7",
        "set var particle.mass = 2",
        f"mpipp compare-ranks field with {file}",
        f"mpipp compare-ranks particle with {text}",
        "set var field[0][1] = 2",
        "set var particle.mass = 1.5",
    ]
    found = outputs(commands, stop=attach(waiting))
    assert found[0] == f"written to {file}\n"
    assert found[2] == "ranks 0 to 3: as in the file\n"
    assert found[6] == (
        "ranks 0, 2 and 3: as in the file\n"
        "rank 1: other values in 1 of 6 elements: [0][1] 7 instead of 2\n"
    )
    assert found[7] == (
        "ranks 0, 2 and 3: as in the file\n"
        "rank 1: {rank = 1, mass = 2} instead of {rank = 1, mass = 1.5}\n"
    )


def test_two_jobs(waiting: dict[int, int]) -> None:
    mpi = support.find_mpi(support.MACHINE[0])
    with ranks(support.compile_program(PROGRAM, mpi), mpi, n=4) as others:
        until_inside("MPI_Barrier", others[0])
        pids = [waiting[1], waiting[0], others[0]]
        stop = [f"mpipp attach {' '.join(map(str, pids))}"]
        where, printed = outputs(["mpipp where", "mpipp print steps --ranks"], stop=stop)
    assert "inferiors 1 and 2, started together:\n" in where
    assert "inferior 3, started together:\n" in where
    assert printed == ("inferiors 2 and 3 have rank 0: attach to the processes of one job.\n"), (
        printed
    )


def test_without_a_process() -> None:
    commands = ["mpipp where", "mpipp status", "mpipp messages", "mpipp print 1 --ranks"]
    for said in outputs(commands):
        assert said.startswith("There is no process and no core file"), said


@support.on_mpi("mpich4", "openmpi4")
def test_fortran(mpi: support.MPI) -> None:
    with ranks(support.compile_program(FORTRAN, mpi), mpi) as pids:
        until_inside("MPI_Recv", pids[0])
        until_inside("MPI_Barrier", pids[1])
        where, field = outputs(["mpipp where", "mpipp print field --ranks"], stop=attach(pids))
    assert where == WHERE_FORTRAN
    assert (
        "rank 1 differs from rank 0 in 1 of 6 elements: (2,1) 9 instead of 4\n"
        "min 1 (rank 0, (1,0)), max 9 (rank 1, (2,1)), mean 3.91666666667\n"
    ) in field


@support.on_mpi("mpich4", "openmpi4")
def test_python(mpi: support.MPI, tmp_path: Path) -> None:
    script = tmp_path / "look.py"
    script.write_text(PYTHON)
    with ranks(Path(mpi.python), mpi, str(script)) as pids:
        until_inside("MPI_Barrier", pids[1])
        # comm.recv probes for the message first.
        until_inside("MPI_Mprobe", pids[0])
        (where,) = outputs(["mpipp where"], stop=attach(pids))
    assert where == WHERE_PYTHON
