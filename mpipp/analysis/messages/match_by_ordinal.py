# SPDX-License-Identifier: MIT
"""Matching of calls that have the same ordinal in several histories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import lcm, prod
from typing import NamedTuple

from mpipp.analysis.findings.finding import Finding
from mpipp.model import KeptCall, Stretch
from mpipp.render.phrases import Phrase

MOST_TURNS = 4096  # combinations of two stretches' calls that are compared


class Meeting(NamedTuple):
    """Calls that belong together: one from each history, with equal ordinals."""

    ordinal: int  # ordinal of the first occurrence
    times: int
    of: tuple[int, ...]  # indices of the histories
    calls: tuple[KeptCall, ...]


class Histories:
    """The unmatched calls of several processes.

    Attributes:
        waiting: for each process, its stretches in order of ordinals.
        passed: combinations of calls that need not be returned again.
        left_out: whether some combinations were too many to be returned.
    """

    def __init__(self, count: int) -> None:
        self.waiting: list[list[Stretch]] = [[] for _ in range(count)]
        self.passed: set[tuple[KeptCall, ...]] = set()
        self.left_out = False

    def meet(self, least: int = 2) -> Iterator[Meeting]:
        """Yield the combinations of calls with equal ordinals, sorted by their first ordinal.

        An ordinal that fewer than `least` histories have waits for the next call. The caller must
        consume all results.
        """
        waiting = self.waiting
        at = [0] * len(waiting)
        left: list[list[Stretch]] = [[] for _ in waiting]
        now = 0
        while True:
            heads = [(i, one[at[i]]) for i, one in enumerate(waiting) if at[i] < len(one)]
            if len(heads) < least:
                break
            here = [(i, stretch) for i, stretch in heads if stretch.first <= now]
            if not here:
                now = min(stretch.first for _, stretch in heads)
                continue
            end = min(
                stretch.end if stretch.first <= now else stretch.first for _, stretch in heads
            )
            if len(here) >= least:
                yield from self._turns(here, now, end)
            for i, stretch in here:
                if len(here) < least:
                    left[i].append(stretch.part(now, end))
                at[i] += stretch.end == end
            now = end
        for i, one in enumerate(waiting):
            if at[i] < len(one) and one[at[i]].first < now:
                one[at[i]] = one[at[i]].part(now, one[at[i]].end)
            one[: at[i]] = left[i]

    def _turns(
        self, here: Sequence[tuple[int, Stretch]], first: int, end: int
    ) -> Iterator[Meeting]:
        of = tuple(i for i, _ in here)
        period = lcm(*(len(stretch.calls) for _, stretch in here))
        count = min(end - first, period)
        limited = count > MOST_TURNS and not any(stretch.written_out for _, stretch in here)
        if limited:
            count = MOST_TURNS
        columns = [_from(stretch, first, count) for _, stretch in here]
        met = set(zip(*columns))
        if limited and len(met) < prod(len(set(stretch.calls)) for _, stretch in here):
            self.left_out = True
        new = met - self.passed  # the columns may have a million combinations
        for ordinal, calls in enumerate(zip(*columns) if new else (), first):
            if calls in new and calls not in self.passed:
                yield Meeting(ordinal, (end - 1 - ordinal) // period + 1, of, calls)


def _from(stretch: Stretch, first: int, count: int) -> tuple[KeptCall, ...]:
    # The calls of `count` ordinals.
    calls = stretch.calls
    if len(calls) == 1:
        return calls * count
    turn = (first - stretch.first) % len(calls)
    return (calls * (1 + (turn + count) // len(calls)))[turn : turn + count]


class MeetingCount:
    """The number of equal findings, and the first one, by kind."""

    def __init__(self) -> None:
        self._found: dict[object, tuple[Finding, int, int]] = {}

    def add(self, found: Finding, met: Meeting) -> None:
        """Count a finding."""
        parties = tuple((party.site, party.subject) for party in found.placed)
        key = found.rule.id, found.what, parties
        first, ordinal, times = self._found.get(key, (found, met.ordinal, 0))
        self._found[key] = first, ordinal, times + met.times

    def findings(self, numbered: str, fact: str) -> Iterator[Finding]:
        """Yield the findings, sorted by ordinal.

        Args:
            numbered: a template for the ordinal.
            fact: the name of the ordinal in the template.
        """
        for found, ordinal, times in self._found.values():
            number = Phrase.of(numbered, **{fact: ordinal})
            if times > 1:
                template = "{number}, the first of {times} of these calls"
                number = Phrase.of(template, number=number, times=times)
            yield found.with_detail(number)
