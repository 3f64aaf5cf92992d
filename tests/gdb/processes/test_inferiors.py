# SPDX-License-Identifier: MIT
"""Several processes: each with its own registry in one gdb, and each in its own gdb
under mpiexec."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tests import support
from tests.gdb import expectations
from tests.ranks import ranks, until_inside

both = support.on_mpi("mpich4", "openmpi4")

# Rank r has 2 + r blocks. Both ranks wait for each other.
RANKS = """\
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Datatype type;
  MPI_Type_vector(2 + rank, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  int buffer[8] = {rank, 10, 20 + rank, 30, 40 + rank};
  printf("%d %d\\n", rank, (int)getpid());
  fflush(stdout);
#ifdef APART
  MPI_Bcast(buffer, 1, type, 0, MPI_COMM_SELF);
#else
  MPI_Recv(buffer, 1, type, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
  MPI_Finalize();
  return 0;
}
"""
FORK = """\
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>
int values[8];
void mark(void) {}
int main(int argc, char **argv) {
  MPI_Datatype type;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Type_contiguous(2, MPI_INT, &type);
  MPI_Irecv(values, 1, MPI_INT, 0, 7, MPI_COMM_SELF, &request);
  int over[2];
  char byte;
  if (pipe(over)) return 1;
  pid_t child = fork();
  values[0] = child ? 3 : 4;
  if (!child) MPI_Type_vector(4, 1, 2, MPI_INT, &type);
  mark();
  close(over[1]); // the child does not end before the parent has been here, too
  if (!child) _exit((int)read(over[0], &byte, 1));
  waitpid(child, 0, 0);
  return 0;
}
"""
TYPES = (
    '{kind = VECTOR, count = 2, blocklength = 1, stride = 2, type = "MPI_INT"}',
    '{kind = VECTOR, count = 3, blocklength = 1, stride = 2, type = "MPI_INT"}',
)
DATA = ("{{0}, {20}}", "{{1}, {21}, {41}}")
# `frame function` would end gdb 13 if there are two inferiors.
IN_MAIN = "python select_frame('main')"


@both
def test_all_ranks_in_one_gdb(mpi: support.MPI) -> None:
    program = support.compile_program(RANKS, mpi)
    with ranks(program, mpi) as pids:
        commands = [f"source {expectations.FRAMES}", f"attach {pids[0]}"]
        commands += ["add-inferior", "inferior 2", f"attach {pids[1]}"]
        for rank in (0, 1, 0):
            commands += [f"inferior {rank + 1}", IN_MAIN]
            for command in ("output type", "output buffer", "output $mpi_rank()"):
                commands += ["echo @", command, "echo \\n"]
        commands += ["echo @@\\n", "mpipp list calls --ranks", "mpipp list calls", "echo @@\\n"]
        output = support.gdb_batch(commands, mpi=mpi)
    printed = re.findall("^@([^@].*)", output, re.MULTILINE)
    for i, rank in enumerate((0, 1, 0)):
        kind, buffer, number = printed[3 * i : 3 * i + 3]
        assert kind == TYPES[rank]
        assert re.fullmatch(
            r'\{address = 0x\w+, call = "MPI_Recv", count = 1, '
            + re.escape(f"type = {TYPES[rank]}, data = {DATA[rank]}}}"),
            buffer,
        ), buffer
        assert number == str(rank)
    calls = re.sub("0x[0-9a-f]+", "0x", output.split("@@\n")[1])
    text = []
    for rank in (0, 1):
        where = f'tag = 7, comm = "MPI_COMM_WORLD", buf = 0x (1 VECTOR[{2 + rank}, 1, 2])'
        text += [
            f"rank {rank}:",
            "  thread 1 in MPI_Recv, called at main.c:17 in main",
            f"    source = {1 - rank}, {where}",
        ]
    first = ["thread 1.1 in MPI_Recv, called at main.c:17 in main", text[2][2:], "1 call"]
    assert calls.splitlines() == [*text, "ranks 0 and 1:", "  1 call", *first]


# To list threads, gdb visits every inferior: 20 ms each time for some hundred core files.
LISTED = """\
import sys
import gdb
listed = 0
def see(frame, event, argument):
    global listed
    if event == "c_call" and argument.__name__ == "threads":
        listed += frame.f_code.co_filename.endswith("memory.py")
sys.setprofile(see)
said = gdb.execute("mpipp check", to_string=True)
sys.setprofile(None)
print(said.splitlines()[-1], "threads listed", {1: "once"}.get(listed, listed))
"""


@support.on_mpi("mpich4")
def test_threads_are_listed_once(mpi: support.MPI, tmp_path: Path) -> None:
    program = support.compile_program(RANKS, mpi)
    script = tmp_path / "listed.py"
    script.write_text(LISTED)
    with ranks(program, mpi) as pids:
        until_inside("MPI_Recv", *pids.values())
        commands = [f"attach {pids[0]}", "add-inferior", "inferior 2", f"attach {pids[1]}"]
        output = support.gdb_batch([*commands, f"source {script}"], mpi=mpi)
    last = "1 finding in 2 processes, 2 active calls, 0 pending requests"
    assert f"{last} threads listed once" in output, output


@both
def test_fork(mpi: support.MPI) -> None:
    program = support.compile_program(FORK, mpi)
    look = [IN_MAIN, "echo @", "output type", "echo \\n@", "output values", "echo \\n"]
    stop = [f"source {expectations.FRAMES}", "set detach-on-fork off", "set schedule-multiple on"]
    stop += ["break mark", "run"]
    commands = [*look, "continue", *look, "inferior 1", *look, "kill inferiors 1"]
    output = support.gdb_batch(commands, program=program, mpi=mpi, stop=stop)
    printed = re.findall("^@(.*)", re.sub("0x[0-9a-f]+", "0x", output), re.MULTILINE)
    buffer = (
        '{{address = 0x, call = "MPI_Irecv", request = 1, count = 1, type = "MPI_INT", data = {}}}'
    )
    state = 'type = "MPI_INT", state = "not committed"}'
    parent = [f"{{kind = CONTIGUOUS, count = 2, {state}", buffer.format(3)]
    child = [
        f"{{kind = VECTOR, count = 4, blocklength = 1, stride = 2, {state}",
        buffer.format(4),
    ]
    # Either process may stop first.
    assert sorted([printed[:2], printed[2:4]]) == sorted([parent, child]), output
    assert printed[4:] == parent, output


def by_rank(output: str) -> list[list[str]]:
    """The lines of both ranks.

    Launchers mark each piece that they read. A piece may end within a line, because gdb writes some
    lines in several pieces.
    """
    parts = re.split(r"\[(?:1,)?(\d)\](?:<stdout>:| )", output)[1:]
    text = ["", ""]
    for rank, part in zip(parts[::2], parts[1::2]):
        text[int(rank)] += part
    return [one.splitlines() for one in text]


@both
def test_a_gdb_for_every_rank(mpi: support.MPI) -> None:
    program = support.compile_program(RANKS, mpi, ["-g", "-O0", "-DAPART"])
    tag = "-prepend-rank" if mpi.id.startswith("mpich") else "--tag-output"
    words = [*mpi.mpiexec, tag, "-n", "2", *support.gdb_words(mpi), "-batch"]
    commands = ["mpipp break MPI_Bcast", "run", "mpipp type", "mpipp list calls", "print type"]
    for command in [*commands, "delete", "continue"]:
        words += ["-ex", command]
    done = subprocess.run(
        [*words, str(program)],
        env=dict(mpi.env),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    for rank, lines in enumerate(by_rank(done.stdout)):
        assert "MPI_Bcast, called at main.c:15 in main" in lines, done.stdout + done.stderr
        start = lines.index("MPI_Bcast, called at main.c:15 in main")
        told = [re.sub("0x[0-9a-f]+", "0x", line) for line in lines[start + 1 : start + 8]]
        vector = f"VECTOR count {2 + rank}, blocklength 1, stride 2"
        assert told[1].startswith(vector) and told[1].endswith("made at main.c:9 in main"), told
        assert told[2].startswith("  MPI_INT"), told
        assert told[3:] == [
            "thread 1 in MPI_Bcast, called at main.c:15 in main",
            f'  root = 0, comm = "MPI_COMM_SELF", buffer = 0x (1 VECTOR[{2 + rank}, 1, 2])',
            "1 call",
            f"$1 = {TYPES[rank]}",
        ], told
