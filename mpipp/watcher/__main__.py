# SPDX-License-Identifier: MIT
"""The watcher as a program. `launch` starts it, with the listening socket as descriptor 3."""

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

_FILES = 1 << 16  # limit of open files


def main() -> int:
    """Watch until the last process has ended; returns the exit status."""
    # Garbage collections during imports would take a tenth of their time and free nothing.
    gc.disable()
    from mpipp.registry.rma_log.reading_progress import PROGRESS
    from mpipp.registry.rma_log.screen import SCREEN
    from mpipp.watcher.damaged_records import TracebackFile
    from mpipp.watcher.event_loop import EventLoop
    from mpipp.watcher.output.destination import destination
    from mpipp.watcher.settings import Settings

    gc.freeze()
    gc.enable()
    _take_files()
    directory = sys.argv[1]
    SCREEN.path = sys.argv[3]
    listener = socket.socket(fileno=3)
    to, settings = destination(directory, Settings(**json.loads(sys.argv[2])))
    PROGRESS.show = to.show_percent
    traces = TracebackFile(directory, settings)
    try:
        os.nice(5)
        EventLoop(listener, to, settings, traces).run()
    except Exception as error:  # any exception becomes one sentence
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
    # The log lies in a directory that only this user may enter.
    folder = launch.private(directory)
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        return os.fdopen(os.open("watcher.log", flags, 0o600, dir_fd=folder), "a", encoding="utf-8")
    finally:
        os.close(folder)


def _take_files() -> None:
    # The watcher opens three files for each process, and keeps one of them when the process has
    # ended.
    few, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if most == resource.RLIM_INFINITY else min(_FILES, most)
    if few != resource.RLIM_INFINITY and few < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def _remove(directory: str) -> None:
    # Hold the lock while removing the directory. A process that starts later creates a new
    # directory and starts a new watcher.
    with contextlib.suppress(OSError):
        lock = launch.locked(directory)
        for name in (launch.SOCKET, launch.LOCK):
            os.unlink(os.path.join(directory, name))
        os.rmdir(directory)
        os.close(lock)


if __name__ == "__main__":
    sys.exit(main())
