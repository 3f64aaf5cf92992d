# SPDX-License-Identifier: MIT
"""How a run is watched, as whoever starts it says."""

from __future__ import annotations

from typing import NamedTuple


class Settings(NamedTuple):
    """The watcher's; it is given them as JSON."""

    hang_after: float = 30.0  # seconds without a call; 0: never
    suppress: str = ""  # path of a suppressions file; "": none
    kept: bool = False  # a report will be asked for: pictures are made then
