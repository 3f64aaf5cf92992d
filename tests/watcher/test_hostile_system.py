# SPDX-License-Identifier: MIT
"""Systems that lack something, and debuggers on the watcher: the program continues."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.debug.terminal import debugging
from tests.support import MPI, ROOT, lacking, need, on_mpi
from tests.watcher import runs
from tests.watcher.test_hostile import NOTHING, ready, went_on
from tests.watcher.test_unwatched import ended, watcher_of

SHARED = "/dev/shm"
MOUNTS = {
    "none": f"mount -t tmpfs -o ro none {SHARED}",
    "full": f"mount -t tmpfs -o size=64k none {SHARED}; "
    f"head -c 100000 /dev/zero > {SHARED}/filling 2> /dev/null",
}


def checked(mpi: MPI, *around: str) -> runs.Run:
    """A checked run of a program with an error, started by another command."""
    program = str(runs.program("nodes.c", mpi))
    done = subprocess.run(
        [*around, sys.executable, "-m", "mpipp.cli", *runs.words(mpi), program, "near"],
        env={**mpi.env, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    return runs.read(done)


@on_mpi("openmpi4")  # Debian's MPICH does not start there
@pytest.mark.parametrize("how", MOUNTS)
def test_shared_memory(mpi: MPI, how: str) -> None:
    """The records need no file system."""
    apart = ["unshare", "-m", "sh", "-c", f'{MOUNTS[how]}; exec "$@"', "sh"]
    if os.geteuid() != 0 or subprocess.run([*apart, "true"], capture_output=True).returncode:
        lacking("only root mounts")
    found = checked(mpi, *apart)
    (block,) = found.blocks
    assert block.startswith("error: the types sent and received do not match, at the first ")
    assert found.status == 0
    assert found.last == ["mpipp: 1 error in 2 processes (80 MPI calls checked)"]


@pytest.mark.skipif(
    platform.machine() != "x86_64", reason="the filter has this machine's system calls"
)
@on_mpi("openmpi4", "mpich4")
def test_without_ptrace(mpi: MPI) -> None:
    """The watcher and mpipp debug in a container whose filter forbids to trace processes."""
    limited = [sys.executable, str(ROOT / "tests" / "support" / "without_ptrace.py")]
    found = checked(mpi, *limited)
    assert found.last == ["mpipp: 1 error in 2 processes (80 MPI calls checked)"]
    refused = "ptrace: Operation not permitted: allow debuggers to attach"
    program = runs.program("nodes.c", mpi)
    with debugging(program, mpi, 2, inside=lambda words: [*limited, *map(str, words)]) as gdb:
        said = "\n".join(gdb.start)
        assert f"rank 0: {refused} (docs/howto/containers.md)" in said
        gdb.leave()


@contextmanager
def debugger(pid: int) -> Iterator[subprocess.Popen[str]]:
    """A debugger that stops a process, and detaches at the end."""
    gdb = subprocess.Popen(
        [need("gdb"), "-nx", "-q", "-ex", f"attach {pid}", "-ex", "echo stopped\\n"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert gdb.stdout is not None and gdb.stdin is not None
    for line in gdb.stdout:
        if line.startswith("stopped"):
            break
    try:
        yield gdb
    finally:
        gdb.communicate("detach\nquit\n", timeout=60)


@pytest.mark.thorough
@on_mpi("mpich4")
def test_a_debugger_on_the_watcher(mpi: MPI) -> None:
    with ready(mpi, "three") as run, debugger(watcher_of(run.pid)):
        found = went_on(run)
    assert (found.status, found.blocks) == (3, [])
    assert found.last == [
        "mpipp: not checked: the watcher was stopped by a signal",
        f"{NOTHING}; exit status 3",
    ]


@on_mpi("mpich4")
def test_a_debugger_that_goes_on(mpi: MPI) -> None:
    with ready(mpi, "three") as run:
        with debugger(watcher_of(run.pid)):
            assert run.stdin is not None
            run.stdin.write("\n")
            run.stdin.close()
            run.stdin = None
        found = ended(run)
    assert (found.status, found.blocks) == (3, [])
    assert found.last == [
        "mpipp: nothing found in 2 processes (12 MPI calls checked); exit status 3"
    ]
