# SPDX-License-Identifier: MIT
"""`--stop` and `--gdb` with guarded buffers: the process stops right before the access."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

from tests import support
from tests.support import MPI
from tests.watcher import runs
from tests.watcher.stops.test_open_gdb import PROMPT, QUIT, opened

FOUND = """\
error: a store to the buffer of a pending MPI_Isend
  rank 0: stores to buf(DOUBLE), at 0x..., in faces
    at two_stores.c:53 in main
  rank 0: MPI_Isend(dest = 0, tag = 0, comm = "MPI_COMM_SELF", buf = 0x... (8192 MPI_DOUBLE)), \
request #1
    called at two_stores.c:52 in main
    mpipp does not know whether the data had moved
"""
SENTENCE = (
    "mpipp: this SIGSEGV is an access to buf(DOUBLE), in the buffer of the pending MPI_Isend "
    "(called at two_stores.c:52 in main). The access has not happened yet: continue performs it."
)

STOPPED = (
    "mpipp: this SIGSTOP is for an error that mpipp reports: mpipp frame selects the line, "
    "continue resumes."
)


def stopped(mpi: MPI, *words: str) -> str:
    """The output of a run with --stop. Its process is continued after each stop."""
    program = runs.program("two_stores.c", mpi)
    options = runs.words(mpi, "--check=buffers", "--stop", n=1)
    command: list[str | Path] = [sys.executable, "-m", "mpipp.cli", *options, program, *words]
    env = support.clean_environment(PYTHONPATH=str(support.ROOT))
    assert mpi.wrapper
    with support.running(command, env=env, stderr=subprocess.PIPE) as run:
        assert run.stderr
        said = ""
        for line in run.stderr:
            said += line
            stops = re.fullmatch(r"  rank 0 stops .*: mpipp attach (\d+); kill -CONT \1 .*\n", line)
            if stops:
                pid = int(stops[1])
                while Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "T":
                    os.sched_yield()
                os.kill(pid, signal.SIGCONT)
        assert run.wait() == 0
    return support.without_points(re.sub("0x[0-9a-f]+", "0x...", said))


@support.on_mpi("mpich4", "openmpi4")
def test_the_process_stops_before_the_store(mpi: MPI) -> None:
    said = stopped(mpi)
    assert said.startswith(FOUND)
    # The second access is at the same place, with another variable.
    assert said.count("stops there") == 1
    assert said.splitlines()[-1].startswith("mpipp: 1 error in 1 process (")


LATE = """\
error: the buffer of a pending MPI_Ssend_init was changed
  rank 0: MPI_Ssend_init(dest = 0, tag = 0, comm = "MPI_COMM_SELF", buf = 0x... (4 MPI_DOUBLE)), \
request #1
    called at two_stores.c:LINE in changes
    started by MPI_Start at two_stores.c:LINE in changes
    buf[1](DOUBLE), at 0x..., in small+8, was 0 and is 3
    mpipp does not know whether the data had moved
  rank 0: MPI_Waitall()
    called at two_stores.c:LINE in changes
    it was changed between these calls
  rule: MPI-4.1, section 3.9: before a nonblocking operation completes, its send buffer must not \
be written and its receive buffer must not be accessed
  to do: search for code between the two calls that writes to the buffer, also in other threads; \
or use another buffer
  rank 0 stops in MPI_Waitall, the change is complete: mpipp attach PID; kill -CONT PID continues it
error: the buffer of a pending MPI_Issend is freed
  rank 0: frees the memory at 0x..., which contains buf(DOUBLE)
    at two_stores.c:LINE in gives_back
    from two_stores.c:LINE in main
  rank 0: MPI_Issend(dest = 0, tag = 0, comm = "MPI_COMM_SELF", buf = 0x... (4 MPI_DOUBLE)), \
request #3
    called at two_stores.c:LINE in gives_back
  rule: MPI-4.1, section 3.7.2: before a nonblocking operation completes, its send buffer must not \
be written and its receive buffer must not be accessed
  to do: complete the operation first, for example with MPI_Wait, and free the memory afterwards
  rank 0 stops there: mpipp attach PID; kill -CONT PID continues it
error: a store to the buffer of a pending MPI_Isend
  rank 0: stores to buf(DOUBLE), at 0x..., in faces
    at two_stores.c:LINE in reads
    from two_stores.c:LINE in main
  rank 0: MPI_Isend(dest = 0, tag = 0, comm = "MPI_COMM_SELF", buf = 0x... (8192 MPI_DOUBLE)), \
request #5
    called at two_stores.c:LINE in reads
    mpipp does not know whether the data had moved
  rule: MPI-4.1, section 3.7.2: before a nonblocking operation completes, its send buffer must not \
be written and its receive buffer must not be accessed
  to do: complete the operation first, for example with MPI_Wait, or use another buffer
  rank 0 stops there: mpipp attach PID; kill -CONT PID continues it
"""


@support.on_mpi("mpich4", "openmpi4")
def test_it_stops_in_the_call_that_finds_a_change_and_where_memory_is_given_back(mpi: MPI) -> None:
    said = re.sub(r":\d+ in", ":LINE in", stopped(mpi, "late", "system"))
    told, _, last = re.sub(r"(attach|CONT) \d+", r"\1 PID", said).partition("\nmpipp: ")
    assert re.sub("\n+", "\n", told) == mpi.cited(LATE)
    assert last.startswith("3 errors in 1 process (")


@support.on_mpi("mpich4")
def test_gdb_opens_at_the_access_and_says_what_the_next_one_is(mpi: MPI) -> None:
    run = opened(mpi, runs.program("two_stores.c", mpi), "--gdb", "--check=buffers", n=1)
    said = run.until(PROMPT)
    assert said.rstrip().splitlines()[-1].startswith("53\t    for (int j = 0; j < N; j++) faces")
    run.type("print i")
    assert run.until(PROMPT) == "print i\n$1 = 0\n"
    run.type("continue")
    lines = run.until(PROMPT).splitlines()
    assert any("received signal SIGSEGV" in line for line in lines)
    assert SENTENCE in lines
    run.type("print i")
    assert run.until(PROMPT) == "print i\n$2 = 1\n"
    run.type("kill")
    run.until("(y or n) ")
    run.type("y")
    run.until(PROMPT)
    run.type("quit")
    said, _ = run.rest()
    assert QUIT not in said


@support.on_mpi("mpich4", "openmpi4")
def test_gdb_goes_on_to_where_memory_is_given_back_and_to_the_end(mpi: MPI) -> None:
    program = runs.program("two_stores.c", mpi)
    run = opened(mpi, program, "--gdb", "--check=buffers", n=1, arguments=("late",))
    assert (
        run.until(PROMPT).splitlines()[-1] == "22\t  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);"
    )
    run.type("continue")
    said = run.until(PROMPT)
    assert f"\n{STOPPED}\n" in said
    run.type("mpipp frame")
    framed = run.until(PROMPT)
    assert "\n30\t  free(block);\n" in framed
    run.type("continue")  # only once
    ended = run.until(PROMPT)
    assert "exited normally]" in ended
    run.type("quit")
    rest, status = run.rest()
    # The watcher may be slower than gdb.
    assert (said + framed + ended).count("is freed") == 1
    assert "mpipp: 2 errors in 1 process (" in rest
    assert status == 0


@support.on_mpi("mpich4", "openmpi4")
def test_gdb_opens_where_memory_is_given_back(mpi: MPI) -> None:
    program = runs.program("unmapped.c", mpi)
    options, arguments = ("--gdb", "--check=buffers"), ("receives", "munmap")
    run = opened(mpi, program, *options, arguments=arguments)
    assert run.until(PROMPT).splitlines()[-1] == "24\t  munmap(memory, BYTES);"
    run.type("quit")
    run.until(QUIT)
    run.type("y")
    said, _ = run.rest()
    assert "mpipp: 1 error in 2 processes (" in said
