# SPDX-License-Identifier: MIT
"""Becomes the program, with the wrapper in it, once the node has a watcher.

It runs as a file before each process of a job: it must cost little, and imports nothing of mpipp.

    python -I -S launch.py DIRECTORY WRAPPER SETTINGS [NAME=VALUE...] -- PROGRAM [ARGUMENT...]
"""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import socket
import stat
import struct
import sys
import time

TYPE_CHECKING = False  # as typing has it, which takes long to load
if TYPE_CHECKING:
    from collections.abc import MutableMapping, Sequence
    from typing import NoReturn

SOCKET, LOCK = "watcher", "lock"  # their names in the run's directory
BESIDE = "libmpipp_free.so"  # beside the wrapper; it is loaded, too, where it is told of memory
NOWHERE = "-"  # in place of a directory: nobody watches; some launchers drop an empty word
END = "--"  # of the variables
_BACKLOG = 4096
_PATIENCE = 30.0  # seconds until another process has given up the lock: it holds it for moments
_STEP = 0.005
_CREDENTIALS = struct.Struct("=iII")
_TIME = struct.Struct("@ll")  # struct timeval
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
    """The lock of a run's directory, which is made again if a watcher has just removed it.

    Raises OSError, also if another process does not give it up.
    """
    while True:
        folder = private(directory)
        try:
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            lock = os.open(LOCK, flags, 0o600, dir_fd=folder)
        except FileNotFoundError:
            continue
        finally:
            os.close(folder)
        try:
            _take(lock)
            if os.fstat(lock).st_nlink:
                return lock
        except BaseException:
            os.close(lock)
            raise
        os.close(lock)


def private(directory: str) -> int:
    """A directory that only this user may enter, open; it is made if it is not there.

    Raises OSError, also where it is not this user's alone.
    """
    try:
        os.mkdir(directory, 0o700)
    except FileExistsError:
        pass
    except FileNotFoundError:
        os.close(private(os.path.dirname(directory)))
        os.mkdir(directory, 0o700)
    folder = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    found = os.fstat(folder)
    if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o077:
        os.close(folder)
        raise OSError(errno.EPERM, "another user owns it, or may enter it")
    return folder


def _take(lock: int) -> None:
    # Not by a timer: one that is set already is the program's.
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > until:
                reason = f"another process has had its lock for {_PATIENCE:g} seconds"
                raise OSError(errno.EBUSY, reason) from None
        time.sleep(_STEP)


def peer(connection: socket.socket) -> tuple[int, int]:
    """The process at the other end as the system knows it: its number, and its user's."""
    size = _CREDENTIALS.size
    data = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    pid, user, _ = _CREDENTIALS.unpack(data)
    return pid, user


def connect(made: socket.socket, path: str) -> None:
    """Connect to the socket of another process of this user. Raises OSError."""
    made.connect(path)
    if peer(made)[1] != os.geteuid():
        raise OSError(errno.EPERM, "another user listens there")


def _announce(path: str) -> bool:
    # This process is about to become a program.
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as made:
        # Not settimeout(): the socket would then fail at once where many wait to be accepted.
        made.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _TIME.pack(int(_PATIENCE), 0))
        try:
            connect(made, path)
            made.send(b"MPIPPRUN" + _rank().encode())
        except BlockingIOError:
            raise OSError(errno.EAGAIN, "its watcher does not answer") from None
        except PermissionError:
            raise
        except OSError:  # there is none, or it has just ended
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
    package = os.path.abspath(__file__)
    for _ in range(4):  # mpipp/watcher/ipc/launch.py
        package = os.path.dirname(package)
    path = [package, os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, path))}
    for name in ("LD_PRELOAD", "MPIPP_WATCH"):
        environment.pop(name, None)
    words = [sys.executable, "-m", "mpipp.watcher", directory, settings]
    os.chdir("/")
    os.execve(sys.executable, words, environment)


def ignore_nothing() -> None:
    """Python ignores some signals, and what this process becomes would inherit that."""
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)


def restore_locale(environment: MutableMapping[str, str]) -> None:
    """Undo what Python does to LC_CTYPE: it sets that for its children if the locale is C."""
    try:
        with open("/proc/self/environ", "rb") as file:
            words = file.read().split(b"\0")
    except OSError:
        return
    name = b"LC_CTYPE="
    before = [word[len(name) :] for word in words if word.startswith(name)]
    if before:
        environment["LC_CTYPE"] = os.fsdecode(before[0])
    else:
        environment.pop("LC_CTYPE", None)


def _name_program(environment: MutableMapping[str, str], program: Sequence[str]) -> None:
    # Open MPI tells processes which program it has started (MPI_INFO_ENV): this one, or the shell
    # before it. Version 4 leaves out the directory, and version 5 splits the line at spaces.
    ours = [os.path.basename(word) for word in (sys.executable, sys.argv[0], "sh")]
    if os.path.basename(environment.get("OMPI_COMMAND", "")) not in ours:
        return
    if "OMPI_MCA_orte_hnp_uri" in environment:
        environment["OMPI_COMMAND"] = os.path.basename(program[0])
        environment["OMPI_ARGV"] = " ".join(program[1:])
        if not program[1:]:
            del environment["OMPI_ARGV"]
    else:
        words = [word for word in " ".join(program).split(" ") if word]
        environment["OMPI_COMMAND"] = words[0]
        environment["OMPI_ARGV"] = " ".join(words[1:])


def become(directory: str, wrapper: str, settings: str, program: Sequence[str]) -> NoReturn:
    """Become the program, with the wrapper in it and the environment that it would have by itself.

    Args:
        directory: of the run's socket, on this node; "": it is not watched.
        settings: the watcher's, those of mpipp.watcher.ipc.settings; JSON.
    """
    environment = dict(os.environ)
    restore_locale(environment)
    _name_program(environment, program)
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
        _execute(program, environment)
    except OSError as error:
        sys.stderr.write(f"mpipp: cannot start {program[0]}: {error.strerror}\n")
        sys.exit(127)


def _execute(program: Sequence[str], environment: MutableMapping[str, str]) -> NoReturn:
    # As execvp does it, so that a script need not say what runs it.
    name = program[0]
    directories = [""] if "/" in name else os.get_exec_path(environment)
    problem: OSError = FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    for place in directories:
        path = os.path.join(place, name)
        try:
            os.execve(path, list(program), environment)
        except OSError as error:
            if error.errno == errno.ENOEXEC:
                os.execve("/bin/sh", ["/bin/sh", path, *program[1:]], environment)
            if error.errno not in (errno.ENOENT, errno.ENOTDIR):
                problem = error
    raise problem


def _main(directory: str, wrapper: str, settings: str, *words: str) -> NoReturn:
    end = words.index(END)
    pairs = (word.partition("=") for word in words[:end])
    os.environ.update({name: value for name, _, value in pairs})
    where = "" if directory == NOWHERE else on_node(directory)
    become(where, wrapper, settings, words[end + 1 :])


if __name__ == "__main__":
    _main(*sys.argv[1:])
