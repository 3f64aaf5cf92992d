# SPDX-License-Identifier: MIT
"""Running jobs of Slurm: their stacks, and a gdb that attaches to all ranks, by job number."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from tests.cli.test_stacks import WHY
from tests.debug.terminal import Debugger
from tests.gdb import expectations
from tests.gdb.processes.test_all_ranks import WHERE
from tests.slurm.batch_system import BatchSystem, batch_system
from tests.slurm.test_checked_jobs import LAYOUT, MPIPP, start
from tests.support import MPI, compile_program, on_mpi, symbols, wait_until

pytestmark = pytest.mark.thorough

PROGRAM = expectations.PROGRAMS / "look.c"
STOPPED = r"no process was stopped for more than \d+ ms\n"


@contextmanager
def array(slurm: BatchSystem, mpi: MPI) -> Iterator[str]:
    """Run two tasks of an array that hang. Yields the number of the array when all ranks have
    reached their places."""
    program = ["env", f"LD_PRELOAD={mpi.preload()}", str(compile_program(PROGRAM, mpi))]
    words = ["sbatch", "--parsable", "--array=3-4", "--output=/dev/null", *LAYOUT]
    done = slurm.run([*words, f"--wrap={shlex.join([*start(mpi), *program])}"])
    number = done.stdout.strip()
    assert number.isdigit(), done.stderr

    def found() -> list[str]:
        return [stacks(slurm, f"{number}_{task}") for task in (3, 4)]

    expected = re.escape(WHERE) + STOPPED
    wait_until(lambda: all(re.fullmatch(expected, one) for one in found()), lambda: str(found()))
    yield number


def stacks(slurm: BatchSystem, *words: str) -> str:
    """Return the output of `mpipp stacks` on the head node."""
    done = slurm.run(slurm.alone([*MPIPP, "stacks", *words]))
    return done.stdout + done.stderr


@on_mpi("mpich4", "openmpi4")
def test_stacks_and_a_debugger_of_all_nodes(mpi: MPI) -> None:
    with batch_system("node1", "node2") as slurm, array(slurm, mpi) as number:
        job = f"{number}_3"
        assert re.fullmatch(re.escape(WHERE) + STOPPED, stacks(slurm, f"{job}.0"))
        assert stacks(slurm, job, "--why") == WHY
        assert f"{number} stands for 2 running jobs: choose one of {number}_" in stacks(
            slurm, number
        )
        assert f"there is no job {job}.7 on this machine" in stacks(slurm, f"{job}.7")
        # The same on a node of the job, which has ranks.
        task = slurm.run(["squeue", "--noheader", "--jobs", job, "--format=%A"]).stdout.strip()
        on_node = ["srun", f"--jobid={task}", "--overlap", "--nodelist=node2", "--ntasks=1"]
        said = slurm.run([*on_node, "--nodes=1", *MPIPP, "stacks", task])
        assert re.fullmatch(re.escape(WHERE) + STOPPED, said.stdout), said.stdout + said.stderr
        quietly = shlex.join(["-nx", *(word for one in symbols() for word in ("-iex", one))])
        words = [f"--gdb-options={quietly}", "--attach", job]
        gdb = Debugger(words, mpi, slurm.environment(mpi.env), slurm.alone)
        try:
            assert "\n".join(gdb.ask("mpipp where")) == WHERE.rstrip()
            assert gdb.ask("mpipp print rank --ranks")[:1] == ["rank 0: rank = 0"]
            assert gdb.leave() == 0
        finally:
            gdb.child.close(force=True)
        # The job still runs.
        assert re.fullmatch(re.escape(WHERE) + STOPPED, stacks(slurm, job))


@on_mpi("mpich4", "openmpi4")
def test_a_debugger_starts_a_job_with_srun(mpi: MPI) -> None:
    quietly = shlex.join(["-nx", *(word for one in symbols() for word in ("-iex", one))])
    words = ["-n", "4", "--mpiexec", shlex.join(start(mpi)), f"--gdb-options={quietly}"]
    words += ["--", str(compile_program(PROGRAM, mpi))]

    def inside(command: Sequence[str]) -> list[str]:
        return slurm.alone(["salloc", "--quiet", *LAYOUT, *command])

    with batch_system("node1", "node2") as slurm:
        gdb = Debugger(words, mpi, slurm.environment(mpi.env), inside)
        try:
            assert gdb.start[-2] == "ranks 0 to 3: main at look.c:42", gdb.start
            assert gdb.ask("mpipp status")[-1] == "    4  0-3    computing at look.c:42 in main"
            assert gdb.leave() == 0
        finally:
            gdb.child.close(force=True)


@on_mpi("mpich4")
def test_stacks_of_the_job_of_an_allocation(mpi: MPI) -> None:
    words = shlex.join([*start(mpi), str(compile_program(PROGRAM, mpi))])
    show = shlex.join([*MPIPP, "stacks"])
    script = f"""
        LD_PRELOAD={mpi.preload()} {words} >/dev/null 2>&1 &
        until {show} 2>&1 | grep -q 'source 3, tag 2'; do sleep 0.5; done
        {show}
        scancel $SLURM_JOB_ID
    """
    with batch_system("node1", "node2") as slurm:
        done = slurm.run(slurm.alone(["salloc", "--quiet", *LAYOUT, "sh", "-c", script]))
    assert re.fullmatch(re.escape(WHERE) + STOPPED, done.stdout), done.stdout + done.stderr
