# SPDX-License-Identifier: MIT
"""A launcher that kills the watchers of a job as soon as its last rank has exited.

Slurm does so if it tracks processes by cgroups.

step.py MPIEXEC-WORD... -n N COMMAND...
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

_STEP = "TEST_STEP"  # variable with the folder of the ranks that have exited


def main() -> None:
    """Run the real launcher, or one rank of the job."""
    if sys.argv[1] == "--rank":
        sys.exit(_rank(int(sys.argv[2]), sys.argv[3:]))
    words = sys.argv[1:]
    own = words.index("-n") + 2
    rank = [sys.executable, "-I", "-S", os.path.abspath(__file__), "--rank", words[own - 1]]
    with tempfile.TemporaryDirectory() as step:
        environment = {**os.environ, _STEP: step}
        command = [*words[:own], *rank, *words[own:]]
        sys.exit(subprocess.run(command, env=environment, check=False).returncode)


def _rank(count: int, command: list[str]) -> int:
    step = Path(os.environ[_STEP])
    status = subprocess.run(command, close_fds=False, check=False).returncode
    (step / str(os.getpid())).touch()
    if len(list(step.iterdir())) == count:
        _kill_watchers(f"{_STEP}={step}".encode())
    return status


def _kill_watchers(variable: bytes) -> None:
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (process / "cmdline").read_bytes().split(b"\0")
            if b"mpipp.watcher" in words and variable in (process / "environ").read_bytes():
                os.kill(int(process.name), signal.SIGKILL)


if __name__ == "__main__":
    main()
