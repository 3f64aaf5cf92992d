# SPDX-License-Identifier: MIT
"""Correct programs in which flags order accesses: mpipp reports nothing."""

from __future__ import annotations

import random
from typing import Any

import pytest

from mpipp.analysis.rma_engine import analyse
from mpipp.model import rma_events as m
from tests.short import some
from tests.unit.analysis.rma.event_programs import Program, at, found
from tests.unit.analysis.rma.flag_programs import difference

DATA, FLAG = at(0, 8), at(64)


def atomic(program: Program, giver: int, taker: int, where: int, how: random.Random) -> None:
    """Set a flag by an accumulate, and fetch it. A first fetch may be too early."""
    if how.random() < 0.5:
        program[taker].operation("fetch_and_op", where, FLAG, op="MPI_NO_OP")
        program[taker].sync("flush", where)
    kind = how.choice(("accumulate", "fetch_and_op", "compare_and_swap"))
    op = "" if kind == "compare_and_swap" else "MPI_REPLACE"
    program[giver].operation(kind, where, FLAG, op=op)
    program[giver].sync("flush", where)
    kind = how.choice(("fetch_and_op", "get_accumulate"))
    program[taker].operation(kind, where, FLAG, op="MPI_NO_OP")
    program[taker].sync(how.choice(("flush", "flush_local")), where)


def polled(program: Program, giver: int, taker: int, where: int, how: random.Random) -> None:
    """Put a flag into the memory of a process that loads until it arrives."""
    flag = at(128 + 8 * giver)
    loads = how.random() < 0.5  # whether the loads are in the log
    if loads:
        program[taker].load(flag)
        program[taker].sync("sync")
    program[giver].put(taker, flag)
    program[giver].sync("flush", taker)
    if loads:
        program[taker].load(flag)
    program[taker].sync("sync")


def got(program: Program, giver: int, taker: int, where: int, how: random.Random) -> None:
    """Store a flag in the own memory, and get it. A first get may be too early."""
    flag = at(192 + 8 * giver)
    if how.random() < 0.5:
        program[taker].get(giver, flag)
        program[taker].sync("flush", giver)
    program[giver].store(flag)
    program[giver].sync("sync")
    if how.random() < 0.5:
        program[taker].get(giver, flag)
    else:
        program[taker].operation("fetch_and_op", giver, flag, op="MPI_NO_OP")
    program[taker].sync(how.choice(("flush", "flush_local_all")), giver)


def locked(program: Program, giver: int, taker: int, where: int, how: random.Random) -> None:
    """Put and get a flag under exclusive locks of another window."""
    for process, kind in ((taker, "get"), (giver, "put"), (taker, "get")):
        program[process].sync("lock", where, exclusive=True, window=2)
        program[process].operation(kind, where, at(256), window=2)
        program[process].sync("unlock", where, window=2)


def told(program: Program, giver: int, taker: int, where: int, how: random.Random) -> None:
    """Send a message."""
    program.message(giver, taker)


def elsewhere(program: Program, giver: int, taker: int, where: int, how: random.Random) -> None:
    """Send a message to another MPI_COMM_WORLD, and receive one from there."""
    for rank, tells in ((giver, True), (taker, False)):
        program[rank].does(m.OtherWorldContact(program[rank].moment("MPI_Send"), tells))


def handed_on(seed: int) -> Program:
    """A program that passes a token around. Its holder changes the data in some
    process's memory."""
    how = random.Random(seed)
    number = how.randint(2, 4)
    program = Program(number, windows=2)
    program.sync("lock_all")
    holder, home = 0, how.randrange(number)
    for _ in range(how.randint(2, 8)):
        if holder == home and how.random() < 0.3:
            program[holder].store(DATA)
        else:
            program[holder].operation(how.choice(("put", "get")), home, DATA)
            program[holder].sync("flush", home)
        taker = how.choice([rank for rank in range(number) if rank != holder])
        hand = how.choice((atomic, atomic, polled, got, locked, told, elsewhere))
        hand(program, holder, taker, how.randrange(number), how)
        holder = taker
    program.sync("unlock_all")
    program.end()
    return program


def test_nothing_is_told_where_a_token_is_handed_on() -> None:
    # Some of these chains pass through a process that learns of two others before it sends to any.
    for seed in range(some(1000)):
        assert analyse(handed_on(seed).events()).conflicts == [], seed


def test_conflicts_that_no_flag_explains_are_told() -> None:
    found = 0
    for seed in range(40):
        how = random.Random(seed)
        program = Program(3, windows=2)
        program.sync("lock_all")
        program[0].put(2, DATA)
        program[1].put(2, DATA)  # the put is not followed by a token
        program.sync("flush_all")
        how.choice((atomic, polled, got, locked, elsewhere))(program, 0, 1, 2, how)
        program.sync("unlock_all")
        program.end()
        result = analyse(program.events())
        assert len(result.conflicts) + len(result.undecided) >= 1
        found += len(result.conflicts)
    assert found == 40


_VALID = [
    ("load", "put", ""),
    ("load", "accumulate", "MPI_SUM"),
    ("store", "get", ""),
    ("store", "fetch_and_op", "MPI_NO_OP"),
]


@pytest.mark.parametrize(("access", "kind", "op"), [*_VALID, ("store", "put", "")])
@pytest.mark.parametrize(
    ("steps", "polls"),
    [
        ("access", False),
        ("access sync", True),
        ("sync access", True),
        ("access flush sync", True),
        ("access message sync", False),
        ("sync message access", False),
        ("access message access sync", True),  # polling in a loop
        ("access message elsewhere sync", False),
        ("access message sync thread", True),
    ],
)
def test_lines_next_to_a_sync_may_poll(
    access: str, kind: str, op: str, steps: str, polls: bool
) -> None:
    program = Program(3)
    program.sync("lock_all")
    place = -1
    for step in steps.split():
        if step == "message":
            program.message(1, 2)
        elif step == "thread":
            sync = program[1].sync("sync")
            program[1].events[-1] = sync._replace(moment=sync.moment._replace(thread=1))
        elif step in ("access", "elsewhere"):
            event = getattr(program[1], access)(FLAG)
            if step == "access":
                place = event.moment.place if place < 0 else place
                program[1].events[-1] = event._replace(moment=event.moment._replace(place=place))
        else:
            program[1].sync(step, 0 if step == "flush" else -1)
    program[0].operation(kind, 1, FLAG, op=op)
    program.sync("unlock_all")
    program.end()
    result = analyse(program.events())
    lines = len({*steps.split()} & {"access", "elsewhere"})
    # An access of "elsewhere" is always next to the sync, so it may poll.
    undecided = (polls + lines - 1) * ((access, kind, op) in _VALID)
    assert (len(result.conflicts), len(result.undecided)) == (lines - undecided, undecided)


@pytest.mark.parametrize("synced", [False, True])
def test_what_others_get_may_be_a_flag(synced: bool) -> None:
    program = Program(3)
    program.sync("lock_all")
    program[1].get(2, DATA)
    program[1].sync("flush", 2)
    program[1].store(FLAG)
    if synced:
        program[1].sync("sync")
    program[0].get(1, FLAG)
    program[0].sync("flush", 1)
    program[0].put(2, DATA)
    program.sync("unlock_all")
    program.end()
    result = analyse(program.events())
    assert (len(result.conflicts), len(result.undecided)) == ((0, 2) if synced else (2, 0))


def meet(program: Program, rank: int, *, tells: bool) -> None:
    """Add a message to or from another MPI_COMM_WORLD."""
    program[rank].does(m.OtherWorldContact(program[rank].moment("MPI_Send"), tells))


@pytest.mark.parametrize(
    ("way", "decided"),
    [
        ("tells, hears", False),
        ("tells, hears by another", False),
        ("tells by another, hears", False),
        ("tells too early, hears", True),
        ("tells, hears too late", True),
        ("tells, hears before the barrier", True),
        ("hears", True),
        ("tells", True),
        ("tells before the end, hears", True),
    ],
)
def test_what_another_world_may_have_told_is_not_decided(way: str, decided: bool) -> None:
    program = Program(3)
    program.sync("lock_all")
    if "too early" in way:
        meet(program, 0, tells=True)
    if "before the barrier" in way:
        meet(program, 1, tells=False)
        program.barrier()
    program[0].put(0, DATA)
    if "before the end" not in way:
        program[0].sync("flush", 0)
    if "tells by another" in way:
        program.message(0, 2)
        meet(program, 2, tells=True)
    elif "tells" in way and "too early" not in way:
        meet(program, 0, tells=True)
    if "by another" in way and "hears by" in way:
        meet(program, 2, tells=False)
        program.message(2, 1)
    elif way.endswith("hears"):
        meet(program, 1, tells=False)
    program[1].get(0, DATA)
    program[1].sync("flush", 0)
    if "too late" in way:
        meet(program, 1, tells=False)
    program.sync("unlock_all")
    program.end()
    result = analyse(program.events())
    assert (len(result.conflicts), len(result.undecided)) == ((1, 0) if decided else (0, 1))


@pytest.mark.parametrize("kind", [{"flavor": "shared"}, {"flavor": "allocate", "queried": True}])
@pytest.mark.parametrize(
    ("sharers", "way", "decided"),
    [
        ((0, 1), "", False),
        ((1, 2), "told", False),
        ((0, 2), "told by", False),
        ((0, 2), "", True),
        ((1, 2), "", True),
        ((0, 1), "freed", True),
        ((0, 1), "made later", True),
        ((0, 1), "in an epoch of all", True),
        ((0, 1), "ended later", False),
        ((1,), "", True),
    ],
)
def test_memory_that_processes_share_may_have_a_flag_while_it_is_there(
    sharers: tuple[int, ...], way: str, decided: bool, kind: dict[str, Any]
) -> None:
    program = Program(3)
    shared = 2
    if way != "made later":
        program.make(shared, sharers, **kind)
    if way == "freed":
        program.free(shared, sharers)
    opened, closed = ("fence",) * 2 if "epoch" in way else ("lock_all", "unlock_all")
    program.sync(opened)
    program[0].put(2, DATA)
    if opened == "lock_all" and way != "ended later":
        program[0].sync("flush", 2)
    if way == "told":
        program.message(0, 2)
    if way == "told by":
        program.message(2, 1)
    program[1].get(2, DATA)
    program.sync(closed)
    if way == "made later":
        program.make(shared, sharers, **kind)
    program.end()
    result = analyse(program.events())
    assert (len(result.conflicts), len(result.undecided)) == ((1, 0) if decided else (0, 1))


def test_values_tell_what_flags_order() -> None:
    # The analysis knows the values of each flag, and the order in which they are read.
    told = undecided = ordered = 0
    for seed in range(60):
        wrong, *numbers = difference(seed)
        assert wrong == "", seed
        told, undecided, ordered = (
            before + more for before, more in zip((told, undecided, ordered), numbers)
        )
    assert told > 50
    assert undecided > 5
    assert ordered


@pytest.mark.parametrize(
    ("hints", "ops", "conflicts"),
    [
        (("same_op_no_op", None), ("MPI_SUM", "MPI_NO_OP"), 0),
        (("same_op", None), ("MPI_SUM", "MPI_NO_OP"), 1),
        (("", frozenset({"waw"})), ("MPI_SUM", "MPI_MAX"), 1),
        (("", frozenset({"rar"})), ("MPI_SUM", "MPI_MAX"), 2),
    ],
)
def test_info_keys_say_which_accumulates_may_be_at_once(
    hints: tuple[str, frozenset[str] | None], ops: tuple[str, str], conflicts: int
) -> None:
    program = Program(2)
    for rank in program.ranks:
        rank.does(m.WindowInfo(rank.moment("MPI_Win_set_info"), 1, *hints))
    program.sync("fence")
    # The first pair of accumulates comes from one process, the second pair from two.
    program[0].accumulate(1, at(0), ops[0])
    program[0].accumulate(1, at(0), ops[1])
    program[0].accumulate(1, at(8), ops[0])
    program[1].accumulate(1, at(8), ops[1])
    program.sync("fence", "MPI_MODE_NOSUCCEED")
    assert len(found(program)) == conflicts


def test_a_buffer_in_memory_that_is_unlocked_before_the_operation_ends() -> None:
    # Rank 0 puts to rank 2 from the memory of rank 1, which stores there under its own lock.
    for early in (True, False):
        program = Program(3, flavor="shared")
        program[0].sync("lock", 1, exclusive=True)
        program[0].sync("lock", 2)
        event = program[0].operation("put", 2, at(0), ())
        assert isinstance(event, m.Operation)
        program[0].events[-1] = event._replace(lent=(m.Lent(False, 1, at(8), 0),))
        for target in (1, 2) if early else (2, 1):
            program[0].sync("unlock", target)
        program[1].sync("lock", 1, exclusive=True)
        program[1].store(at(8))
        program[1].sync("unlock", 1)
        program.end()
        result = analyse(program.events())
        # A flag may have ordered the put before.
        assert (result.conflicts, len(result.undecided)) == ([], early)
