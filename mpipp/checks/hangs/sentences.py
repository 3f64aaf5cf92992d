# SPDX-License-Identifier: MIT
"""What a process does, and what it lacks, in a sentence each."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from mpipp.checks.hangs import unmatched, words
from mpipp.checks.hangs.analysis import Explanation, State
from mpipp.checks.hangs.conditions import Event, Unknown
from mpipp.checks.hangs.nearmisses import NearMisses
from mpipp.checks.process import Death, Operation, Process
from mpipp.show import wording

# What they have not done who are asked for an event.
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
    "unlock": "it waits because the library does not put the lock off",
}
_ORDINALS = {1: "first", 2: "second", 3: "third"}


class Place(Protocol):
    """Where things are in the program's source."""

    def place(self, operation: Operation) -> str:
        """Of a call: "solver.c:80 in relax"."""
        ...

    def outside(self, process: Process) -> str:
        """Of a process's first thread that is not in MPI: "computing at solver.c:80 in relax"."""
        ...


class Sentences:
    """Says what an explanation has found."""

    def __init__(self, explanation: Explanation, place: Place) -> None:
        self._found = explanation
        self._place = place
        self._near = NearMisses(explanation.waits.messages)

    def call(self, operation: Operation) -> str:
        """A call and its place, and that which started a persistent operation."""
        text = f"{words.call(operation)}, called at {self._place.place(operation)}"
        start = operation.start
        if start is None:
            return text
        begun = replace(operation, call=replace(operation.call, site=start.site), tid=None)
        return f"{text}, started by {start.procedure} at {self._place.place(begun)}"

    def lack(self, event: Event) -> str:
        """What has not been done, and what those do who should."""
        ranks = sorted(event.ranks)
        if event.mismatch is not None:
            number = _nth(event.mismatch.call.ordinal)
            there = self.call(event.mismatch)
            return f"the {number} collective call of {wording.ranks(ranks)} on it is {there}"
        text = self._undone(event, ranks)
        doing = {rank: self._elsewhere(rank) for rank in ranks}
        for said in dict.fromkeys(doing.values()):
            members = [rank for rank in ranks if doing[rank] == said]
            if said and len(members) == len(ranks):
                text += f", and {wording.are(members)} {said}"
            elif said:
                text += f"; {wording.verb(members, 'is', 'are')} {said}"
        if event.lenient and event.kind != "fences" and not all(map(self._has_ended, ranks)):
            text += f"; {_why(event)}"
        return text

    def untold(self, reason: Unknown) -> str:
        """Why it is not told of a call whether it may return."""
        of = reason.operation
        return reason.reason if of is None else f"for {self.call(of)}: {reason.reason}"

    def _has_ended(self, rank: int) -> bool:
        # It will never do it, whatever the library is like.
        state = self._found.states.get(rank)
        return state is not None and state.is_over

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
        tag, *_ = words.tag(event.operation).split()
        group = "its group and this" if event.lenient else "this group and"  # of two the other
        return f"{who} {have} {_UNDONE[event.kind].format(tag=tag, group=group)}"

    def _elsewhere(self, rank: int) -> str:
        # What a process does of which nothing else is said.
        state = self._found.states.get(rank)
        if state is None:
            return "not here"
        return "" if rank in self._found.stuck else self.doing(rank)

    def doing(self, rank: int) -> str:
        """What a process does, with its place: the same for all that do the same there."""
        state = self._found.states[rank]
        if state.process.death is not None:
            return dead(state.process, state.process.death, self._place)
        if state.kind == "waits" or state.has_outside:
            return self.call(state.waits[0].operation)
        if state.kind == "computes":
            return self.outside(state)
        if state.kind == "polls":
            return f"polling with {self.call(state.waits[-1].operation)}"
        return self._calling(state)

    def outside(self, state: State) -> str:
        """What a thread does that is not in MPI."""
        return f"not in MPI ({self._place.outside(state.process)})"

    def stands(self, rank: int) -> str:
        """Where a process stands: the procedure without arguments, and the place."""
        state = self._found.states[rank]
        if state.kind in ("computes", "died") or not state.waits:
            return self.doing(rank)
        operation = state.waits[-1 if state.kind == "polls" else 0].operation
        text = f"{operation.call.procedure}, called at {self._place.place(operation)}"
        return f"polling with {text}" if state.kind == "polls" else text

    def _calling(self, state: State) -> str:
        if not state.waits:
            sessions = state.process.has_left_sessions
            return f"past {'MPI_Session_finalize' if sessions else 'MPI_Finalize'}"
        return f"in {self.call(state.waits[0].operation)}"

    def near_misses(self, event: Event, most: int) -> list[str]:
        """What was done instead, a sentence each."""
        found: dict[str, None] = {}
        for miss in (miss for rank in sorted(event.ranks) for miss in self._near.of(event, rank)):
            found[miss] = None
            if len(found) == most:
                break
        return list(found)

    def left_over(self) -> list[str]:
        """What is unmatched and was not told as a near miss, a sentence each."""
        return unmatched.sentences(self._found, self._near.told)


def dead(process: Process, death: Death, place: Place) -> str:
    """What a process died of, with the call of MPI or else the place where."""
    for operation in process.operations:
        if operation.tid == death.tid:
            where = f"in {words.call(operation)}, called at {place.place(operation)}"
            return f"dead ({death.signal} {where})"
    return f"dead ({death.signal} {death.where})"


def _why(event: Event) -> str:
    # A call waits that need not.
    if event.is_ready_send:
        return "a ready send must find it posted"
    buffered = event.operation.call.partitioned
    synchronizes = "it waits because the library synchronizes here"
    return _LENIENT.get("receive" if buffered else event.kind, synchronizes)


def _nth(number: int | None) -> str:
    return _ORDINALS.get(number, wording.ordinal(number)) if number else "next"
