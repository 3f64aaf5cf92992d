# SPDX-License-Identifier: MIT
"""The settings of a watcher, from the command that starts the run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

HANG_AFTER = 30.0  # seconds without a call after which a hang is reported


class Settings(NamedTuple):
    """The settings of a watcher, which it gets as JSON."""

    hang_after: float = HANG_AFTER  # seconds without a call; 0: never
    suppress: str = ""  # path of a suppressions file; "": none
    report: str = ""  # the run's directory, which all nodes share; "": there is none
    kept: bool = False  # True if a report will be requested: the watcher then makes the pictures
    stop_at: Sequence[Sequence[Any]] = ()  # the members of reports.stop_targets.Target
    checks: Sequence[str] = ()  # the words of the selected checks; none: all
    launched: bool = False  # by `mpipp run`, which prints the total of all nodes at the end
    # The process stops in a call with a finding: "stop", "gdb", "gdb=all"; "": it does not.
    stop: str = ""
    ends_hung: bool = False  # True if a job that hangs is ended after the report
