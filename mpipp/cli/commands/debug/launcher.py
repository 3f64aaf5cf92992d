# SPDX-License-Identifier: MIT
"""The launcher of a debugged job, a child that always ends before this process."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence

from mpipp.common.errors import MpippError

_PR_SET_PDEATHSIG = 1
# Seconds from SIGTERM to SIGKILL for the launcher. The ranks have been killed before.
_PATIENCE = 3.0
_STEP = 0.01


def start(
    words: Sequence[str], variables: Mapping[str, str], directory: str | None = None
) -> subprocess.Popen[bytes]:
    """Start the launcher in its own session, so that control-C in the terminal does not reach it.

    Args:
        directory: the working directory; None: this process's.

    Raises MpippError.
    """
    prctl = ctypes.CDLL(None).prctl
    parent = os.getpid()

    def begin() -> None:
        os.setsid()
        prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)

    try:
        return subprocess.Popen(
            words,
            env={**os.environ, **variables},
            cwd=directory,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            preexec_fn=begin,
        )
    except OSError as error:
        # The error names the file that is missing: the launcher or the working directory.
        raise MpippError(f"cannot start {error.filename}: {error.strerror}") from None


def end(launcher: subprocess.Popen[bytes], meanwhile: Callable[[], None]) -> None:
    """End the launcher and its session.

    Args:
        meanwhile: a function that reads the launcher's output, because a full pipe would block it.
    """
    if launcher.poll() is None:
        launcher.terminate()
    until = time.monotonic() + _PATIENCE
    while launcher.poll() is None and time.monotonic() < until:
        meanwhile()
        time.sleep(_STEP)
    with contextlib.suppress(OSError):
        os.killpg(launcher.pid, signal.SIGKILL)
    launcher.wait()
