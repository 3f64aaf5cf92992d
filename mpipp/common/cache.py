# SPDX-License-Identifier: MIT
"""The cache of compiled wrappers, in a directory that only root and the user can write.

Programs load these wrappers, and gdb runs the scripts beside them. So a file that another user
planted there would run with the user's rights.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from mpipp.common import file_trust
from mpipp.common.errors import MpippError

_PREFIX = ".build-"  # names of directories in which a build is in progress
_MARKER = "builder"  # a file in such a directory, which its builder keeps locked


class Cache(NamedTuple):
    """A directory for builds.

    Attributes:
        path: its path; the directory need not exist.
        problem: why mpipp does not use the directory that the environment names; "" if it does.
    """

    path: Path
    problem: str


def cache_directory() -> Path:
    """Return the directory that the environment names, without checks.

    It is $MPIPP_CACHE, else `mpipp` in $XDG_CACHE_HOME, else `mpipp` in ~/.cache.
    """
    chosen = os.environ.get("MPIPP_CACHE")
    if chosen:
        return Path(chosen).absolute()
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base).absolute() / "mpipp"


def trusted() -> Cache:
    """Return a cache directory that no other user can have written.

    The directory is the one that the environment names, else a private one in the temporary
    directory.

    Raises:
        MpippError: other users could have written in both.
    """
    chosen = cache_directory()
    problem = _problem(chosen)
    if not problem:
        return Cache(chosen, "")
    private = Path(tempfile.gettempdir()).absolute() / f"mpipp-cache-{os.geteuid()}"
    other = _problem(private)
    if other:
        raise MpippError(
            f"there is no cache directory that only you can write: {problem}, and {other}: "
            "set MPIPP_CACHE to a directory of your own"
        )
    return Cache(private, problem)


def _problem(cache: Path) -> str:
    found = file_trust.problem(cache)
    try:
        return found or next(filter(None, map(file_trust.entry_problem, _kept(cache))), "")
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR):
            return ""
        return f"cannot read {file_trust.shown(error.filename)} ({error.strerror})"


def _kept(cache: Path) -> Iterator[Path]:
    # Builds and their files. Directories of builds in progress are skipped: nobody loads from them.
    for entry in cache.iterdir():
        if not entry.name.startswith(_PREFIX):
            yield entry
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                yield from entry.iterdir()


@contextlib.contextmanager
def build_directory(cache: Path) -> Iterator[Path]:
    """Create a temporary directory in the cache, from which `install` makes a build.

    The directory is removed at the end. Also removes the directories of builders that were killed.

    Raises:
        MpippError: the cache cannot be written.
    """
    try:
        _make(cache)
        problem = file_trust.problem(cache)  # another user may have created the directory first
        if problem:
            raise MpippError(f"{problem}: set MPIPP_CACHE to a directory of your own")
        _remove_abandoned(cache)
        made = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=cache))
        lock = _locked(made)
    except OSError as error:
        raise MpippError(
            f"cannot write the cache directory {cache} ({error.strerror}): "
            "set MPIPP_CACHE to a writable directory"
        ) from None
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)
        os.close(lock)


def install(made: Path, target: Path) -> None:
    """Move a finished build to its final name, so that no program sees half of it.

    If there is an old build, its files are replaced one by one. So a complete library exists at
    every moment, and programs that have loaded the old one keep it.
    """
    (made / _MARKER).unlink()
    for file in made.iterdir():
        file.chmod(0o755 if os.access(file, os.X_OK) else 0o644)  # the umask must not decide
    made.chmod(0o755)
    if not target.exists():
        try:
            made.rename(target)
            return
        except OSError:
            if not target.exists():  # no other builder has made it in the meantime
                raise
    for file in made.iterdir():
        file.replace(target / file.name)


def _make(directory: Path) -> None:
    # The XDG specification demands mode 0700 for the directories created here.
    missing = [one for one in (directory, *directory.parents) if not one.exists()]
    for one in reversed(missing):
        with contextlib.suppress(FileExistsError):
            one.mkdir(0o700)


def _locked(made: Path) -> int:
    # The marker is locked before it gets its name. The marker contains the node's name if locks
    # work, because other nodes may not see the lock.
    lock = os.open(made / "new", os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with contextlib.suppress(OSError):
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.write(lock, _node())
    os.rename(made / "new", made / _MARKER)
    return lock


def _node() -> bytes:
    return socket.gethostname().encode()


def _remove_abandoned(cache: Path) -> None:
    for directory in cache.glob(_PREFIX + "*"):
        with contextlib.suppress(OSError):
            if directory.is_symlink() or directory.lstat().st_uid != os.geteuid():
                continue
            flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
            lock = os.open(directory / _MARKER, flags)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.read(lock, 256) == _node():
                    shutil.rmtree(directory, ignore_errors=True)
            finally:
                os.close(lock)
