# SPDX-License-Identifier: MIT
"""Names that no other user can guess, equal in all processes of one user's job."""

from __future__ import annotations

import contextlib
import errno
import os
import stat

from mpipp.common.errors import MpippError

_FILE = "secret"
_BYTES = 32
_NAME = 12  # bytes; a name has two characters for each


def name(job: str) -> str:
    """Return the unguessable name for a job. Raises MpippError if no secret can be stored."""
    from hashlib import blake2b  # slow to load

    return blake2b(
        job.encode(errors="surrogateescape"), key=_secret(), digest_size=_NAME
    ).hexdigest()


def _secret() -> bytes:
    # Only processes of this user can read the secret, on all nodes that share the home directory.
    from mpipp.common.cache import cache_directory

    home = os.path.join(os.path.expanduser("~"), ".cache", "mpipp")
    failed = ""
    for directory in dict.fromkeys((str(cache_directory()), home)):
        try:
            with contextlib.suppress(FileNotFoundError):
                return _read(directory)
            _make(directory)
            return _read(directory)
        except OSError as error:
            failed = failed or f"{os.path.join(directory, _FILE)} ({error.strerror})"
    raise MpippError(f"cannot store the secret of the job in {failed}")


def _read(directory: str) -> bytes:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    file = os.open(os.path.join(directory, _FILE), flags)
    try:
        found = os.fstat(file)
        content = os.read(file, _BYTES + 1)
    finally:
        os.close(file)
    if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o077:
        raise OSError(errno.EPERM, "another user owns it, or may read it")
    if len(content) != _BYTES:
        raise OSError(errno.EINVAL, "it is damaged: remove it")
    return content


def _make(directory: str) -> None:
    # The link makes the complete file appear at once, and only one of several processes succeeds.
    os.makedirs(directory, 0o700, exist_ok=True)
    path = os.path.join(directory, _FILE)
    made = f"{path}-{os.urandom(8).hex()}"
    file = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(file, "wb") as stream:
            stream.write(os.urandom(_BYTES))
        with contextlib.suppress(FileExistsError):
            os.link(made, path)
    finally:
        os.unlink(made)
