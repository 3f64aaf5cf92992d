# SPDX-License-Identifier: MIT
"""Programs that rely on buffering: random ones, compared with a search of all legal schedules."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from mpipp.analysis.buffering.replay import Replay
from mpipp.analysis.buffering.steps import Channel, Step, Steps, resolve
from mpipp.model import Comm
from tests.short import some
from tests.unit.ledgers import Ended, call

ANY = -1
IDENTITY = 1
_MOST_STATES = 200_000


class Op(NamedTuple):
    """A call: "send", "ssend", "isend", "recv", "irecv", "wait", "barrier", "bcast"."""

    name: str
    peer: int = 0  # also the root, or the number of the call to wait for
    tag: int = 0


Program = tuple[tuple[Op, ...], ...]


class State(NamedTuple):
    """A state of all processes.

    Attributes:
        at: the current call of each process.
        posted: whether that call has started.
        sent: messages that have not arrived, as (sender, receiver, tag, call).
        arrived: messages that are not received yet, in order.
        receives: receives without a message, as (receiver, source, tag, call).
        matched: (rank, call) of completed sends and receives, and the messages of receives.
        joined: the number of collective calls that each process has started.
    """

    at: tuple[int, ...]
    posted: tuple[bool, ...]
    sent: tuple[tuple[int, int, int, int], ...] = ()
    arrived: tuple[tuple[int, int, int, int], ...] = ()
    receives: tuple[tuple[int, int, int, int], ...] = ()
    matched: frozenset[tuple[int, int, int, int]] = frozenset()
    joined: tuple[int, ...] = ()


def start(program: Program) -> State:
    count = len(program)
    return State((0,) * count, (False,) * count, joined=(0,) * count)


def _set(values: tuple, at: int, value: object) -> tuple:  # type: ignore[type-arg]
    return (*values[:at], value, *values[at + 1 :])


def steps_of(program: Program, state: State) -> Iterator[tuple[State, bool]]:
    """The next states.

    Each comes with True if a message was buffered, or if a collective call returned before others
    came.
    """
    for rank, calls in enumerate(program):
        if state.at[rank] < len(calls):
            yield from _moves(program, state, rank)
    for message in state.sent:
        if not any(m[:2] == message[:2] for m in state.sent[: state.sent.index(message)]):
            yield _arrive(state, message), False


def _arrive(state: State, message: tuple[int, int, int, int]) -> State:
    rest = tuple(m for m in state.sent if m != message)
    sender, receiver, tag, number = message
    for one in state.receives:
        if one[0] == receiver and one[1] in (ANY, sender) and one[2] in (ANY, tag):
            left = tuple(r for r in state.receives if r != one)
            done = {(sender, number, 0, 0), (receiver, one[3], sender, tag)}
            return state._replace(sent=rest, receives=left, matched=state.matched | done)
    return state._replace(sent=rest, arrived=(*state.arrived, message))


def _is_done(state: State, rank: int, number: int) -> bool:
    return any(m[:2] == (rank, number) for m in state.matched)


def _moves(program: Program, state: State, rank: int) -> Iterator[tuple[State, bool]]:
    number = state.at[rank]
    op = program[rank][number]
    if not state.posted[rank]:
        yield from _post(state, rank, number, op)
        return
    gone = state._replace(
        at=_set(state.at, rank, number + 1), posted=_set(state.posted, rank, False)
    )
    of, which = (program[rank][op.peer], op.peer) if op.name == "wait" else (op, number)
    if op.name in ("isend", "irecv"):
        yield gone, False
    elif of.name in ("barrier", "bcast"):
        if min(state.joined) >= state.joined[rank]:
            yield gone, False
        elif of.name == "bcast" and state.joined[of.peer] >= state.joined[rank]:
            yield gone, True
    elif _is_done(state, rank, which):
        yield gone, False
    elif of.name in ("send", "isend"):
        yield gone, True


def _post(state: State, rank: int, number: int, op: Op) -> Iterator[tuple[State, bool]]:
    begun = state._replace(posted=_set(state.posted, rank, True))
    if op.name in ("send", "ssend", "isend"):
        message = rank, op.peer, op.tag, number
        yield begun._replace(sent=(*state.sent, message)), False
    elif op.name in ("barrier", "bcast"):
        yield begun._replace(joined=_set(state.joined, rank, state.joined[rank] + 1)), False
    elif op.name in ("recv", "irecv"):
        seen = set()
        for one in state.arrived:
            fits = one[1] == rank and op.peer in (ANY, one[0]) and op.tag in (ANY, one[2])
            if fits and one[0] not in seen:
                seen.add(one[0])
                left = tuple(m for m in state.arrived if m != one)
                done = {(one[0], one[3], 0, 0), (rank, number, one[0], one[2])}
                yield begun._replace(arrived=left, matched=state.matched | done), False
        if not seen:
            waiting = rank, op.peer, op.tag, number
            yield begun._replace(receives=(*state.receives, waiting)), False
    else:
        yield begun, False


def hangs(program: Program) -> bool:
    """Return whether the program can reach a state in which it hangs without buffering."""
    known = {start(program)}
    left = [*known]
    while left:
        state = left.pop()
        following = list(steps_of(program, state))
        is_over = all(at == len(calls) for at, calls in zip(state.at, program))
        if not is_over and all(buffered for _, buffered in following):
            return True
        for one, _ in following:
            if one not in known:
                known.add(one)
                left.append(one)
        if len(known) > _MOST_STATES:
            raise OverflowError
    return False


def run(program: Program, chance: random.Random) -> State | None:
    """The final state of one run; None if the run hangs."""
    state = start(program)
    while True:
        following = list(steps_of(program, state))
        if not following:
            is_over = all(at == len(calls) for at, calls in zip(state.at, program))
            return state if is_over else None
        state = chance.choice(following)[0]


def recorded(program: Program, state: State) -> dict[int, Steps]:
    """The steps of a run, as the wrapper records them."""
    took = {(rank, number): (peer, tag) for rank, number, peer, tag in state.matched}
    comm = world(len(program))
    found = {}
    for rank, calls in enumerate(program):
        of = Ended(rank, len(program))
        steps = Steps(of.process(), rank, {IDENTITY: comm}, is_whole=True)
        joined, numbers = 0, {}
        for number, op in enumerate(calls):
            numbers[number] = len(steps.steps)
            flags = set() if op.name in ("isend", "irecv") else {"waits"}
            channel, kind, ordinal, begun = None, "send", 0, -1
            if op.name in ("barrier", "bcast"):
                kind, joined = "collective", joined + 1
                ordinal = joined
            elif op.name == "wait":
                kind, begun = "completed", numbers[op.peer]
            elif op.name in ("recv", "irecv"):
                kind = "receive"
                channel = Channel(IDENTITY, took[rank, number][0], rank, took[rank, number][1])
                flags |= {"any source"} if op.peer == ANY else set()
                flags |= {"any tag"} if op.tag == ANY else set()
            else:
                channel = Channel(IDENTITY, rank, op.peer, op.tag)
                flags |= {"synchronous"} if op.name == "ssend" else set()
            made = call(f"MPI_{op.name.capitalize()}", line=100 * rank + number + 1)
            identity = 0 if kind == "completed" else IDENTITY
            steps.steps.append(
                Step(kind, frozenset(flags), made, identity, channel, ordinal, start=begun)
            )
        found[rank] = steps
    resolve(found, len(program))
    return found


def world(size: int) -> Comm:
    """MPI_COMM_WORLD with this number of processes."""
    return Ended(0, size).comm()


def made(chance: random.Random, any_too: bool) -> Program:
    """A random program in which each message is received."""
    size = chance.choice((2, 2, 3))
    calls: list[list[Op]] = [[] for _ in range(size)]
    for _ in range(chance.randint(1, 3 if size == 3 else 4)):
        if chance.random() < 0.3:
            op = Op(chance.choice(("barrier", "bcast")))
            for each in calls:
                each.append(op)
            continue
        sender, receiver = chance.sample(range(size), 2)
        tag = chance.randint(0, 1)
        sent = Op(chance.choice(("send", "send", "ssend", "isend")), receiver, tag)
        source = ANY if any_too and chance.random() < 0.4 else sender
        wanted = ANY if any_too and chance.random() < 0.2 else tag
        received = Op(chance.choice(("recv", "recv", "irecv")), source, wanted)
        for rank, one in ((sender, sent), (receiver, received)):
            # Insert the call at a random position, but not after a wait for it.
            at = len(calls[rank]) - (chance.random() < 0.5 and bool(calls[rank]))
            calls[rank].insert(at, one)
    return tuple(tuple(_with_waits(each, chance)) for each in calls)


def _with_waits(calls: list[Op], chance: random.Random) -> list[Op]:
    # Add a wait for each nonblocking operation at a random position.
    found: list[Op] = []
    open_ones: list[int] = []
    for op in calls:
        found.append(op)
        if op.name in ("isend", "irecv"):
            open_ones.append(len(found) - 1)
        while open_ones and chance.random() < 0.4:
            found.append(Op("wait", open_ones.pop(0)))
    return found + [Op("wait", number) for number in open_ones]


@pytest.mark.parametrize("any_too", [False, True])
def test_random_programs(any_too: bool) -> None:
    chance = random.Random(7 + any_too)
    reported = silent = 0
    for _ in range(some(1500)):
        program = made(chance, any_too)
        state = run(program, chance)
        if state is None:
            continue
        found = list(Replay(recorded(program, state)).cycles())
        try:
            expected = hangs(program)
        except OverflowError:
            continue
        if found:
            assert expected, program
        elif not any_too:
            assert not expected, program
        reported += bool(found)
        silent += not found
    assert min(reported, silent) > some(1500) // 60
