# SPDX-License-Identifier: MIT
"""Report each line that accesses a pending buffer once, for all its instructions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from mpipp.analysis.buffers import access_while_pending
from mpipp.analysis.findings.finding import Finding, Party


class AccessDeduplicator:
    """Selects one finding for each source line that accesses the buffers of an operation.

    Args:
        where: returns a party's source lines.
    """

    def __init__(self, where: Callable[[Party], list[str]]) -> None:
        self._where = where
        self._told: set[object] = set()

    def fresh(self, found: Sequence[Finding]) -> Iterator[Finding]:
        """The findings of lines that were not reported yet: the most detailed one for each line."""
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
        # A key for the line and the operation; None if the line is unknown.
        if finding.rule.id not in access_while_pending.RULES:
            return None
        by, operation, *_ = finding.parties
        places = tuple(self._where(by)), tuple(self._where(operation))
        return (finding.rule.id, finding.what, by.process, *places) if all(places) else None
