# SPDX-License-Identifier: MIT
"""Running jobs on several nodes: their stacks, and a gdb that attaches to all ranks."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from tests.cli.test_stacks import WHY
from tests.debug.terminal import Debugger
from tests.gdb import expectations
from tests.gdb.processes.test_all_ranks import WHERE
from tests.nodes.cluster import Cluster, cluster
from tests.nodes.test_debug_nodes import expect_nothing_left
from tests.support import (
    MPI,
    ROOT,
    clean_environment,
    compile_program,
    end,
    on_mpi,
    symbols,
    wait_until,
)

PROGRAM = expectations.PROGRAMS / "look.c"
HOSTS = ["head", "node1", "node2", "node1"]
STOPPED = r"no process was stopped for more than \d+ ms\n"
STATUS = """\
count  ranks  state
    2  0-1    in MPI_Barrier, called at look.c:36 in exchange
    1  2      in MPI_Wait(MPI_Irecv(source 3, tag 2)), called at look.c:34 in exchange
    1  3      in pause in libc.so.6, called at look.c:15 in compute
"""


@contextmanager
def running(nodes: Cluster, mpi: MPI) -> Iterator[int]:
    """Run a job that hangs; yields the process ID of its launcher when all ranks have reached their
    places."""
    program = ["env", f"LD_PRELOAD={mpi.preload()}", str(compile_program(PROGRAM, mpi))]
    words = nodes.inside([*nodes.launcher(mpi, HOSTS), "-n", str(len(HOSTS)), *program])
    with subprocess.Popen(
        words, env={**mpi.env, **nodes.environment}, stdout=subprocess.DEVNULL, text=True
    ) as launcher:
        try:
            read = partial(stacks, nodes, launcher.pid)
            wait_until(lambda: re.fullmatch(re.escape(WHERE) + STOPPED, read()), read)
            yield launcher.pid
        finally:
            end(launcher)


def stacks(nodes: Cluster, job: int, *options: str, shell: str = "") -> str:
    """Return the output of `mpipp stacks` on the head node."""
    words = [sys.executable, "-m", "mpipp.cli", "stacks", str(job), *options]
    done = subprocess.run(
        nodes.inside([*words, "--remote-shell", shell or nodes.ssh]),
        env=clean_environment(PYTHONPATH=str(ROOT)),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


@on_mpi("mpich4", "openmpi4")
def test_stacks_and_a_debugger_of_all_nodes(mpi: MPI) -> None:
    with cluster("node1", "node2") as nodes, running(nodes, mpi) as job:
        assert re.fullmatch(re.escape(STATUS) + STOPPED, stacks(nodes, job, "--status"))
        printed = stacks(nodes, job, "--print", "field[1][2]")
        assert printed.startswith("ranks 0, 1 and 3: field[1][2] = 6\nrank 2: field[1][2] = 9\n")
        assert stacks(nodes, job, "--why") == WHY
        quietly = shlex.join(["-nx", *(word for one in symbols() for word in ("-iex", one))])
        words = [f"--gdb-options={quietly}", "--remote-shell", str(nodes.ssh), "--attach", str(job)]
        gdb = Debugger(words, mpi, {}, nodes.inside)
        try:
            assert "\n".join(gdb.ask("mpipp where")) == WHERE.rstrip()
            assert gdb.ask("mpipp print rank --ranks")[:1] == ["rank 0: rank = 0"]
            assert gdb.leave() == 0
        finally:
            gdb.child.close(force=True)
        # The job still runs, so the stacks can be read again.
        assert re.fullmatch(re.escape(WHERE) + STOPPED, stacks(nodes, job))
        expect_nothing_left(nodes, "none")
        found = stacks(nodes, job, shell="false")
        assert "cannot run mpipp on node1 by false (exit status 1)" in found
