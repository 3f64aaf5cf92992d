# SPDX-License-Identifier: MIT
"""The directory of a run (`--report DIR`): how mpipp writes, reads and removes its files.

The directory contains the findings; its folder `mpipp` has the watchers' files and a marker. mpipp
writes and removes nothing without that marker, in a directory of another user, or in one that
others may write. mpipp writes files under a new name and renames them into place. mpipp follows no
symbolic link in the directory, and opens only regular files, because others could be endless.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import stat
from collections.abc import Iterator
from typing import Any, BinaryIO

from mpipp.common.errors import MpippError

TEXT, DATA = "findings.txt", "findings.json"
_FOLDER = "mpipp"
_MARKER = "made-by-mpipp"
_MARKED = (
    b"mpipp run --report made this directory. The next run removes what is in its folder mpipp.\n"
)
PROCESSES, LOGS = f"{_FOLDER}/processes", f"{_FOLDER}/logs"  # both have a file for each process
NODES = f"{_FOLDER}/nodes"  # a file for each watcher
TOKEN = f"{_FOLDER}/token"  # by which a watcher recognizes the directory of its `mpipp run`
STRICT = f"{_FOLDER}/strict"  # joint decisions of the watchers about calls that have not begun
WAITING = f"{_FOLDER}/waiting"  # messages between watchers
STARTED = "started-"  # start of folder names in STRICT, for calls that have begun

MOST = 1 << 28  # bytes that `read` accepts
_MOST_DIGITS = 20  # digits of a 64-bit number, and its sign
_LONG = re.compile(rb"[0-9]{21}")
_DEEPEST = 8  # levels of folders that mpipp removes
_PRIVATE, _SHARED = 0o600, 0o644
# Temporary names: an incomplete file, and NFS's name of a file removed while it is open.
_PASSING = re.compile(r"\.[0-9a-f]{16}|\.nfs[0-9a-f]+")


class Refused(OSError):
    """An action that mpipp refuses in the directory; `strerror` says why."""


class RunDirectory:
    """The directory at a path; it need not exist. File names are relative to it: "mpipp/nodes/a".

    All methods that write raise OSError, whose `strerror` gives the reason.
    """

    def __init__(self, path: str) -> None:
        self.path = path

    def begin(self) -> None:
        """Create the directory, and remove the watchers' files of an earlier run.

        Raises MpippError if it belongs to another user, is not writable, or has files of others.
        """
        try:
            with self._opened(make=True) as folder:
                _refuse_foreign_files(folder, _FOLDER, TEXT, DATA)
                with _folder(_FOLDER, folder) as inner:
                    _empty(inner, but=_MARKER)
            self.publish(f"{_FOLDER}/{_MARKER}", _MARKED)  # fails if the folder is not writable
        except OSError as error:
            raise self._refused(error) from None

    def join(self) -> None:
        """Create the directory if it is missing, and keep the files of the run's other processes.

        Raises MpippError if it belongs to another user or is not writable.
        """
        try:
            with self._opened(make=True):
                if not os.access(self.path, os.W_OK | os.X_OK):
                    raise Refused(errno.EACCES, "it cannot be written")
        except OSError as error:
            raise self._refused(error) from None

    def _refused(self, error: OSError) -> MpippError:
        why = str(error.strerror)
        if not isinstance(error, Refused):
            why = f"it cannot be written ({why})"
        return MpippError(f"--report {self.path}: {why}: name a directory that only mpipp uses")

    @property
    def is_own(self) -> bool:
        """Return whether the directory exists and this process may write in it."""
        try:
            with self._opened():
                return True
        except OSError:
            return False

    def publish(self, name: str, content: bytes) -> None:
        """Write a file completely or not at all. Creates its folder, and replaces an old file."""
        mode = _SHARED if name in (TEXT, DATA) else _PRIVATE
        with self._entered(name, make=True) as (folder, last):
            made = f".{os.urandom(8).hex()}"
            file = os.open(made, _NEW, mode, dir_fd=folder)
            try:
                with os.fdopen(file, "wb") as stream:
                    stream.write(content)
                os.replace(made, last, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(made, dir_fd=folder)
                raise

    def claim(self, name: str) -> bool:
        """Create an empty file. Returns False if the file exists: another process was faster."""
        with self._entered(name) as (folder, last):
            try:
                os.close(os.open(last, _NEW, _PRIVATE, dir_fd=folder))
            except FileExistsError:
                return False
        return True

    def link(self, name: str, second: str) -> bool:
        """Give a file a second name in its folder. Returns False if that name exists."""
        with self._entered(name) as (folder, last):
            try:
                os.link(last, second, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
            except FileExistsError:
                return False
        return True

    def remove(self, name: str) -> None:
        """Remove a file, or an empty folder."""
        with self._entered(name) as (folder, last):
            _remove(last, folder, 0)

    def clear(self, name: str) -> None:
        """Remove a folder and its contents."""
        with self._entered(name) as (folder, last):
            _remove(last, folder, _DEEPEST)

    def discard(self) -> None:
        """Remove all files that mpipp has created, and then the directory, which must be empty."""
        with self._opened() as folder:
            for name in (TEXT, DATA, _FOLDER):
                with contextlib.suppress(FileNotFoundError):
                    _remove(name, folder, _DEEPEST)
        os.rmdir(self.path)

    @contextlib.contextmanager
    def _entered(self, name: str, make: bool = False) -> Iterator[tuple[int, str]]:
        # Opens the folder of a file, and yields it with the file's name in that folder.
        *folders, last = name.split("/")
        if any(one in ("", ".", "..") for one in (*folders, last)):
            raise Refused(errno.EINVAL, f"{name!r} is not the name of a file in it")
        with self._opened(make) as folder, contextlib.ExitStack() as opened:
            for one in folders:
                if make:
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(one, 0o700, dir_fd=folder)
                folder = opened.enter_context(_folder(one, folder))
            yield folder, last

    @contextlib.contextmanager
    def _opened(self, make: bool = False) -> Iterator[int]:
        # Opens the directory. The directory must have the marker, or gets it if `make` is set.
        try:
            folder = os.open(self.path, _DIRECTORY)
        except FileNotFoundError:
            if not make:
                raise
            os.makedirs(self.path, 0o755, exist_ok=True)
            folder = os.open(self.path, _DIRECTORY)
        try:
            _refuse_users(folder, "it")
            if not _is_marked(folder):
                if not make:
                    raise Refused(errno.EPERM, "mpipp did not create it")
                _mark(folder)
            yield folder
        finally:
            os.close(folder)


_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


def read(path: str, most: int = MOST) -> bytes:
    """Return the content of a file in a run's directory.

    Raises OSError, also if the file has more than `most` bytes.
    """
    with opened(path) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise Refused(errno.EFBIG, f"it has more than {most:,} bytes")
    return content


def opened(path: str) -> BinaryIO:
    """Open a file for reading in parts. The file must be regular, and belong to the directory's
    owner."""
    if not stat.S_ISREG(os.lstat(path).st_mode):
        raise Refused(errno.EINVAL, "it is not a regular file")
    file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode):
            raise Refused(errno.EINVAL, "it is not a regular file")
        if found.st_uid != os.stat(os.path.dirname(path) or ".").st_uid:
            raise Refused(errno.EPERM, "it belongs to another user than its directory")
        return os.fdopen(file, "rb")
    except BaseException:
        os.close(file)
        raise


def parsed(content: bytes) -> Any:
    """Return the value of a file's JSON.

    Raises ValueError if the JSON is invalid, is nested deeply, or has numbers of more than 64 bits.
    No run writes such JSON, and reading it would take long.
    """
    many = _bounded if _LONG.search(content) else None
    try:
        return json.loads(content.decode(), parse_int=many, parse_constant=_refuse_constant)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _bounded(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError("it has a number with too many digits")
    return int(digits)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"it has {name} for a number")


def paths(directory: str) -> list[str]:
    """Return the complete files of a folder, sorted.

    The list is empty if the folder does not exist or is a symbolic link.
    """
    try:
        folder = os.open(directory, _DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return []
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    finally:
        os.close(folder)
    return [os.path.join(directory, name) for name in names if not name.startswith(".")]


@contextlib.contextmanager
def _folder(name: str, above: int) -> Iterator[int]:
    # Opens a folder that must belong to this user.
    try:
        folder = os.open(name, _DIRECTORY | os.O_NOFOLLOW, dir_fd=above)
    except OSError as error:
        if error.errno in (errno.ENOTDIR, errno.ELOOP):
            raise Refused(errno.ENOTDIR, f"{name!r} in it is not a directory") from None
        raise
    try:
        _refuse_users(folder, f"{name!r} in it")
        yield folder
    finally:
        os.close(folder)


def _refuse_users(folder: int, what: str) -> None:
    found = os.fstat(folder)
    if found.st_uid != os.geteuid():
        raise Refused(errno.EPERM, f"{what} belongs to another user ({found.st_uid})")
    if found.st_mode & stat.S_IWOTH:
        raise Refused(errno.EPERM, f"other users may write in {what}")


def _mark(folder: int) -> None:
    # Processes on several nodes may create the folder at the same time.
    _refuse_foreign_files(folder, _FOLDER)
    with contextlib.suppress(FileExistsError):
        os.mkdir(_FOLDER, 0o700, dir_fd=folder)
    with _folder(_FOLDER, folder) as inner:
        others = [name for name in os.listdir(inner) if name != _MARKER]
        if others and not _is_marked(folder):
            raise Refused(errno.EEXIST, _foreign(f"{_FOLDER}/{min(others)}"))
        with contextlib.suppress(FileExistsError):
            os.close(os.open(_MARKER, _NEW, _PRIVATE, dir_fd=inner))


def _refuse_foreign_files(folder: int, *known: str) -> None:
    # Raises Refused if the directory has files that mpipp has not written.
    for name in sorted(os.listdir(folder)):
        is_file = name == _FOLDER or _is_regular(name, folder)
        if not is_file or not (name in known or _PASSING.fullmatch(name)):
            raise Refused(errno.EEXIST, _foreign(name))


def _is_marked(folder: int) -> bool:
    try:
        found = os.stat(f"{_FOLDER}/{_MARKER}", dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid()


def _is_regular(name: str, folder: int) -> bool:
    try:
        return stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except FileNotFoundError:  # another process removed the file
        return True


def _foreign(name: str) -> str:
    return f"it has {name!r}, which mpipp did not create"


def _empty(folder: int, but: str = "", depth: int = _DEEPEST) -> None:
    for name in os.listdir(folder):
        if name != but:
            _remove(name, folder, depth)


def _remove(name: str, above: int, depth: int) -> None:
    try:
        os.unlink(name, dir_fd=above)
        return
    except IsADirectoryError:
        pass
    if depth:
        with _folder(name, above) as folder:
            _empty(folder, depth=depth - 1)
    os.rmdir(name, dir_fd=above)
