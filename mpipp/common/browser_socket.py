# SPDX-License-Identifier: MIT
"""Where a gdb listens for browsers, and how a browser finds it.

Each gdb makes a directory of its own with the socket. Only its user can open it. It is in the
user's runtime directory, or else in the temporary one.
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
_LONGEST = 107  # bytes of a socket's path that Linux can hold


def new_path() -> Path:
    """A path for a socket, in a new directory with mode 0700. Raises MpippError.

    What gdbs that have died left behind is removed.
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
    raise MpippError(f"no directory for the socket ({problem}): set TMPDIR to another")


def remove(path: Path) -> None:
    """Remove a socket and its directory."""
    shutil.rmtree(path.parent, ignore_errors=True)


def newest() -> Path | None:
    """The socket that was made last of this user's gdbs that are alive; None if there is none."""
    made = {path: path.stat().st_mtime_ns for path in _sockets() if is_live(path)}
    return max(made, key=lambda path: made[path]) if made else None


def is_live(path: Path) -> bool:
    """Return whether a gdb listens there."""
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
    # Sockets in directories that no other user can have made or opened.
    found = []
    for base in _bases():
        for directory in Path(base).glob(_prefix() + "*"):
            with contextlib.suppress(OSError):
                state = directory.lstat()
                private = stat.S_ISDIR(state.st_mode) and not state.st_mode & 0o077
                if private and state.st_uid == os.getuid() and (directory / _NAME).exists():
                    found.append(directory / _NAME)
    return found
