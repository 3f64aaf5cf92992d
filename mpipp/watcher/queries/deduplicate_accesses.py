# SPDX-License-Identifier: MIT
"""One report of each line that touches an operation's buffer, however many instructions do it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from mpipp.analysis.buffers import access_while_pending
from mpipp.analysis.findings.finding import Finding, Party


class Touches:
    """Loads and stores that were found: of one line, in one operation's buffers, one is told.

    Args:
        where: a party's source lines.
    """

    def __init__(self, where: Callable[[Party], list[str]]) -> None:
        self._where = where
        self._told: set[object] = set()

    def fresh(self, found: Sequence[Finding]) -> Iterator[Finding]:
        """Those that nothing of their line was told of; of several that of which most is known."""
        best: dict[object, int] = {}
        keys = [self._key(one) for one in found]
        for i, (key, one) in enumerate(zip(keys, found)):
            if key is not None and len(one.parties) > len(found[best.setdefault(key, i)].parties):
                best[key] = i
        for i, (key, one) in enumerate(zip(keys, found)):
            if key is None or (best[key] == i and key not in self._told):
                yield one
        self._told |= best.keys()

    def _key(self, finding: Finding) -> object:
        # None of what is not of a line that is known.
        if finding.rule.id not in access_while_pending.RULES:
            return None
        by, operation, *_ = finding.parties
        places = tuple(self._where(by)), tuple(self._where(operation))
        return (finding.rule.id, finding.what, by.process, *places) if all(places) else None
