# SPDX-License-Identifier: MIT
"""Start the node's watcher if there is none, then become the program with the wrapper.

Each process of a job runs this file first. So it must be fast, and imports nothing of mpipp.

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

TYPE_CHECKING = False  # replaces `typing.TYPE_CHECKING`, because `typing` is slow to import
if TYPE_CHECKING:
    from collections.abc import Mapping, MutableMapping, Sequence
    from typing import NoReturn

SOCKET, LOCK = "watcher", "lock"  # names in the run's directory
HOLD = "MPIPP_HOLD"  # the socket at which processes wait for the debugger
HOLD_SPAWNED = "MPIPP_HOLD_SPAWNED"  # the same socket, for processes from MPI_Comm_spawn
# The parts of the wrapper that are separate libraries, in the order of loading. For each
# part: the environment variables that request it, and the message if its library is missing.
PARTS = {
    "check": (("MPIPP_STRICT",), "not checked: collective calls before they begin"),
    "guard": (("MPIPP_GUARD", "MPIPP_RMA"), "not checked: buffers of pending operations"),
    "rma": (("MPIPP_RMA",), "not checked: one-sided communication"),
    "perturb": (
        ("MPIPP_PROVOKE", "MPIPP_PROVOKE_RMA", "MPIPP_PROVOKE_MATCH"),
        "not perturbed: the schedule",
    ),
    "hold": ((HOLD,), "not stopped for the debugger: this process"),
    "death": (("MPIPP_BACKTRACE",), "not read: the stacks of processes that signals kill"),
}
INTERPOSER = "libmpipp_free.so"  # also loaded for parts that must learn of freed memory
SCREEN = "libmpipp_screen.so"  # loaded by the watcher, to analyse one-sided communication
# Begins the line by which a process on another node passes its socket and node to the debugger.
NODE_OF = "mpipp-node-of "
NOWHERE = "-"  # the directory argument without a watcher: some launchers drop ""
END = "--"  # separates the variables from the program
_BACKLOG = 4096
_PATIENCE = 30.0  # seconds to wait for the lock, which other processes hold only for moments
_STEP = 0.005
_CREDENTIALS = struct.Struct("=iII")
_TIME = struct.Struct("@ll")  # struct timeval
_RANKS = ("PMIX_RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID", "PALS_RANKID")


def node() -> str:
    """The name of this node. MPIPP_NODE can divide one machine into several nodes for tests."""
    name = os.environ.get("MPIPP_NODE") or socket.gethostname()
    return "".join(c if c.isalnum() or c in "-." else "_" for c in name)[:32]


def on_node(directory: str) -> str:
    """The path of a run's directory that only processes of this node use."""
    return f"{directory}-{node()}" if os.environ.get("MPIPP_NODE") else directory


def watched(directory: str, wrapper: str, settings: str) -> str:
    """The path of the watcher's socket. Starts a watcher if there is none.

    Raises OSError.
    """
    path = os.path.join(directory, SOCKET)
    lock = locked(directory)
    try:
        if not _announce(path):
            _start(path, directory, wrapper, settings)
            _announce(path)
    finally:
        os.close(lock)
    return path


def locked(directory: str) -> int:
    """Lock a run's directory. Creates the directory again if a watcher has just removed it.

    Returns a file descriptor. Raises OSError, also if another process keeps the lock.
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
    """Open a directory that only this user may enter. Creates it if it does not exist.

    Returns a file descriptor. Raises OSError, also if other users may enter the directory.
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
    # Do not use a timer, because the program would inherit it.
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
    """The process id and user id of the other end, from the system."""
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
    # Notify the watcher that this process is about to become a program.
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as made:
        # With settimeout(), connect() would fail at once if the queue of connections is full.
        made.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _TIME.pack(int(_PATIENCE), 0))
        try:
            connect(made, path)
            made.send(b"MPIPPRUN" + rank().encode())
        except BlockingIOError:
            raise OSError(errno.EAGAIN, "its watcher does not answer") from None
        except PermissionError:
            raise
        except OSError:  # no watcher listens, or it has just ended
            return False
    return True


def rank() -> str:
    """The rank of this process from the launcher; "" if it sets none."""
    found = (os.environ[name] for name in _RANKS if name in os.environ)
    return next((rank for rank in found if rank.isdecimal() and rank.isascii()), "")


def _start(path: str, directory: str, wrapper: str, settings: str) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        if os.path.lexists(path):
            os.unlink(path)
        listener.bind(path)
        listener.listen(_BACKLOG)
        child = os.fork()
        if child:
            os.waitpid(child, 0)
            return
        # The watcher gets a session of its own and no parent, because launchers wait for their
        # children.
        try:
            os.setsid()
            if os.fork():
                os._exit(0)
            _become_watcher(listener.fileno(), directory, wrapper, settings)
        finally:
            os._exit(1)


def _become_watcher(listener: int, directory: str, wrapper: str, settings: str) -> None:
    os.dup2(listener, 3)
    os.set_inheritable(3, True)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    if os.path.exists(os.path.join(directory, "launcher")):  # `mpipp run` prints the findings
        os.dup2(nothing, 2)
    os.closerange(4, 65536)
    package = os.path.abspath(__file__)
    for _ in range(4):  # up four folders from mpipp/watcher/ipc/launch.py
        package = os.path.dirname(package)
    path = [package, os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, path))}
    for name in ("LD_PRELOAD", "MPIPP_WATCH"):
        environment.pop(name, None)
    words = [sys.executable, "-m", "mpipp.watcher", directory, settings, screen_path(wrapper)]
    os.chdir("/")
    os.execve(sys.executable, words, environment)


def reset_signals() -> None:
    """Restore the signals that Python ignores, because the program would ignore them, too."""
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)


def restore_locale(environment: MutableMapping[str, str]) -> None:
    """Restore LC_CTYPE: in the C locale, Python changes it for its children."""
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
    # Open MPI stores the name of the started program in MPI_INFO_ENV: that of this Python, or of
    # the shell before it. Version 4 drops the directory, and version 5 splits the command at
    # spaces.
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


def part_path(wrapper: str, part: str) -> str:
    """The path of the library for one of PARTS. The library lies beside the recorder."""
    return f"{wrapper.removesuffix('.so')}_{part}.so"


def screen_path(wrapper: str) -> str:
    """The path of the library that screens RMA logs. It lies beside the recorder."""
    return os.path.join(os.path.dirname(wrapper), SCREEN)


def libraries(wrapper: str, environment: Mapping[str, str]) -> list[str]:
    """The libraries for LD_PRELOAD: the recorder, and the parts that the environment requests.

    Prints a sentence on stderr for each part that is missing.
    """
    found = [wrapper]
    for name, (variables, lacking) in PARTS.items():
        path = part_path(wrapper, name)
        if not any(variable in environment for variable in variables):
            continue
        if os.path.exists(path):
            found.append(path)
        else:
            advice = "build it with mpipp wrapper --build"
            sys.stderr.write(f"mpipp: {lacking}: there is no {path}: {advice}\n")
    interposer = os.path.join(os.path.dirname(wrapper), INTERPOSER)
    is_told = environment.get("MPIPP_GUARD") == "1" or "MPIPP_RMA" in environment
    return [*found, interposer] if is_told and os.path.exists(interposer) else found


def become(directory: str, wrapper: str, settings: str, program: Sequence[str]) -> NoReturn:
    """Become the program, with the wrapper, but else with the environment that it has without
    mpipp.

    Args:
        directory: directory of the run's socket, on this node; "" to run without a watcher.
        settings: the watcher's settings (mpipp.watcher.settings), as JSON.
    """
    environment = dict(os.environ)
    restore_locale(environment)
    _name_program(environment, program)
    before = environment.get("LD_PRELOAD")
    have = [
        name for name in (before or "").split(":") if name
    ]  # the launcher's values, which spawned processes inherit
    wanted = libraries(wrapper, environment)
    environment["LD_PRELOAD"] = ":".join([*(name for name in wanted if name not in have), *have])
    try:
        if directory:
            environment["MPIPP_WATCH"] = watched(directory, wrapper, settings)
    except OSError as error:
        sys.stderr.write(f"mpipp: not watched: {directory}: {error.strerror}\n")
    reset_signals()
    try:
        _execute(program, environment)
    except OSError as error:
        sys.stderr.write(f"mpipp: cannot start {program[0]}: {error.strerror}\n")
        sys.exit(127)


def _execute(program: Sequence[str], environment: MutableMapping[str, str]) -> NoReturn:
    # Use the shell for a script without a #! line, as execvp does.
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


def _report_node(path: str) -> None:
    # The launcher takes the line to the debugger, which then starts an agent on this node.
    try:
        os.mkdir(os.path.dirname(path), 0o700)
    except OSError:  # the node has been reported, or it is the debugger's node
        return
    sys.stderr.write(f"{NODE_OF}{path} {socket.gethostname()}\n")
    sys.stderr.flush()


def _main(directory: str, wrapper: str, settings: str, *words: str) -> NoReturn:
    end = words.index(END)
    pairs = (word.partition("=") for word in words[:end])
    os.environ.update({name: value for name, _, value in pairs})
    if HOLD in os.environ:
        _report_node(os.environ[HOLD])
    where = "" if directory == NOWHERE else on_node(directory)
    become(where, wrapper, settings, words[end + 1 :])


if __name__ == "__main__":
    _main(*sys.argv[1:])
