# SPDX-License-Identifier: MIT
"""The settings of a watcher, from the command that starts the run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from mpipp.watcher.hang_threshold import HANG_THRESHOLD


class Settings(NamedTuple):
    """The settings of a watcher, which receives them as JSON."""

    hang_after: float = HANG_THRESHOLD  # seconds without an MPI call; 0 disables the report
    suppress: str = ""  # path of a suppressions file, or ""
    report: str = ""  # the run's directory, which all nodes share, or ""
    kept: bool = False  # True to draw pictures for a report
    stop_at: Sequence[Sequence[Any]] = ()  # members of reports.stop_targets.Target
    checks: Sequence[str] = ()  # names of the selected checks; empty for all
    # The random content of the file TOKEN, if `mpipp run` reads the job's error output; or "".
    token: str = ""
    launched: bool = False  # True if `mpipp run` prints the total of all nodes
    # How a process stops in a call with a finding: "stop", "gdb", "gdb=all"; "" not at all.
    stop: str = ""
    ends_hung: bool = False  # True to end a hanging job after the report
