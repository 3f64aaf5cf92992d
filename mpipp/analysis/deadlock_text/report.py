# SPDX-License-Identifier: MIT
"""The explanation of a hang as text; docs/reference/hang-report.md explains its words."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

from mpipp.analysis import deadlock_check
from mpipp.analysis.deadlock import names as rank_names
from mpipp.analysis.deadlock.analysis import Explanation, Knot, State, Wait
from mpipp.analysis.deadlock.sentences import Place, Sentences
from mpipp.analysis.deadlock.waits.conditions import Event, events
from mpipp.analysis.rules import cited
from mpipp.common.text import wording
from mpipp.render.phrases import Phrase

_MOST_TOLD = 8  # processes of one knot that are listed
_MOST_GROUPS = 8  # groups that differ in the arguments of their calls
_MOST_LACKS = 4  # missing events of one call
_MOST_LEFT = 8  # sentences about unmatched messages
_MOST_NEAR = 3  # near misses of one call


class Report:
    """Explains in text why a job hangs.

    Args:
        place: looks up the source line of a call, and of a process that is not in MPI.
    """

    def __init__(self, explanation: Explanation, place: Place) -> None:
        self._found = explanation
        self._say = Sentences(explanation, place)

    def lines(self) -> Iterator[str]:
        """Yield dead processes first, then processes that can never continue, then the others."""
        for doing, members in self.groups(self._found.died):
            yield f"{wording.verb(members, 'is', 'are')} {doing}"
        if self._found.died and self._found.knots:
            yield ""
        for knot in self._found.knots:
            yield self.headline(knot)
            yield from map(str, self.knot(knot))
            yield ""
        if self._found.knots:
            yield from self._unmatched_lines()
        yield from self.remaining_ranks()

    def _unmatched_lines(self) -> Iterator[str]:
        left = self._say.unmatched()
        for sentence in left[:_MOST_LEFT]:
            yield f"unmatched: {sentence}"
        if len(left) > _MOST_LEFT:
            yield f"and {len(left) - _MOST_LEFT} more unmatched"
        if left:
            yield ""

    def knot(self, knot: Knot) -> Iterator[Phrase]:
        """Yield the lines below the headline of a deadlock, or of waits for ended processes."""
        told, rest = self._shown_ranks(knot)
        for rank in told:
            yield from self._process(self._found.states[rank], knot.lenient)
        yield from self._grouped("with them", rest)
        yield from self._grouped("for them", knot.behind)
        yield from (Phrase.of("{text}", text=remark) for remark in self._remarks(knot))

    def headline(self, knot: Knot) -> str:
        """Return the summary in one line."""
        ranks, circle = sorted(knot.ranks), knot.circle
        if knot.mismatch:
            return f"mismatch: {deadlock_check.mismatch(self._found, knot)}"
        if not circle:
            ended = wording.ranks(knot.ended)
            verb = wording.verb(ranks, "waits", "wait")
            return f"waits forever: {verb} for {ended}, which will not communicate again"
        kind = "deadlock" if self._found.certain(knot) else "possible deadlock"
        kind = "no progress" if self._found.polls(knot) else kind
        if len(ranks) == 1:
            return f"{kind}: rank {ranks[0]} waits for itself"
        if len(ranks) == 2:
            return f"{kind}: rank {ranks[0]} and rank {ranks[1]} wait for each other"
        if len(circle) == len(ranks) <= _MOST_TOLD:
            pairs = list(zip(circle, (*circle[1:], circle[0])))
            first = f"rank {pairs[0][0]} waits for rank {pairs[0][1]}"
            return f"{kind}: " + ", ".join(
                [first, *(f"rank {one} for rank {to}" for one, to in pairs[1:])]
            )
        return f"{kind}: {wording.ranks(ranks)} wait for each other"

    def _shown_ranks(self, knot: Knot) -> tuple[Sequence[int], Sequence[int]]:
        # The processes to list, and the processes to count only.
        if len(knot.circle) == len(knot.ranks) <= _MOST_TOLD:
            return knot.circle, ()
        ranks = sorted(knot.ranks)
        if len(ranks) <= _MOST_TOLD:
            return ranks, ()
        told = knot.circle if 0 < len(knot.circle) <= _MOST_TOLD else ranks[:_MOST_TOLD]
        return told, [rank for rank in ranks if rank not in told]

    def _process(self, state: State, lenient: bool) -> Iterator[Phrase]:
        # The waits of a process, and the missing calls.
        for wait in state.waits:
            yield Phrase.of(
                "  rank {rank} {how} {call_clause}",
                rank=state.rank,
                how="polls with" if wait.operation.call.facts.polls else "waits in",
                call_clause=self._say.call(wait.operation),
            )
            lacks = merged(self._found.lacks(wait, lenient))
            for event in lacks[:_MOST_LACKS]:
                yield from self._event(event, wait)
            if len(lacks) > _MOST_LACKS:
                yield Phrase.of("    and {count} more", count=len(lacks) - _MOST_LACKS)

    def _event(self, event: Event, wait: Wait) -> Iterator[Phrase]:
        lack = self._say.lack(event)
        if event.operation is not wait.operation:
            call = self._say.call(event.operation)
            lack = Phrase.of("for {call_clause}: {clause}", call_clause=call, clause=lack)
        yield Phrase.of("    {clause}", clause=lack)
        for miss in self._say.near_misses(event, _MOST_NEAR):
            yield Phrase.of("    near miss, {text}", text=miss)

    def _grouped(self, how: str, ranks: Sequence[int]) -> Iterator[Phrase]:
        if ranks:
            who = wording.verb(ranks, "waits", "wait")
            yield Phrase.of("  {text} {how}:", text=who, how=how)
            for doing, members in self.groups(ranks):
                yield Phrase.of("    {ranks} in {clause}", ranks=tuple(members), clause=doing)

    def _remarks(self, knot: Knot) -> Iterator[str]:
        members = self._found.comms(knot)
        if len(members) > 1:
            names = wording.listed(sorted(rank_names.comm_of(m.process, m.comm) for m in members))
            yield f"  the order of collective calls differs between {names} ({self._cited('6.14')})"
        if self._found.polls(knot):
            yield "  a process that polls may leave its loop without finding anything"
        if self._found.relies(knot):
            yield (
                "  a program must not rely on buffering, or on calls that return without "
                f"synchronizing ({self._cited('3.5 and 6.14')})"
            )

    def _cited(self, sections: str) -> str:
        return cited(sections, self._found.world.processes[0].registry.info.standard)

    def groups(self, ranks: Iterable[int]) -> list[tuple[Phrase, list[int]]]:
        """Return the activities of processes with their ranks; if there are many, only places."""
        exact: dict[Phrase, list[int]] = {}
        for rank in ranks:
            exact.setdefault(self._say.doing(rank), []).append(rank)
        if len(exact) <= _MOST_GROUPS:
            return list(exact.items())
        found: dict[Phrase, list[int]] = {}
        for members in exact.values():
            for rank in members:
                found.setdefault(self._say.stands(rank), []).append(rank)
        return list(found.items())

    def remaining_ranks(self, stand: bool = False) -> Iterator[str]:
        """Yield sentences about the ranks that may still continue, and the report's certainty.

        Args:
            stand: whether these ranks were observed not to continue for a while.
        """
        found, stuck = self._found, self._found.stuck
        rest = [rank for rank in found.states if rank not in (*stuck, *found.died)]
        if rest and not stuck:
            yield self._overall(rest, stand)
        elif rest:
            yield "the others:"
        for doing, members in self.groups(rest):
            state = found.states[members[0]]
            waits = state.kind == "waits" or state.has_outside
            verb = (
                wording.verb(members, "waits", "wait")
                if waits
                else wording.verb(members, "is", "are")
            )
            yield f"  {verb} {'in ' if waits else ''}{doing}"
            if found.waits_itself(members[0]):
                yield from self._may_come(members)
            yield from self._outside(members)
            yield from self._unknown_lines(members)
        if found.missing:
            yield f"incomplete: {wording.verb(found.missing, 'is', 'are')} missing"

    def _overall(self, rest: Sequence[int], stand: bool) -> str:
        # The line for a job in which no process is certainly stuck forever. A missing rank may
        # itself be stuck, and so may the ranks that wait for it.
        unknown = self._found.unknown_ranks or (rest if self._found.missing and not stand else ())
        if unknown:
            return f"unknown: {wording.ranks(unknown)} may still continue"
        return f"{'' if stand else 'still moving: '}every wait can still be satisfied"

    def _outside(self, ranks: Sequence[int]) -> Iterator[str]:
        # The threads outside MPI of processes whose other threads wait.
        states = [self._found.states[rank] for rank in ranks]
        said = dict.fromkeys(self._say.outside(one) for one in states if one.has_outside)
        yield from (f"    another thread is {text}" for text in itertools.islice(said, _MOST_LACKS))

    def _unknown_lines(self, ranks: Sequence[int]) -> Iterator[str]:
        reasons = (why for rank in ranks for why in self._found.states[rank].unknown)
        said = list(dict.fromkeys(map(self._say.unknown_reason, reasons)))
        yield from (f"    {text}" for text in said[:_MOST_LACKS])
        if len(said) > _MOST_LACKS:
            yield f"    and {len(said) - _MOST_LACKS} more"

    def _may_come(self, ranks: Sequence[int]) -> Iterator[str]:
        # The ranks that are waited for, preferably those that do not wait themselves.
        waited: set[int] = set()
        for rank in ranks:
            for wait in self._found.states[rank].waits:
                for event in events(wait.condition):
                    waited |= event.ranks
        late = waited - {rank for rank in waited if self._found.waits_itself(rank)}
        if late or waited:
            yield f"    for {wording.ranks(late or waited)}"


def merged(found: Iterable[Event]) -> list[Event]:
    """Combine the missing events of several processes for one operation."""
    result: dict[object, Event] = {}
    for event in found:
        key = (id(event.operation), event.kind, event.lenient, id(event.mismatch))
        before = result.get(key)
        ranks = event.ranks | before.ranks if before is not None else event.ranks
        result[key] = Event(
            event.kind,
            ranks,
            event.operation,
            event.member,
            event.any or before is not None,
            event.lenient,
            event.mismatch,
        )
    return list(result.values())
