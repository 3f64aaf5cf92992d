# SPDX-License-Identifier: MIT
"""The screen of a run's RMA logs, before their analysis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mpipp.registry.rma_log.reading_progress import PROGRESS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mpipp.model.rma_logs import ScreenedLog


class Screen:
    """The screen of RMA logs. It needs the C library at `path`, built with the wrapper."""

    path = ""

    def is_clean(self, logs: Sequence[ScreenedLog]) -> bool:
        """Return whether the logs of all processes certainly have no findings."""
        PROGRESS.begin()
        if not self.path or not all(log.is_complete for log in logs):
            return False
        # Loading the module is slow, and few programs need it.
        from mpipp.registry.rma_log import screen_library

        function = screen_library.load(self.path)
        if function is None:
            return False
        PROGRESS.expect(sum(len(log.words) for log in logs))
        is_clean = not screen_library.reason(function, logs, PROGRESS.add)
        PROGRESS.begin()
        return is_clean


SCREEN = Screen()
