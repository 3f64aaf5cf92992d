# SPDX-License-Identifier: MIT
"""--on-hang=abort ends the job after the report, which has the stacks of all processes."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests import support
from tests.support import MPI, ROOT, on_mpi
from tests.watcher import runs
from tests.watcher.nodes.test_nodes import LAUNCHER

HEADLINE = "error: deadlock: rank 2 and rank 3 wait for each other"
# Ranks 0 and 1 may be late. In any case ranks 2 and 3 never continue.
STANDING = """\
        1  3      halo.c:35 in main
                  halo.c:17 in exchange
                  MPI_Recv(source 2, tag 2)"""
STACKS = """\
stacks of all processes:
  count  ranks  stack, outermost call first
      4  0-3    stacks.c:37 in main
      2  0-1      stacks.c:27 in step
                  stacks.c:20 in meet
                  MPI_Barrier
      1  2        stacks.c:28 in step
                  stacks.c:11 in compute
      1  3        stacks.c:29 in step
                  stacks.c:15 in rest
                  FUNCTION in LIBRARY
"""
PYTHON = """\
import sys, time
from mpi4py import MPI
def rest():
    time.sleep(1000)
def work(rank):
    if rank == 0:
        MPI.COMM_WORLD.Barrier()
    rest()
work(MPI.COMM_WORLD.rank)
"""
PYTHON_STACKS = """\
stacks of all processes:
  count  ranks  stack, outermost call first
      2  0-1    main.py:9 in <module>
      1  0        main.py:7 in work
                  MPI_Barrier
      1  1        main.py:8 in work
                  main.py:4 in rest
"""
RAISES = """\
from mpi4py import MPI
if MPI.COMM_WORLD.rank == 0:
    raise ValueError("no such file")
MPI.COMM_WORLD.Barrier()
"""
RAISED = """\
error: waits forever: rank 1 waits for rank 0, which will not communicate again
  rank 1 waits in MPI_Barrier, called at main.py:4 in <module>
    rank 0 has not called it, and is in MPI_Finalize, called at the end of the Python program
  stacks of all processes:
    count  ranks  stack, outermost call first
        1  0      the end of the Python program
                  MPI_Finalize
        1  1      main.py:4 in <module>
                  MPI_Barrier"""
HELD = """\
  objects in use, by the line that created them:
    rank 0:
      2 pending requests: MPI_Irecv, called at holdings.c:7 in receive
      1,200 datatypes from holdings.c:17 in main
    rank 1:
      exclusive lock of rank 0 in window "counter", made at holdings.c:18 in main
      1,200 datatypes from holdings.c:17 in main"""
ENDED = "; ended after a hang, exit status 86"


def stacks(text: str) -> str:
    """The reported stacks, without function names of the C library."""
    found = text[text.index("stacks of all processes") :].partition("\n\n")[0] + "\n"
    lines = found.splitlines(keepends=True)
    return "".join(re.sub(r"\w+ in libc\S+", "FUNCTION in LIBRARY", line) for line in lines)


@on_mpi("mpich4", "openmpi4", "mpich5", "openmpi5")
def test_a_deadlock(mpi: MPI, tmp_path: Path) -> None:
    """Processes that the launcher ends are not reported as dead."""
    program = support.compile_program(ROOT / "examples" / "halo.c", mpi)
    options = ["--on-hang=abort", "--hang-after", "1", "--error-exit", "9", "--report"]
    found = runs.run(mpi, [program], *options, str(tmp_path / "report"), n=4)
    assert found.status == 86
    block = runs.only(found.blocks)
    assert block.splitlines()[0] == HEADLINE
    assert STANDING in block
    assert found.last[-1].startswith("mpipp: 1 error in 4 processes (")
    assert block in (tmp_path / "report" / "findings.txt").read_text()
    done = support.shell("report", tmp_path / "report", "--format", "junit")
    (suite,) = ElementTree.fromstring(done.stdout)
    program_error, failure = (suite[0].find("error"), suite[1].find("failure"))
    assert program_error is not None and failure is not None
    assert program_error.get("message") == "exit status 86"
    assert failure.text == block


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_processes_outside_of_mpi(mpi: MPI, level: str) -> None:
    """The processes compute and might still call MPI, but have not done so for --hang-after
    seconds."""
    program = runs.program("stacks.c", mpi, level)
    done = runs.said(mpi, [program], "--on-hang", "abort", "--hang-after", "1", n=4)
    assert stacks(done.stderr) == STACKS, done.stderr
    found = runs.read(done)
    assert (found.status, found.blocks) == (86, [])
    assert found.last[-1].startswith("mpipp: nothing found in 4 processes (")
    assert found.last[-1].endswith(ENDED)


@on_mpi("mpich4", "openmpi5")
def test_python(mpi: MPI, tmp_path: Path) -> None:
    script = tmp_path / "main.py"
    script.write_text(PYTHON)
    options = "--on-hang=abort:7", "--hang-after", "1"
    done = runs.said(mpi, [mpi.python, script], *options)
    assert stacks(done.stderr) == PYTHON_STACKS, done.stderr
    assert done.returncode == 7


@on_mpi("mpich4", "openmpi4")
def test_what_processes_hold(mpi: MPI) -> None:
    program = runs.program("holdings.c", mpi)
    found = runs.run(mpi, [program], "--on-hang=abort", "--hang-after", "1")
    assert found.status == 86
    assert runs.only(found.blocks).endswith(HELD), found.blocks


@pytest.mark.thorough
@on_mpi("mpich4")
def test_a_process_that_has_raised_an_exception(mpi: MPI, tmp_path: Path) -> None:
    """The interpreter calls MPI_Finalize, at a C line that means nothing to the user."""
    script = tmp_path / "main.py"
    script.write_text(RAISES)
    found = runs.run(mpi, [mpi.python, script], "--on-hang=abort", "--hang-after", "1")
    assert (found.status, found.blocks) == (86, [RAISED])


@pytest.mark.thorough
@on_mpi("mpich4")
def test_on_another_node(mpi: MPI, tmp_path: Path) -> None:
    """The node's watcher has no connection to the launcher."""
    launcher = " ".join([sys.executable, "-I", "-S", str(LAUNCHER), "2", *mpi.mpiexec])
    words = ["run", "--check", "--on-hang=abort", "--hang-after", "1", "--mpiexec", launcher]
    program = runs.program("across.c", mpi)
    env = {"PYTHONPATH": str(ROOT)}
    done = support.shell(*words, "-n", "4", "--", program, "far", env=env, cwd=tmp_path)
    found = runs.read(done)
    assert (found.status, len(found.blocks)) == (86, 1), done.stderr
    assert re.search(r" 2  0,2 +across\.c:35 in main\n", found.blocks[0]), found.blocks
    assert list(tmp_path.iterdir()) == []


@on_mpi("mpich4")
def test_what_ends_in_time_is_not_ended(mpi: MPI) -> None:
    program = support.compile_program(ROOT / "examples" / "rows.c", mpi)
    found = runs.run(mpi, [program, "free"], "--on-hang=abort")
    assert (found.status, found.last[-1][:17]) == (0, "mpipp: no errors ")


WRONG = (
    ("--on-hang=abort", "--on-hang works only in checked runs: add --check"),
    (
        "--check --on-hang=stop",
        "--on-hang stop: write report, abort or abort:STATUS, with an exit status from 1 to 255",
    ),
    (
        "--check --on-hang=abort:256",
        "--on-hang abort:256: write report, abort or abort:STATUS, with an exit status from 1 to "
        "255",
    ),
    (
        "--check --on-hang=abort --hang-after 0",
        "--on-hang=abort ends a job that hangs, and --hang-after 0 looks for no hang: leave out "
        "one of them",
    ),
    (
        "--check --on-hang=abort --gdb",
        "--on-hang=abort would end processes that --gdb stops: leave out one of them",
    ),
)


@pytest.mark.parametrize(("words", "told"), WRONG)
def test_wrong_options(words: str, told: str) -> None:
    done = support.shell("run", *words.split(), "--", "no-program")
    assert (done.stderr, done.returncode) == (f"mpipp: {told}\n", 2)
