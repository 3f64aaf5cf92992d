# SPDX-License-Identifier: MIT
"""Random programs whose flags are atomic operations, run step by step.

The run shows which operations have read the results of which others.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from mpipp.analysis.rma_engine import analyse
from mpipp.model import rma_events as m
from mpipp.model.message_events import Channel, Received, Sent
from tests.unit.analysis.rma.event_programs import INT, Program, at
from tests.unit.analysis.rma.oracle import Oracle
from tests.unit.analysis.rma.random_programs import keys

HOME = 0
Write = tuple[int, int]  # process and number of the event


class Element:
    """A flag: its value, and the operations whose effects the value contains."""

    def __init__(self, where: int, value: int, sums: bool) -> None:
        self.memory = at(where)
        self.value = value
        self.sums = sums
        self.made_by: list[Write] = []


class Flagged:
    """A random program, and the pairs of a write and the operation that read it."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.number = self.random.randint(2, 4)
        self.program = Program(self.number)
        self.read: list[tuple[Write, Write]] = []
        self.posted: dict[tuple[int, int], int] = {}
        self.flags = [
            Element(64 + 8 * which, self.random.choice((0, 0, 7)), self.random.random() < 0.4)
            for which in range(self.random.randint(1, 2))
        ]
        self.program.sync("lock_all")
        self.program.barrier()
        running = {rank: self._steps(rank) for rank in range(self.number)}
        while running:
            rank = self.random.choice(list(running))
            if next(running[rank], None) is None:
                del running[rank]
        self.program.sync("unlock_all")
        self.program.end()

    def _steps(self, rank: int) -> Iterator[int]:
        mine, random_ = self.program[rank], self.random
        for _ in range(random_.randint(2, 5)):
            which = random_.random()
            if which < 0.35:
                kind = random_.choice(("put", "put", "get"))
                mine.operation(kind, HOME, at(8 * random_.randrange(2)))
                if random_.random() < 0.8:
                    mine.sync("flush", HOME)
                yield rank
            elif which < 0.6:
                yield from self._changes(rank, random_.choice(self.flags))
            elif which < 0.9:
                flag = random_.choice(self.flags)
                seen = self._atomic(rank, flag, "fetch_and_op", "MPI_NO_OP", 0)
                for _ in range(random_.choice((0, 12))):
                    yield rank
                    if self._atomic(rank, flag, "fetch_and_op", "MPI_NO_OP", 0) != seen:
                        break
                yield rank
            else:
                yield from self._message(rank)

    def _message(self, rank: int) -> Iterator[int]:
        for (source, to), count in self.posted.items():
            if to == rank and count:
                self.posted[source, to] -= 1
                mine = self.program[rank]
                mine.does(Received(mine.moment("MPI_Recv"), self._channel(source, rank, "taken")))
                yield rank
                return
        to = self.random.choice([other for other in range(self.number) if other != rank])
        self.posted[rank, to] = self.posted.get((rank, to), 0) + 1
        mine = self.program[rank]
        mine.does(Sent(mine.moment("MPI_Send"), self._channel(rank, to, "sent")))
        yield rank

    def _channel(self, source: int, to: int, what: str) -> Channel:
        counts = self.__dict__.setdefault(what, {})
        ordinal = counts.get((source, to), 0)
        counts[source, to] = ordinal + 1
        return Channel(0, source, to, 0, ordinal)

    def _changes(self, rank: int, flag: Element) -> Iterator[int]:
        how = self.random.random()
        if flag.sums:
            kind = self.random.choice(("accumulate", "fetch_and_op"))
            self._atomic(rank, flag, kind, "MPI_SUM", self.random.randint(1, 2))
        elif how < 0.3:
            self._atomic(rank, flag, "compare_and_swap", "", 3, flag.value if how < 0.2 else 5)
        else:
            kind = self.random.choice(("accumulate", "fetch_and_op", "get_accumulate"))
            value = self.random.choice((0, 1, 2, 3, 4, 5))
            self._atomic(rank, flag, kind, "MPI_REPLACE", value)
        yield rank

    def _atomic(
        self, rank: int, flag: Element, kind: str, op: str, given: int, compared: int = 0
    ) -> int:
        mine = self.program[rank]
        event = mine.operation(kind, HOME, flag.memory, op=op, types=[INT])
        assert isinstance(event, m.Operation)
        fetches = kind != "accumulate"
        found = m.Values(4, None if op == "MPI_NO_OP" else given, compared, fetches)
        mine.events[-1] = event._replace(values=found)
        me, before, makers = (rank, event.moment.number), flag.value, list(flag.made_by)
        if op == "MPI_SUM":
            flag.value += given
            flag.made_by.append(me)
        elif op == "MPI_REPLACE" or (kind == "compare_and_swap" and before == compared):
            flag.value = given
            # A fetching operation has read the old value, so a reader of the new value follows
            # that, too.
            flag.made_by = [me, *makers] if fetches else [me]
        mine.sync("flush", HOME)
        if fetches:
            told = mine.does(m.Brought(mine.moment("flush"), event.moment.number, before))
            self.read += [(maker, (rank, told.moment.number)) for maker in makers]
            self.read += [(maker, me) for maker in makers]
        return before

    def oracle(self) -> Oracle:
        """Return an oracle that also knows which accesses the flags put in order."""
        made = Oracle(self.program.events())
        for (process, number), reader in self.read:
            made.edge(made.begin[process, number], made.end[reader])
        return made


def difference(seed: int) -> tuple[str, int, int, int]:
    """The error in the analysis, or "", and the numbers of reported, undecided and silent pairs."""
    made = Flagged(seed)
    events, oracle = made.program.events(), made.oracle()
    result = analyse(events, events)
    expected = oracle.conflicts()
    wrong = ""
    if result.cut or result.mistakes or result.forgotten:
        wrong = f"cut {result.cut}, mistakes {result.mistakes}"
    elif not keys(result, False) <= expected:
        wrong = f"false: {keys(result, False) - expected}"
    elif not keys(result, True) >= expected:
        wrong = f"missing: {expected - keys(result, True)}"
    places = [(id(one.event), one.owner) for one in oracle.touches]
    for one in result.conflicts:
        first, second = (
            [
                oracle.touches[i]
                for i, place in enumerate(places)
                if place == (id(side.event), one.owner)
            ]
            for side in (one.first, one.second)
        )
        if all(
            oracle.ordered(a.ends, b.begins) or oracle.ordered(b.ends, a.begins)
            for a in first
            for b in second
        ):
            wrong = f"false: {one.first.event.moment}, {one.second.event.moment}"
    ordered = keys(analyse(events), True) - keys(result, True)
    return wrong, len(result.conflicts), len(result.undecided), len(ordered)
