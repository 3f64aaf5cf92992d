# SPDX-License-Identifier: MIT
"""Several processes of a job in one gdb, by rank, and the summary at a stop."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator

import pytest

from tests import support
from tests.ranks import ranks, until_inside

TABLE_ONE = support.program_source("gdb", "table_one.c")
WAITS = support.program_source("gdb", "waits.c")
CALLS = """\
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int rank, size, number = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  printf("%d %d\\n", rank, getpid());
  fflush(stdout);
  if (rank == 1) MPI_Recv(&number, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Bcast(&number, 1, MPI_INT, 1, MPI_COMM_WORLD);
  MPI_Finalize();
}
"""


def plain(output: str) -> list[str]:
    output = re.sub("0x[0-9a-f]{5,}", "0x", re.sub(r"^#\d+ +0x", "#N  0x", output, flags=re.M))
    output = re.sub(r"pid \d+", "pid N", output)
    return re.sub(r" \S*/(\w+\.[ch]:\d+)", r" \1", output).splitlines()


quiet = pytest.mark.skipif(
    support.gdb_version() < (12,), reason="gdb before 12 tells of every stop and switch"
)


@pytest.fixture(scope="module")
def waiting() -> Iterator[dict[int, int]]:
    mpi = support.find_mpi(support.MPI_IDS[0])
    with ranks(support.compile_program(CALLS, mpi), mpi, n=3) as pids:
        for rank, pid in pids.items():
            until_inside("MPI_Recv" if rank == 1 else "MPI_Bcast", pid)
        yield pids


@quiet
def test_what_is_equal_is_listed_once(waiting: dict[int, int]) -> None:
    pids = " ".join(str(waiting[rank]) for rank in (2, 0, 1))
    commands = [f"mpipp attach {pids}", "mpipp list calls --ranks"]
    lines = plain(support.gdb_batch([*commands, "mpipp list calls --ranks --json"]))
    assert lines[:10] == [
        "attached: rank 0 (inferior 2), rank 1 (inferior 3), rank 2 (inferior 1)",
        "ranks 0 and 2:",
        "  thread 1 in MPI_Bcast, called at main.c:12 in main",
        '    root = 1, comm = "MPI_COMM_WORLD", buffer = 0x... (1 MPI_INT)',
        "rank 1:",
        "  thread 1 in MPI_Recv, called at main.c:11 in main",
        '    source = 0, tag = 5, comm = "MPI_COMM_WORLD", buf = 0x (1 MPI_INT)',
        "ranks 0 to 2:",
        "  1 call",
        "--json writes one process: leave out --ranks.",
    ]


@quiet
def test_communicators_of_all(waiting: dict[int, int]) -> None:
    pids = " ".join(map(str, waiting.values()))
    lines = plain(support.gdb_batch([f"mpipp attach {pids}", "mpipp list comms --ranks"]))
    world = re.compile(r'  #\d  0x\.\.\.  name = "MPI_COMM_WORLD", rank = \.\.\., size = 3')
    assert world.fullmatch(lines[lines.index("ranks 0 to 2:") + 1]), lines
    # MPI_COMM_SELF differs between the processes, so each has lines of its own.
    headings = [line for line in lines if re.match("ranks? ", line)]
    assert headings == ["rank 0:", "ranks 0 to 2:", "rank 1:", "rank 2:"]


@quiet
def test_to_a_rank(waiting: dict[int, int]) -> None:
    commands = [f"mpipp attach {waiting[0]} {waiting[1]}", "mpipp rank 1", "output rank"]
    commands += ["echo \\n", "mpipp rank 2", "mpipp rank", "mpipp rank -1"]
    lines = plain(support.gdb_batch(commands))
    assert lines[:7] == [
        "attached: rank 0 (inferior 1), rank 1 (inferior 2)",
        "inferior 2, rank 1 of 3, pid N, MPI started",
        "#N  0x in main (argc=1, argv=0x) at main.c:11",
        "11\t  if (rank == 1) MPI_Recv(&number, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, "
        "MPI_STATUS_IGNORE);",
        "1",
        'There is no process of rank 2 in this gdb: see "mpipp attach".',
        "Write mpipp rank N, with a rank in MPI_COMM_WORLD.",
    ]


@quiet
@support.on_mpi("mpich4", "openmpi4")
def test_requests_of_all(mpi: support.MPI) -> None:
    with ranks(support.compile_program(TABLE_ONE, mpi), mpi) as pids:
        commands = [f"mpipp attach {pids[0]} {pids[1]}", "mpipp list requests --ranks"]
        lines = plain(support.gdb_batch(commands))
    told = [re.sub("  0x[0-9a-f]*  ", "  ", line) for line in lines[1:7]]
    assert told == [
        "rank 0:",
        '  #1  MPI_Isend active, dest = 1, tag = 0, comm = "MPI_COMM_WORLD", '
        "buf = 0x (1 STRUCT[3])  made at table_one.c:20 in main",
        "rank 1:",
        '  #1  MPI_Irecv active, source = 0, tag = 0, comm = "MPI_COMM_WORLD", '
        "buf = 0x (1 STRUCT[3])  made at table_one.c:22 in main",
        "ranks 0 and 1:",
        "  1 request",
    ]


@quiet
def test_an_inferior_without_a_process_is_selected(waiting: dict[int, int]) -> None:
    # A gdb as it is after one process has exited.
    pids = " ".join(map(str, waiting.values()))
    stop = [f"mpipp attach {pids}", "inferior 1", "detach inferiors 1"]
    commands = ["mpipp list calls --ranks", "mpipp list comms --ranks", "mpipp rank 7"]
    commands += ["mpipp why", "inferior 1", "mpipp check", "inferior 1", "mpipp info"]
    said = support.gdb_batch([*commands, "info inferiors"], stop=stop)
    assert "* 1    <null>" in said, said
    # Printed by `why` and `check` themselves.
    assert said.count("[Switching to inferior") == 2, said


def test_summary() -> None:
    mpi = support.find_mpi(support.MPI_IDS[0])
    program = support.compile_program(support.program_source("gdb", "commands.c"), mpi)
    typed = ["set mpipp summary on", "show mpipp summary", "break mark", "run", "echo @@@\\n"]
    typed += ["set mpipp summary off", "kill"]
    done = subprocess.run(
        [*support.gdb_words(mpi), str(program)],
        env=dict(mpi.env),
        input="".join(f"{line}\n" for line in typed),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "(gdb) A line about MPI is printed at every stop: on.\n" in done.stdout
    last = plain(done.stdout.partition("(gdb) @@@")[0])[-1]
    assert re.fullmatch(
        r"mpipp: rank 0 of 1, pid N, MPI started, not in MPI; \d types, 1 pending request", last
    ), done.stdout


def test_summary_of_a_call() -> None:
    mpi = support.find_mpi(support.MPI_IDS[0])
    program = support.compile_program(support.program_source("gdb", "buffers.c"), mpi)
    stop = ["set mpipp summary on", "mpipp break MPI_Bcast"]
    output = support.gdb_batch(["run"], program=program, mpi=mpi, stop=stop)
    call = "in MPI_Bcast, called at buffers.c:17 in broadcast; 1 type, 0 pending requests"
    assert f"mpipp: rank 0 of 1, pid N, MPI started, {call}" in plain(output)
