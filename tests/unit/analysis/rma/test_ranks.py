# SPDX-License-Identifier: MIT
"""The report on a program does not depend on how its processes are numbered."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

import pytest

from mpipp.analysis.rma_engine import Conflict, analyse
from mpipp.model import rma_events as m
from mpipp.model.message_events import Received, Sent
from tests.unit.analysis.rma.event_programs import Program, at
from tests.unit.analysis.rma.random_programs import Made
from tests.unit.analysis.rma.test_flags import DATA, atomic, locked, polled, told

Told = set[tuple[str, tuple[int, ...], int]]


def relabelled(program: Program, ranks: Sequence[int]) -> dict[int, list[m.Event]]:
    """The program with permuted ranks."""

    def event(old: m.Event) -> m.Event:
        changed: dict[str, object] = {
            "moment": old.moment._replace(process=ranks[old.moment.process])
        }
        if isinstance(old, m.WindowMade):
            changed["ranks"] = tuple(ranks[rank] for rank in old.ranks)
        elif isinstance(old, m.Synchronization):
            changed["group"] = tuple(ranks[rank] for rank in old.group)
        elif isinstance(old, (Sent, Received)):
            channel = old.channel
            ends = {"source": ranks[channel.source], "destination": ranks[channel.destination]}
            changed["channel"] = channel._replace(**ends)
        elif isinstance(old, m.Collective) and old.sources is not None:
            changed["sources"] = tuple(ranks[rank] for rank in old.sources)
        elif isinstance(old, m.Access) and old.owner >= 0:
            changed["owner"] = ranks[old.owner]
        return old._replace(**changed)  # type: ignore[arg-type]

    events = program.events()
    return {ranks[rank]: list(map(event, some)) for rank, some in events.items()}


def by_old_ranks(conflicts: list[Conflict], ranks: Sequence[int]) -> Told:
    """Rules, processes and owners of conflicts, with the original ranks."""
    return {
        (
            one.rule,
            tuple(
                sorted(ranks.index(side.event.moment.process) for side in (one.first, one.second))
            ),
            ranks.index(one.owner),
        )
        for one in conflicts
    }


def answers(program: Program) -> list[tuple[Told, Told]]:
    """For all permutations: the conflicts, and the undecided pairs."""
    found = []
    for ranks in itertools.permutations(program.everybody):
        result = analyse(relabelled(program, ranks))
        assert not result.cut
        conflicts = by_old_ranks(result.conflicts, ranks)
        found.append((conflicts, by_old_ranks(result.undecided, ranks) - conflicts))
    return found


def handed_on_or_not(seed: int) -> Program:
    """A program that passes a token around, in which a process sometimes does not wait for it."""
    how = random.Random(seed)
    number = how.randint(2, 3)
    program = Program(number, windows=2)
    program.sync("lock_all")
    holder, home = 0, how.randrange(number)
    for _ in range(how.randint(2, 6)):
        for _ in range(how.randint(1, 2)):
            program[holder].operation(how.choice(("put", "put", "get")), home, DATA)
            program[holder].sync("flush", home)
        if how.random() < 0.3:
            other = how.randrange(number)
            program[other].put(home, DATA)
            program[other].sync("flush", home)
        taker = how.choice([rank for rank in range(number) if rank != holder])
        hand = how.choice((atomic, atomic, polled, locked, told))
        hand(program, holder, taker, how.randrange(number), how)
        holder = taker
    program.sync("unlock_all")
    program.end()
    return program


@pytest.mark.parametrize("seed", range(60))
def test_ranks_do_not_matter_where_there_are_flags(seed: int) -> None:
    program = handed_on_or_not(seed)
    first, *others = answers(program)
    assert others == [first] * len(others)


def test_ranks_do_not_matter() -> None:
    for seed in range(100):
        made = Made(seed)
        # For "rma-apart" mpipp keeps only the last access of each process, even if flags may order
        # it.
        if made.number < 4 and not made.flags:
            program = made.program()
            first, *others = answers(program)
            assert others == [first] * len(others), seed


@pytest.mark.parametrize("first", [0, 1])
def test_a_flag_is_read_between_two_alike(first: int) -> None:
    # Accesses after the flag must not hide those before.
    other = 1 - first
    program = Program(3)
    program.sync("lock_all")
    program[first].put(2, at(0))
    program[first].sync("flush", 2)
    program[first].operation("fetch_and_op", 2, at(64), op="MPI_NO_OP")
    program[first].sync("flush", 2)
    program[first].put(2, at(0))
    program[first].sync("flush", 2)
    program[other].put(2, at(0))
    program[other].sync("flush", 2)
    program[other].operation("accumulate", 2, at(64), op="MPI_REPLACE")
    program[other].sync("flush", 2)
    program.sync("unlock_all")
    program.end()
    of_all = answers(program)
    assert of_all == of_all[:1] * len(of_all)
