# SPDX-License-Identifier: MIT
"""Damage to the watcher by the system or the program.

The program continues, and the report lists the unchecked things.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from subprocess import Popen

import pytest

from mpipp.watcher.processes.liveness import goes_on
from tests.support import MPI, ROOT, lacking, need, on_mpi
from tests.watcher import runs
from tests.watcher.test_unwatched import arguments, children, ended, watcher_of

GONE = "mpipp: not checked: the watcher has ended before the program"
NOTHING = "mpipp: nothing found in 0 processes (0 MPI calls checked)"
THREE = f"{NOTHING}; exit status 3"


@contextmanager
def ready(mpi: MPI, how: str, *options: str, **environment: str) -> Iterator[Popen[str]]:
    """A watched run whose first process waits for input."""
    command = [*runs.words(mpi, *options), str(runs.program("hostile.c", mpi)), how]
    run = Popen(
        [sys.executable, "-m", "mpipp.cli", *command],
        env={**mpi.env, "PYTHONPATH": str(ROOT), **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert run.stdout is not None and run.stdin is not None
    assert run.stdout.readline() == "ready\n", run.communicate()[1]
    yield run


def went_on(run: Popen[str]) -> runs.Run:
    """Let the run continue, and return it when it has ended."""
    assert run.stdin is not None
    run.stdin.write("\n")
    run.stdin.close()
    run.stdin = None
    return ended(run)


def descendants(pid: int) -> Iterator[int]:
    for child in children(pid):
        yield child
        yield from descendants(child)


def stop(watcher: int) -> None:
    os.kill(watcher, signal.SIGSTOP)


def kill(watcher: int) -> None:
    os.kill(watcher, signal.SIGKILL)


def starve(watcher: int) -> None:
    """Let the watcher get no more memory."""
    resource.prlimit(watcher, resource.RLIMIT_AS, (1 << 20, 1 << 20))


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (stop, ["mpipp: not checked: the watcher was stopped by a signal", THREE]),
        (kill, [GONE, THREE]),
    ],
    ids=["stopped", "killed"],
)
def test_the_program_ends_without_its_watcher(
    mpi: MPI, harm: Callable[[int], None], said: list[str]
) -> None:
    with ready(mpi, "three") as run:
        watcher = watcher_of(run.pid)
        harm(watcher)
        found = went_on(run)
    assert (found.status, found.blocks, found.last) == (3, [], said)
    assert not goes_on(watcher)


@on_mpi("mpich4")
def test_the_program_ends_though_questions_are_left(mpi: MPI) -> None:
    with ready(mpi, "asks") as run:
        kill(watcher_of(run.pid))
        found = went_on(run)
    assert (found.status, found.blocks, found.last) == (0, [], [GONE, NOTHING])


def programs_of(run: Popen[str]) -> list[int]:
    """The ids of the program's two processes."""
    found = [pid for pid in descendants(run.pid) if "/hostile-" in arguments(pid)[0]]
    assert len(found) == 2
    return found


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
def test_a_process_that_is_stopped_for_a_while(mpi: MPI) -> None:
    """A process is stopped for longer than --hang-after. It has not died, and it waits
    for nobody."""
    with ready(mpi, "three", "--hang-after", "0.3") as run:
        last = max(programs_of(run))
        stop(last)
        assert run.stdin is not None
        run.stdin.write("\n")
        run.stdin.flush()
        time.sleep(1.5)
        os.kill(last, signal.SIGCONT)
        found = went_on(run)
    assert (found.status, found.blocks) == (3, [])
    assert found.last == [
        "mpipp: nothing found in 2 processes (12 MPI calls checked); exit status 3"
    ]


def heard_late(mpi: MPI, how: str) -> runs.Run:
    """A run in which the watcher reads no messages until all processes have ended."""
    with ready(mpi, how) as run:
        watcher = watcher_of(run.pid)
        programs = programs_of(run)
        stop(watcher)
        assert run.stdin is not None
        run.stdin.write("\n")
        run.stdin.flush()
        while any(os.path.exists(f"/proc/{pid}") for pid in programs):
            time.sleep(0.01)
        os.kill(watcher, signal.SIGCONT)
        return went_on(run)


ABORTED = """\
warning: a process has called MPI_Abort
  rank 1: MPI_Abort(comm = "MPI_COMM_WORLD", errorcode = 3)
    called at hostile.c:84 in main
    meanwhile rank 0: MPI_Barrier, called at hostile.c:94 in main
"""


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
def test_who_has_ended_first_though_it_is_heard_late(mpi: MPI) -> None:
    """A process announces its end before it aborts the others, so its message comes first."""
    found = heard_late(mpi, "aborts")
    assert [block[: len(ABORTED)] for block in found.blocks] == [ABORTED]


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
def test_a_call_after_finalize_that_is_heard_late(mpi: MPI) -> None:
    found = heard_late(mpi, "late")
    what = "error: MPI_Comm_free is called after MPI_Finalize\n"
    assert any(block.startswith(what) for block in found.blocks), found


@on_mpi("mpich4", "openmpi4")
def test_a_process_that_has_ended_while_it_was_asked_about(mpi: MPI) -> None:
    """Data outside the memory file is gone with the process."""
    found = heard_late(mpi, "dies")
    assert found.last[:-1] == [
        f"mpipp: not checked: rank 1: {what}"
        for what in (
            "a call that had to be checked: the process ended first",
            "the system has no memory left that the watcher can read",
        )
    ]


@on_mpi("mpich4")
def test_a_watcher_without_memory(mpi: MPI) -> None:
    with ready(mpi, "records") as run:
        starve(watcher_of(run.pid))
        found = went_on(run)
    assert (found.status, found.blocks) == (3, [])
    assert found.last[-1] == THREE and len(found.last) > 1


UNSEEN = (
    "mpipp: not checked: rank 1 is no longer watched: it has executed another program, or closed "
    "its files"
)


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
def test_a_process_that_becomes_another_program_has_not_died(mpi: MPI) -> None:
    with ready(mpi, "exec") as run:
        found = went_on(run)
    assert found.blocks == []
    assert found.last[0] == UNSEEN and len(found.last) == 2


@on_mpi("mpich4")
def test_a_process_that_overwrites_its_records(mpi: MPI) -> None:
    with ready(mpi, "scribble") as run:
        found = went_on(run)
    assert "Traceback" not in found.output and len(found.last) > 1
    assert found.last[0].startswith("mpipp: not checked: ")


@on_mpi("mpich4")
def test_other_users_are_refused(mpi: MPI) -> None:
    if os.geteuid() != 0:
        lacking("only root becomes another user")
    with ready(mpi, "well") as run:
        directory = directory_of(run.pid)
        assert asked_by_nobody(directory) == "Permission denied"
        # Pretend that other users may enter.
        directory.chmod(0o755)
        (directory / "watcher").chmod(0o777)
        assert asked_by_nobody(directory) in ("", "Broken pipe", "Connection reset by peer")
        (directory / "launcher").chmod(0o777)
        assert asked_by_nobody(directory, "launcher") in ("", "Broken pipe")
        found = went_on(run)
    assert found.last[0] == (
        "mpipp: not checked: user 65534 connected to the watcher of another user"
    )
    assert (found.status, found.blocks, len(found.last)) == (0, [], 2)


def directory_of(run: int) -> Path:
    """The directory of a run's sockets."""
    words = (word for pid in children(run) for word in arguments(pid))
    return next(Path(word) for word in words if (Path(word) / "watcher").is_socket())


def asked_by_nobody(directory: Path, name: str = "watcher") -> str:
    """The reason why another user cannot connect to the watcher or the launcher; "" if they can."""
    kind, said = "SEQPACKET", b"MPIPPRUN"
    if name == "launcher":
        kind, said = "STREAM", b'{"failed": "nobody says so"}\n'
    script = (
        "import os, socket, sys\n"
        "os.setgid(65534); os.setuid(65534)\n"
        f"made = socket.socket(socket.AF_UNIX, socket.SOCK_{kind})\n"
        f"try: made.connect(sys.argv[1]); made.send({said!r})\n"
        "except OSError as error: print(error.strerror)\n"
    )
    words = [need("python3"), "-I", "-S", "-c", script, str(directory / name)]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


@on_mpi("mpich4")
def test_names_in_the_program_reach_no_terminal(mpi: MPI, tmp_path: Path) -> None:
    """The name of a source file, from debug information, begins no line and is not executed."""
    source = tmp_path / "a\x1b[31m\nmpipp: no errors.c"
    source.write_text(runs.program_source("ends.c").read_text())
    words = [mpi.mpicc, "-g", "-w", str(source), "-o", "program"]
    subprocess.run(words, cwd=tmp_path, env=mpi.env, check=True)
    done = runs.said(mpi, [tmp_path / "program", "leak"])
    assert "\x1b" not in done.stderr
    assert "made at a\\033[31m\\nmpipp: no errors.c:" in done.stderr
    own = [line for line in done.stderr.splitlines() if line.startswith("mpipp: ")]
    assert own == ["mpipp: 1 warning in 2 processes (13 MPI calls checked)"]


@on_mpi("mpich4")
def test_a_full_disk(mpi: MPI, tmp_path: Path) -> None:
    """Neither the run's sockets nor its report need disk space."""
    full = tmp_path / "full"
    full.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(full)]
    if os.geteuid() != 0 or subprocess.run(words, capture_output=True).returncode:
        lacking("only root mounts")
    try:
        with ready(mpi, "well", "--report", str(full / "report"), TMPDIR=str(full)) as run:
            with open(full / "filling", "wb", buffering=0) as file, suppress(OSError):
                while file.write(bytes(4096)):
                    pass
            found = went_on(run)
    finally:
        subprocess.run(["umount", "-l", str(full)], check=True)
    assert (found.status, found.blocks) == (0, [])
    assert any("No space left on device" in line for line in found.last), found.last
