# SPDX-License-Identifier: MIT
"""Hand-made processes that have ended after calls on several communicators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TypeVar

from mpipp.model import Call, Channel, Object
from tests.unit.jobs import WORLD
from tests.unit.ledgers import Ended, Run, call

Comms = Mapping[int, Sequence[int]]  # members by identity
_T = TypeVar("_T")


@dataclass
class Several(Ended):
    """A process. Its history keeps calls one by one or, with `runs`, repeated calls as runs."""

    runs: bool = True
    others: dict[int, tuple[Sequence[int], Channel]] = field(default_factory=dict)

    def objects(self, kind: str, ended: bool = False) -> Iterator[Object]:
        """Its communicators. The identity of a communicator is its handle, too."""
        yield from super().objects(kind, ended)
        for identity, (members, channel) in self.others.items() if kind == "comm" else ():
            world = self.comm()
            header = world.header._replace(handle=identity, serial=identity, name=f"c{identity}")
            yield replace(
                world,
                header=header,
                identity=identity,
                channels=[channel],
                world_ranks=members,
                rank=list(members).index(self.rank),
                size=len(members),
            )

    def does(self, comms: Comms, calls: Sequence[tuple[int, Call]]) -> Several:
        """Add the calls on communicators that the process belongs to."""
        mine = [(on, of) for on, of in calls if on == WORLD or self.rank in comms[on]]
        for identity in {on for on, _ in mine}:
            runs = self._runs([of for on, of in mine if on == identity])
            self.joins(*runs, made=identity)
            if identity != WORLD:
                self.others[identity] = comms[identity], self.channels.pop()
        turns = [(on, len(list(of))) for on, of in groupby(on for on, _ in mine)][:-1]
        made = {turn: call("MPI_Barrier", root=turn[0], tag=turn[1]) for turn in turns}
        if turns:
            self.turns(*self._runs([made[turn] for turn in turns]))
        return self

    def _runs(self, calls: Sequence[Call]) -> Iterator[Run]:
        at = 0
        while at < len(calls):
            period, count = _repeated(calls[at:]) if self.runs else (1, 1)
            yield at + 1, count, calls[at : at + period]
            at += count


def _repeated(every: Sequence[_T]) -> tuple[int, int]:
    # The shortest period that repeats, and the number of calls that it covers.
    for period in range(1, min(6, len(every) // 2) + 1):
        count = period
        while count < len(every) and every[count] is every[count - period]:
            count += 1
        if count >= 2 * period:
            return period, count
    return 1, 1
