# SPDX-License-Identifier: MIT
"""Non-stop mode: some threads of a process have stopped, and others run."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pexpect
import pytest

from tests import support
from tests.ranks import WAIT, ranks, until_inside

pytestmark = pytest.mark.skipif(
    support.gdb_version() < (11,), reason="gdb before 11 cannot attach in non-stop mode"
)

PROMPT = "(gdb) "
# The program has threads of its own besides the library's. Its receives wait forever.
PROGRAM = """\
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *helper(void *over) {
  while (!*(volatile int *)over) usleep(10000);
  return over;
}
int main(int argc, char **argv) {
  int rank, number = 0, over = 0;
  pthread_t thread;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  pthread_create(&thread, NULL, helper, &over);
  printf("%d %d\\n", rank, getpid());
  fflush(stdout);
  MPI_Recv(&number, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
}
"""
CALL = "in MPI_Recv, called at main.c:17 in main"
RUN = "all threads of this process run: stop one of them with interrupt"
RUNNING_STACKS = [
    "count  ranks  stack, outermost call first",
    "    2  0-1    main.c:17 in main",
    "    1  0        MPI_Recv(source 1, tag 5)",
    "    1  1        MPI_Recv(source 0, tag 5)",
    "                running",
]
DEADLOCK = "deadlock: rank 0 and rank 1 wait for each other"
FINDING = "error: ranks 0 and 1 wait for each other"


class Gdb:
    """A gdb in a terminal. Its threads may stop while it waits."""

    def __init__(self, mpi: support.MPI) -> None:
        words = [*support.gdb_words(mpi), "-iex", "set non-stop on"]
        env = {**mpi.env, "TERM": "dumb"}
        self._child = pexpect.spawn(
            words[0], words[1:], env=env, echo=False, encoding="utf-8", timeout=120
        )
        self._child.expect_exact(PROMPT)
        for setting in ("pagination off", "width 0", "confirm off", "print thread-events off"):
            self.says(f"set {setting}")

    def says(self, command: str) -> str:
        """gdb's answer to a command."""
        self._child.sendline(f"{command}\necho @@@\\n")
        self._child.expect(r"@@@\r\n\(gdb\) ")
        said = (self._child.before or "").replace("\r", "")
        return str(said).removesuffix(PROMPT).strip()

    def until(self, running: int) -> dict[str, bool]:
        """The state of each thread ("2.1"), True if it runs, once `running` threads run."""
        end = time.monotonic() + WAIT
        while True:
            rows = re.findall(r"^[* ] +([\d.]+) .*", said := self.says("info threads"), re.M)
            found = dict.fromkeys(rows, False)
            for line in said.splitlines():
                if found_in := re.match(r"[* ] +([\d.]+) .*running", line):
                    found[found_in[1]] = True
            if sum(found.values()) == running and len({row[0] for row in rows}) == 2:
                return found
            assert time.monotonic() < end, said

    def leave(self) -> None:
        """Detach from all processes."""
        self._child.sendline("quit")
        self._child.expect(pexpect.EOF)
        self._child.close()


@contextmanager
def attached(mpi: support.MPI) -> Iterator[Gdb]:
    program = support.compile_program(PROGRAM, mpi, ("-g", "-O0", "-pthread"))
    with ranks(program, mpi) as pids:
        until_inside("MPI_Recv", *pids.values())
        gdb = Gdb(mpi)
        try:
            said = gdb.says(f"mpipp attach {pids[0]} {pids[1]}")
            assert "attached: " in said and "No frame" not in said, said
            yield gdb
        finally:
            gdb.leave()


def calls_in(mpi: support.MPI, gdb: Gdb) -> tuple[list[str], list[str]]:
    """The threads in MPI calls, by inferior, and the other threads."""
    threads = gdb.until(0)
    inside = [f"{number}.1" for number in (1, 2)]
    return inside, [name for name in threads if name not in inside]


@pytest.mark.timeout(600)
@support.on_mpi("mpich4", "openmpi4")
def test_helpers_run(mpi: support.MPI) -> None:
    with attached(mpi) as gdb:
        _, helpers = calls_in(mpi, gdb)
        for number, name in enumerate(helpers, 1):
            gdb.says(f"thread {name}")
            gdb.says("continue&")
            gdb.until(number)
        # The thread that is selected in gdb runs.
        assert DEADLOCK in gdb.says("mpipp why")
        assert FINDING in gdb.says("mpipp check")
        listed = gdb.says("mpipp list calls --ranks")
        assert listed.count(CALL) == 2, listed
        assert CALL in gdb.says("mpipp list calls")
        assert "rank 1 of 2" in gdb.says("mpipp info")
        assert "is in no MPI call" in gdb.says("mpipp frame")
        for rank in (0, 1):
            said = gdb.says(f"mpipp rank {rank}")
            assert f"inferior {rank + 1}, rank {rank} of 2" in said
            assert "main.c:17" in said


@pytest.mark.timeout(600)
@support.on_mpi("mpich4", "openmpi4")
def test_threads_in_calls_run(mpi: support.MPI) -> None:
    with attached(mpi) as gdb:
        inside, helpers = calls_in(mpi, gdb)
        gdb.says(f"thread {inside[1]}")
        gdb.says("continue&")
        gdb.until(1)
        expected = f"inferior 2: thread {inside[1]}, which calls MPI, runs: stop it with interrupt"
        for command in ("mpipp why", "mpipp check"):
            assert expected in gdb.says(command), command
        assert CALL in gdb.says("mpipp list calls")
        assert gdb.says("mpipp frame") == "The selected thread runs: stop it with interrupt."
        stacks, states = gdb.says("mpipp where"), gdb.says("mpipp status")
        assert stacks == "\n".join(RUNNING_STACKS), stacks
        # A time follows if it is long.
        assert "running, in MPI_Recv(source 0, tag 5), called at main.c:17 in main" in states
        assert gdb.says("mpipp print rank --ranks").splitlines() == [
            "rank 0: rank = 0",
            "rank 1: this process runs: stop it with interrupt",
        ]
        others = [name for name in helpers if name.startswith("2.")]
        for number, name in enumerate(others, 2):
            gdb.says(f"thread {name}")
            gdb.says("continue&")
            gdb.until(number)
        assert gdb.says("mpipp where") == "\n".join(RUNNING_STACKS)
        assert gdb.says("mpipp list calls") == f"{RUN[0].upper()}{RUN[1:]}."
        for command in ("mpipp why", "mpipp check", "mpipp list calls --ranks"):
            said = gdb.says(command)
            assert said.count(RUN) == 1 and "no mpipp wrapper" not in said, said
        assert gdb.says("mpipp rank 1") == (
            f'There is no process of rank 1 in this gdb: see "mpipp attach"; inferior 2: {RUN}.'
        )
        gdb.says("interrupt -a")
        gdb.until(0)
        assert DEADLOCK in gdb.says("mpipp why")


@pytest.mark.timeout(600)
@support.on_mpi("mpich4", "openmpi4")
def test_the_selected_thread_ends(mpi: support.MPI) -> None:
    # gdb keeps it selected, but has no Python object of it any more.
    with attached(mpi) as gdb:
        inside, helpers = calls_in(mpi, gdb)
        gdb.says(f"thread {inside[0]}")
        gdb.says("up-silently 100")
        gdb.says("set var over = 1")
        for name in (one for one in helpers if one.startswith("1.")):
            gdb.says(f"thread {name}")
            if " helper (" in gdb.says("backtrace"):  # others are the library's
                break
        gdb.says("continue&")
        end = time.monotonic() + WAIT
        while "could not find" not in gdb.says("python gdb.selected_thread()"):
            assert time.monotonic() < end, gdb.says("info threads")
        for command in ("why", "check", "list calls", "where", "status", "frame", "info"):
            said = gdb.says(f"mpipp {command}")
            assert "Python" not in said and "could not find" not in said, said
        assert DEADLOCK in gdb.says("mpipp why")
