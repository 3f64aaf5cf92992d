# SPDX-License-Identifier: MIT
"""Commands that a test starts, and ends if it fails."""

from __future__ import annotations

import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.support.environment import ROOT, clean_environment

_PATIENCE = 100.0  # seconds that a condition may take, because the machine may be busy
LONGEST = 240  # seconds of a command; a test has 300 (pyproject.toml)


def end(launcher: subprocess.Popen[str], patience: float = 20) -> None:
    """End a launcher that may have processes left.

    Open MPI's mpiexec sometimes waits forever after a signal to end, if its processes die
    meanwhile. After a second signal, `patience` seconds later, it ends at once, and leaves
    processes that live.
    """
    for seconds in (patience, 20):
        launcher.terminate()
        with suppress(subprocess.TimeoutExpired):
            launcher.wait(seconds)
            return
    launcher.kill()


@contextmanager
def running(words: Sequence[str | Path], **how: Any) -> Iterator[subprocess.Popen[str]]:
    """Run a command, and end it if the test fails meanwhile; `how` is as for Popen.

    Popen alone would wait forever for a command that hangs.
    """
    with subprocess.Popen(words, text=True, **how) as process:
        try:
            yield process
            for pipe in (process.stdin, process.stdout, process.stderr):
                if pipe:
                    pipe.close()
            process.wait()
        except BaseException:
            end(process)
            raise


def finished(words: Sequence[str], timeout: float, **how: Any) -> subprocess.CompletedProcess[str]:
    """The output of a command, with any exit status; `how` is as for Popen.

    If the command takes longer than `timeout` seconds, the test fails with the output so far. The
    command gets SIGTERM then, because a killed launcher may leave processes that spin forever.
    """
    with running(words, **how) as process:
        try:
            output, errors = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            end(process)
            said = _said_so_far(process)
            # Do not use pytest.fail, whose exception would end the workers of `make fuzz`.
            what = f"not ended after {timeout:g} s: {shlex.join(words)}\n{said}"
            raise AssertionError(what) from None
    return subprocess.CompletedProcess(words, process.returncode, output, errors)


def wait_until(is_ready: Callable[[], object], problem: Callable[[], str]) -> None:
    """Wait until a condition is true, and fail with `problem()` if that takes too long."""
    until = time.monotonic() + _PATIENCE
    while not is_ready():
        assert time.monotonic() < until, problem()
        time.sleep(0.1)


def _said_so_far(process: subprocess.Popen[str]) -> str:
    # A remaining process may keep the pipes open.
    try:
        output, errors = process.communicate(timeout=5)
    except subprocess.TimeoutExpired as late:
        output, errors = (
            (part or b"").decode(errors="replace") for part in (late.stdout, late.stderr)
        )
    return f"{output}{errors or ''}"


def shell(
    *words: str | Path,
    env: Mapping[str, str] | None = None,
    cwd: Path | str = "/",
    python: str = sys.executable,
    user: str = "",
) -> subprocess.CompletedProcess[str]:
    """Run the command `mpipp` with these words. `env` is added to a clean environment.

    With `user`, run it as another user, which only root can do.
    """
    how: dict[str, Any] = {"user": user, "group": "nogroup", "extra_groups": []} if user else {}
    return finished(
        [python, "-m", "mpipp.cli", *map(str, words)],
        LONGEST,
        env={**clean_environment(PYTHONPATH=str(ROOT)), **(env or {})},
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **how,
    )
