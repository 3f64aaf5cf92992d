# SPDX-License-Identifier: MIT
"""The watcher as a program, started by `launch`: its listening socket is descriptor 3."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import resource
import socket
import sys
from typing import TextIO

from mpipp.watcher.ipc import launch

_FILES = 1 << 16  # that are open at one time, at most


def main() -> int:
    """Watch until the last process has gone; returns the exit status."""
    # What is loaded stays: looking for garbage among it takes a tenth of the loading's time.
    gc.disable()
    from mpipp.watcher.damaged_records import Traces
    from mpipp.watcher.event_loop import Watcher
    from mpipp.watcher.ipc.settings import Settings
    from mpipp.watcher.output.channel import output

    gc.freeze()
    gc.enable()
    _take_files()
    directory = sys.argv[1]
    settings = Settings(**json.loads(sys.argv[2]))
    listener = socket.socket(fileno=3)
    to = output(directory, settings)
    traces = Traces(directory, settings)
    try:
        os.nice(5)
        Watcher(listener, to, settings, traces).run()
    except Exception as error:  # a sentence, whatever it is
        traces.keep(error)
        why = f"{type(error).__name__}: {error}"
        to.failed(f"the watcher has failed ({why}): its traceback is in {traces.path}")
        return 1
    finally:
        to.close()
        if not to.has_launcher:
            _remove(directory)
    return 0


def _log(directory: str) -> TextIO:
    # In a directory that is this user's alone, as it was made.
    folder = launch.private(directory)
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        return os.fdopen(os.open("watcher.log", flags, 0o600, dir_fd=folder), "a", encoding="utf-8")
    finally:
        os.close(folder)


def _take_files() -> None:
    # Three for each process, one of which is kept when that has ended.
    few, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if most == resource.RLIM_INFINITY else min(_FILES, most)
    if few != resource.RLIM_INFINITY and few < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def _remove(directory: str) -> None:
    # With the lock: a process that comes now makes another directory, and starts another watcher.
    with contextlib.suppress(OSError):
        lock = launch.locked(directory)
        for name in (launch.SOCKET, launch.LOCK):
            os.unlink(os.path.join(directory, name))
        os.rmdir(directory)
        os.close(lock)


if __name__ == "__main__":
    sys.exit(main())
