# SPDX-License-Identifier: MIT
"""The directory of a run's sockets belongs to this user alone, and never prevents a start."""

from __future__ import annotations

import fcntl
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mpipp.watcher.ipc import launch
from tests.support import lacking, short_directory

NOBODY = 65534


def test_it_is_made_with_those_above_it(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        os.close(launch.private(str(tmp_path / "job" / "run")))
    finally:
        os.umask(before)
    for path in (tmp_path / "job", tmp_path / "job" / "run"):
        assert path.stat().st_mode & 0o777 == 0o700
    os.close(launch.private(str(tmp_path / "job" / "run")))


@pytest.mark.parametrize("mode", [0o701, 0o710, 0o755, 0o777])
def test_others_may_not_enter_it(tmp_path: Path, mode: int) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run").chmod(mode)
    with pytest.raises(OSError, match="another user owns it, or may enter it"):
        launch.private(str(tmp_path / "run"))


def test_another_user_has_made_it(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        lacking("only root gives files to another user")
    (tmp_path / "run").mkdir(0o700)
    os.chown(tmp_path / "run", NOBODY, NOBODY)
    with pytest.raises(OSError, match="another user owns it, or may enter it"):
        launch.locked(str(tmp_path / "run"))
    assert os.listdir(tmp_path / "run") == []


def test_names_in_it_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir(0o700)
    (tmp_path / "link").symlink_to(tmp_path / "run")
    with pytest.raises(OSError, match="Not a directory"):
        launch.locked(str(tmp_path / "link"))
    (tmp_path / "run" / launch.LOCK).symlink_to(tmp_path / "made")
    with pytest.raises(OSError, match="Too many levels of symbolic links"):
        launch.locked(str(tmp_path / "run"))
    assert not (tmp_path / "made").exists()


@contextmanager
def held(directory: Path) -> Iterator[None]:
    directory.mkdir(0o700)
    with open(directory / launch.LOCK, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def test_a_lock_that_is_held_is_not_awaited_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launch, "_PATIENCE", 0.1)
    with held(tmp_path / "run"), pytest.raises(OSError, match="another process has had its lock"):
        launch.locked(str(tmp_path / "run"))
    os.close(launch.locked(str(tmp_path / "run")))


def become(directory: Path, *program: str) -> subprocess.CompletedProcess[str]:
    """Do the same as a process of a job before it becomes the program."""
    script = (
        "import os, sys; sys.path.insert(0, sys.argv[1]); import launch; launch._PATIENCE = 0.1; "
        "launch.become(sys.argv[2], '/none.so', '{}', sys.argv[3:])"
    )
    words = [sys.executable, "-I", "-c", script, os.path.dirname(launch.__file__), str(directory)]
    return subprocess.run([*words, *program], capture_output=True, text=True, check=False)


def test_the_program_starts_though_the_lock_is_held(tmp_path: Path) -> None:
    with held(tmp_path / "run"):
        done = become(tmp_path / "run", "sh", "-c", 'echo "watched: $MPIPP_WATCH"; exit 3')
    assert (done.returncode, done.stdout) == (3, "watched: \n")
    said = f"mpipp: not watched: {tmp_path}/run: another process has had its lock for 0.1 seconds"
    assert said in done.stderr.splitlines()


def test_the_program_starts_though_another_user_was_there_first(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        lacking("only root gives files to another user")
    (tmp_path / "run").mkdir(0o777)
    os.chown(tmp_path / "run", NOBODY, NOBODY)
    done = become(tmp_path / "run", "sh", "-c", 'echo "watched: $MPIPP_WATCH"; exit 3')
    assert (done.returncode, done.stdout) == (3, "watched: \n")
    said = f"mpipp: not watched: {tmp_path}/run: another user owns it, or may enter it"
    assert said in done.stderr.splitlines()


LISTENS = """
import os, socket, sys
made = socket.socket(socket.AF_UNIX, getattr(socket, sys.argv[2]))
made.bind(sys.argv[1])
os.chmod(sys.argv[1], 0o777)
os.setgid(65534)
os.setuid(65534)
made.listen()
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("kind", ["SOCK_SEQPACKET", "SOCK_STREAM"])
def test_a_socket_of_another_user_is_not_talked_to(kind: str) -> None:
    if os.geteuid() != 0:
        lacking("only root becomes another user")
    with short_directory() as directory:
        path = directory / launch.SOCKET
        words = [sys.executable, "-c", LISTENS, str(path), kind]
        with (
            subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            ) as other,
            socket.socket(socket.AF_UNIX, getattr(socket, kind)) as made,
        ):
            assert other.stdout is not None and other.stdin is not None
            assert other.stdout.readline() == "ready\n"
            with pytest.raises(OSError, match="another user listens there"):
                launch.connect(made, str(path))
            other.stdin.close()
        path.unlink()


def test_a_watcher_that_accepts_nobody_is_not_awaited_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The watcher is stopped, and more processes wait than its queue can hold."""
    monkeypatch.setattr(launch, "_PATIENCE", 1)
    with (
        short_directory() as directory,
        socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener,
    ):
        listener.bind(str(directory / launch.SOCKET))
        listener.listen(0)
        begun = time.monotonic()
        with pytest.raises(OSError, match="its watcher does not answer"):
            for _ in range(3):
                launch._announce(str(directory / launch.SOCKET))
        assert time.monotonic() - begun < 60
        (directory / launch.SOCKET).unlink()
