# SPDX-License-Identifier: MIT
"""Limits that a check has reached; they are reported after the rest of the check."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mpipp.common.errors import MpippError

_MOST_SAID = 3


class Limits:
    """The parts that were left out, each reason once."""

    def __init__(self) -> None:
        self._reasons: dict[str, None] = {}

    def reached(self, reason: str) -> None:
        """Note that something was left out."""
        self._reasons[reason] = None

    @contextmanager
    def skip_on_error(self) -> Iterator[None]:
        """Skip the rest of the block if it raises MpippError, and continue behind the block."""
        try:
            yield
        except MpippError as error:
            self.reached(str(error))

    def raise_reasons(self) -> None:
        """Raise MpippError with the reasons, if there are any."""
        reasons = list(self._reasons)
        more = [f"and {len(reasons) - _MOST_SAID} more"] if len(reasons) > _MOST_SAID else []
        if reasons:
            raise MpippError("; ".join([*reasons[:_MOST_SAID], *more]))
