# SPDX-License-Identifier: MIT
"""How a run is watched, as whoever starts it says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

HANG_AFTER = 30.0  # seconds without a call after which a hang is reported


class Settings(NamedTuple):
    """The watcher's; it is given them as JSON."""

    hang_after: float = HANG_AFTER  # seconds without a call; 0: never
    suppress: str = ""  # path of a suppressions file; "": none
    report: str = ""  # the run's directory, which all nodes share; "": there is none
    kept: bool = False  # a report will be asked for: pictures are made then
    stop_at: Sequence[Sequence[Any]] = ()  # the members of reports.stop_targets.Target
    checks: Sequence[str] = ()  # the words of those that are made; none: all
    launched: bool = False  # by mpipp run, which says at the end what all nodes have found
    # Processes stop where something is found of a call: "stop", "gdb", "gdb=all"; "": they do not.
    stop: str = ""
