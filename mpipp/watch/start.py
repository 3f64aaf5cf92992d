# SPDX-License-Identifier: MIT
"""Becomes the program, with the wrapper in it, once the node has a watcher.

It runs as a file before each process of a job: it must cost little, and imports nothing of mpipp.

    python -I -S start.py DIRECTORY WRAPPER SETTINGS PROGRAM [ARGUMENT...]
"""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import sys

TYPE_CHECKING = False  # as typing has it, which takes long to load
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

SOCKET, LOCK = "watcher", "lock"  # their names in the run's directory
BESIDE = "libmpipp_free.so"  # beside the wrapper; it is loaded, too, where it is told of memory
_BACKLOG = 4096
_RANKS = ("PMIX_RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID", "PALS_RANKID")


def node() -> str:
    """The name of this node. MPIPP_NODE makes several of one, which share no watcher."""
    name = os.environ.get("MPIPP_NODE") or socket.gethostname()
    return "".join(c if c.isalnum() or c in "-." else "_" for c in name)[:32]


def on_node(directory: str) -> str:
    """The path of a run's directory that processes of this node alone use."""
    return f"{directory}-{node()}" if os.environ.get("MPIPP_NODE") else directory


def watched(directory: str, settings: str) -> str:
    """The path of the watcher's socket; a watcher is started if there is none.

    Raises OSError.
    """
    path = os.path.join(directory, SOCKET)
    lock = locked(directory)
    try:
        if not _announce(path):
            _start(path, directory, settings)
            _announce(path)
    finally:
        os.close(lock)
    return path


def locked(directory: str) -> int:
    """The lock of a run's directory, which is made again if a watcher has just removed it."""
    while True:
        os.makedirs(directory, 0o700, exist_ok=True)
        path = os.path.join(directory, LOCK)
        try:
            lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except FileNotFoundError:
            continue
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.fstat(lock).st_nlink:
            return lock
        os.close(lock)


def _announce(path: str) -> bool:
    # This process is about to become a program.
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as made:
        try:
            made.connect(path)
            made.send(b"MPIPPRUN" + _rank().encode())
        except OSError:
            return False
    return True


def _rank() -> str:
    # As the launcher says; "": it does not.
    found = (os.environ[name] for name in _RANKS if name in os.environ)
    return next((rank for rank in found if rank.isdecimal() and rank.isascii()), "")


def _start(path: str, directory: str, settings: str) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        if os.path.lexists(path):
            os.unlink(path)
        listener.bind(path)
        listener.listen(_BACKLOG)
        child = os.fork()
        if child:
            os.waitpid(child, 0)
            return
        # A session of its own, and nobody's child: launchers wait for theirs.
        try:
            os.setsid()
            if os.fork():
                os._exit(0)
            _become_watcher(listener.fileno(), directory, settings)
        finally:
            os._exit(1)


def _become_watcher(listener: int, directory: str, settings: str) -> None:
    os.dup2(listener, 3)
    os.set_inheritable(3, True)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    if os.path.exists(os.path.join(directory, "launcher")):  # which prints what is found
        os.dup2(nothing, 2)
    os.closerange(4, 65536)
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    path = [package, os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, path))}
    for name in ("LD_PRELOAD", "MPIPP_WATCH"):
        environment.pop(name, None)
    words = [sys.executable, "-m", "mpipp.watch", directory, settings]
    os.chdir("/")
    os.execve(sys.executable, words, environment)


def ignore_nothing() -> None:
    """Python ignores some signals, and what this process becomes would inherit that."""
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)


def become(directory: str, wrapper: str, settings: str, program: Sequence[str]) -> NoReturn:
    """Become the program, with the wrapper in it.

    Args:
        directory: of the run's socket, on this node; "": it is not watched.
        settings: the watcher's, those of mpipp.watch.settings; JSON.
    """
    environment = dict(os.environ)
    before = environment.get("LD_PRELOAD")
    have = [
        name for name in (before or "").split(":") if name
    ]  # the launcher's, for what is spawned
    wanted = [wrapper]
    beside = os.path.join(os.path.dirname(wrapper), BESIDE)
    is_told = environment.get("MPIPP_GUARD") == "1" or "MPIPP_RMA" in environment
    if is_told and os.path.exists(beside):
        wanted.append(beside)
    environment["LD_PRELOAD"] = ":".join([*(name for name in wanted if name not in have), *have])
    try:
        if directory:
            environment["MPIPP_WATCH"] = watched(directory, settings)
    except OSError as error:
        sys.stderr.write(f"mpipp: not watched: {directory}: {error.strerror}\n")
    ignore_nothing()
    try:
        os.execvpe(program[0], list(program), environment)
    except OSError as error:
        sys.stderr.write(f"mpipp: cannot start {program[0]}: {error.strerror}\n")
        sys.exit(127)


if __name__ == "__main__":
    become(on_node(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:])
