# SPDX-License-Identifier: MIT
"""Sentences about the activity of a process, and about missing events."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from mpipp.analysis.context.process import Death, Operation, Process
from mpipp.analysis.deadlock import names, unmatched
from mpipp.analysis.deadlock.analysis import Explanation, State
from mpipp.analysis.deadlock.near_misses import NearMisses
from mpipp.analysis.deadlock.waits.conditions import Event, Unknown
from mpipp.common.text import wording
from mpipp.render.phrases import Phrase

# The missing action for each kind of event.
_UNDONE = {
    "receive": "posted no such receive",
    "collective": "not called it",
    "start": "not started it",
    "group": "not called it with {group} {tag}",
    "leader": "not called it as the other leader, with this {tag}",
    "fence": "not called it",
    "free": "not called it",
    "fences": "freed the window after fewer calls of MPI_Win_fence",
    "file": "not called it",
    "post": "not called MPI_Win_post for it",
    "complete": "not called MPI_Win_complete for it",
}
_LENIENT = {
    "receive": "it waits because the library did not buffer it",
    "unlock": "it waits because the library does not defer the lock",
}
_ORDINALS = {1: "first", 2: "second", 3: "third"}


class Place(Protocol):
    """Look-up of places in the program's source."""

    def place(self, operation: Operation) -> str:
        """Return the place of a call: "solver.c:80 in relax"."""
        ...

    def outside(self, process: Process) -> str:
        """Return the place of the first thread outside MPI: "computing at solver.c:80 in relax"."""
        ...


class Sentences:
    """Sentences about one explanation."""

    def __init__(self, explanation: Explanation, place: Place) -> None:
        self._found = explanation
        self._place = place
        self._near = NearMisses(explanation.waits.messages)

    def call(self, operation: Operation) -> Phrase:
        """Return a call and its place; for a persistent operation, also its starting call."""
        made = Phrase.of(
            "{text}, called at {place}",
            text=names.call(operation),
            place=self._place.place(operation),
        )
        start = operation.start
        if start is None:
            return made
        begun = replace(operation, call=replace(operation.call, site=start.site), tid=None)
        return Phrase.of(
            "{made_clause}, started by {procedure} at {place}",
            made_clause=made,
            procedure=start.procedure,
            place=self._place.place(begun),
        )

    def lack(self, event: Event) -> Phrase:
        """Return the missing call, and the activity of the processes that should make it."""
        ranks = sorted(event.ranks)
        if event.mismatch is not None:
            return Phrase.of(
                "the {text} collective call of {ranks} on it is {call_clause}",
                text=_nth(event.mismatch.call.ordinal),
                ranks=tuple(ranks),
                call_clause=self.call(event.mismatch),
            )
        lack = Phrase.of("{text}", text=self._undone(event, ranks))
        doing = {rank: self._other_activity(rank) for rank in ranks}
        for said in dict.fromkeys(doing.values()):
            members = [rank for rank in ranks if doing[rank] == said]
            if said is None:
                continue
            of_all = len(members) == len(ranks)
            lack = Phrase.of(
                "{lack_clause}, and {text} {clause}"
                if of_all
                else "{lack_clause}; {text} {clause}",
                lack_clause=lack,
                text=wording.are(members) if of_all else wording.verb(members, "is", "are"),
                clause=said,
            )
        if event.lenient and event.kind != "fences" and not all(map(self._has_ended, ranks)):
            return Phrase.of("{lack_clause}; {why}", lack_clause=lack, why=_why(event))
        return lack

    def unknown_reason(self, reason: Unknown) -> Phrase:
        """Return the reason why it is unknown whether a call may return."""
        of = reason.operation
        if of is None:
            return Phrase.of("{why}", why=reason.reason)
        return Phrase.of("for {call_clause}: {why}", call_clause=self.call(of), why=reason.reason)

    def _has_ended(self, rank: int) -> bool:
        # An ended process will never do it, with any library.
        state = self._found.states.get(rank)
        return state is not None and state.has_ended

    def _undone(self, event: Event, ranks: list[int]) -> str:
        who = wording.ranks(ranks)
        have = "has" if len(ranks) == 1 else "have"
        if event.kind == "send":
            if event.any and len(ranks) > 1:
                return f"none of {who} has such a send pending"
            return f"{who} {have} no such send pending"
        if event.kind == "unlock":
            return f"{wording.verb(ranks, 'holds', 'hold')} the lock"
        if event.kind == "partitions":
            if event.operation.call.dest is None:
                return f"{who} {have} not marked all partitions ready (MPI_Pready)"
            return "not all of its partitions are marked ready (MPI_Pready)"
        if event.kind == "start" and event.operation.call.partitioned:
            sends = event.operation.call.dest is not None
            other = "receive (MPI_Precv_init)" if sends else "send (MPI_Psend_init)"
            return f"{who} {have} started no such {other}"
        tag, *_ = names.tag(event.operation).split()
        group = "its group and this" if event.lenient else "this group and"  # "the other" follows
        return f"{who} {have} {_UNDONE[event.kind].format(tag=tag, group=group)}"

    def _other_activity(self, rank: int) -> Phrase | None:
        # The activity of a process that has no line of its own.
        state = self._found.states.get(rank)
        if state is None:
            return Phrase.of("not here")
        return None if rank in self._found.stuck else self.doing(rank)

    def doing(self, rank: int) -> Phrase:
        """Return the activity of a process with its place, equal for equal calls at one place."""
        state = self._found.states[rank]
        if state.process.death is not None:
            return dead(state.process, state.process.death, self._place)
        if state.kind == "waits" or state.has_outside:
            return self.call(state.waits[0].operation)
        if state.kind == "computes":
            return self.outside(state)
        if state.kind == "polls":
            return _polling(self.call(state.waits[-1].operation))
        return self._calling(state)

    def outside(self, state: State) -> Phrase:
        """Return the activity of a thread outside MPI."""
        return Phrase.of("not in MPI ({where})", where=self._place.outside(state.process))

    def stands(self, rank: int) -> Phrase:
        """Return the current procedure of a process without arguments, and the place."""
        state = self._found.states[rank]
        if state.kind in ("computes", "died") or not state.waits:
            return self.doing(rank)
        operation = state.waits[-1 if state.kind == "polls" else 0].operation
        call = Phrase.of(
            "{procedure}, called at {place}",
            procedure=operation.call.procedure,
            place=self._place.place(operation),
        )
        return _polling(call) if state.kind == "polls" else call

    def _calling(self, state: State) -> Phrase:
        if not state.waits:
            sessions = state.process.has_left_sessions
            procedure = "MPI_Session_finalize" if sessions else "MPI_Finalize"
            return Phrase.of("past {procedure}", procedure=procedure)
        return Phrase.of("in {call_clause}", call_clause=self.call(state.waits[0].operation))

    def near_misses(self, event: Event, most: int) -> list[str]:
        """Return similar calls that were made instead, a sentence each."""
        found: dict[str, None] = {}
        for miss in (
            miss for rank in sorted(event.ranks) for miss in self._near.sentences(event, rank)
        ):
            found[miss] = None
            if len(found) == most:
                break
        return list(found)

    def unmatched(self) -> list[str]:
        """Return the unmatched messages and receives that no near miss reports, a sentence each."""
        return unmatched.sentences(self._found, self._near.reported)


def _polling(call: Phrase) -> Phrase:
    return Phrase.of("polling with {call_clause}", call_clause=call)


def dead(process: Process, death: Death, place: Place) -> Phrase:
    """Return the signal that ended a process, with its MPI call or else the place."""
    where = death.where
    for operation in process.operations:
        if operation.tid == death.tid:
            where = f"in {names.call(operation)}, called at {place.place(operation)}"
            break
    return Phrase.of("dead ({signal} {where})", signal=death.signal, where=where)


def _why(event: Event) -> str:
    # The reason why this library waits although the standard does not require it.
    if event.is_ready_send:
        return "a ready send must find it posted"
    buffered = event.operation.call.partitioned
    synchronizes = "it waits because the library synchronizes here"
    return _LENIENT.get("receive" if buffered else event.kind, synchronizes)


def _nth(number: int | None) -> str:
    return _ORDINALS.get(number, wording.ordinal(number)) if number else "next"
