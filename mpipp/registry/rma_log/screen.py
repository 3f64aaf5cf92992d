# SPDX-License-Identifier: MIT
"""The screen of a run's RMA logs, before their analysis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mpipp.registry.rma_log.reading_progress import PROGRESS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mpipp.model.rma_logs import ScreenedLog, Selection


class Screen:
    """The screen of RMA logs. It needs the C library at `path`, built with the wrapper."""

    path = ""

    def selections(self, logs: Sequence[ScreenedLog]) -> list[Selection] | None:
        """Return the entries of the logs of all processes that the analysis needs.

        Returns an empty list if there are certainly no findings, and None if it needs all.
        """
        PROGRESS.begin()
        if not self.path or not all(log.is_complete for log in logs):
            return None
        # Loading the module is slow, and few programs need it.
        from mpipp.registry.rma_log import screen_library

        function = screen_library.load(self.path)
        if function is None:
            return None
        PROGRESS.expect(sum(len(log.words) for log in logs))
        reason, selections = screen_library.screen(function, logs, PROGRESS.add)
        PROGRESS.begin()
        return selections if reason in (0, screen_library.SELECTED) else None


SCREEN = Screen()
