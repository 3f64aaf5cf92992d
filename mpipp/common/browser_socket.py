# SPDX-License-Identifier: MIT
"""The socket on which gdb listens for browsers: its creation and its discovery.

Each gdb creates a directory for its socket, which only its user can open. The directory lies in
$XDG_RUNTIME_DIR if that is set and usable, else in the temporary directory.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import stat
import tempfile
from pathlib import Path

from mpipp.common.errors import MpippError

_NAME = "socket"
_LONGEST = 107  # bytes; Linux accepts no longer path of a socket


def new_path() -> Path:
    """Return a path for a new socket, in a new directory with mode 0700.

    Also removes the sockets of gdbs that have died. Raises MpippError if no directory is usable.
    """
    for path in _sockets():
        if not is_live(path):
            remove(path)
    problem = "it is not there"
    for base in _bases():
        try:
            path = Path(tempfile.mkdtemp(prefix=_prefix(), dir=base)) / _NAME
        except OSError as error:
            problem = f"{base}: {error.strerror}"
            continue
        if len(os.fsencode(path)) <= _LONGEST:
            return path
        path.parent.rmdir()
        problem = f"{base} is too long a name for a socket"
    raise MpippError(f"no directory for the socket ({problem}): set TMPDIR to another directory")


def remove(path: Path) -> None:
    """Remove a socket and its directory."""
    shutil.rmtree(path.parent, ignore_errors=True)


def newest() -> Path | None:
    """Return the newest socket of this user's running gdbs; None if no gdb listens."""
    made = {path: path.stat().st_mtime_ns for path in _sockets() if is_live(path)}
    return max(made, key=lambda path: made[path]) if made else None


def is_live(path: Path) -> bool:
    """Return whether a gdb listens on this socket."""
    with socket.socket(socket.AF_UNIX) as probe, contextlib.suppress(OSError):
        probe.settimeout(1)
        probe.connect(str(path))
        return True
    return False


def _prefix() -> str:
    return f"mpipp-{os.getuid()}-"


def _bases() -> list[str]:
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    return [runtime, tempfile.gettempdir()] if runtime else [tempfile.gettempdir()]


def _sockets() -> list[Path]:
    # Returns only sockets in directories that no other user can have created or can open.
    found = []
    for base in _bases():
        for directory in Path(base).glob(_prefix() + "*"):
            with contextlib.suppress(OSError):
                state = directory.lstat()
                private = stat.S_ISDIR(state.st_mode) and not state.st_mode & 0o077
                if private and state.st_uid == os.getuid() and (directory / _NAME).exists():
                    found.append(directory / _NAME)
    return found
