# SPDX-License-Identifier: MIT
"""Random programs of messages, and all receives that could take another message in one of them.

`Program` has the calls of each process. `Run` executes them in a random order, and records their
events. `possible` tries all orders in which each receive takes the message of the run. It lists
the other messages that a receive could take on the way.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from mpipp.analysis.message_races.replay import analyse
from mpipp.model import rma_events as m
from mpipp.model.message_events import Channel, Probed, ReceiveBegun, Received, Sent
from mpipp.model.moment import Moment

ANY = -1
SENDS = ("MPI_Send", "MPI_Ssend", "MPI_Isend", "MPI_Issend")
SYNCHRONOUS = ("MPI_Ssend", "MPI_Issend")
PROBES = ("MPI_Probe", "MPI_Mprobe")
RECEIVES = ("MPI_Recv", "MPI_Irecv", "MPI_Mprobe")
# Calls that begin first, and end later.
LASTING = ("MPI_Recv", "MPI_Ssend", "MPI_Barrier")

Key = tuple[int, int]  # a call: the rank, and its number there
Races = set[tuple[Key, Key]]  # a receive or probe, and a send


class Call(NamedTuple):
    """One call. `peer`: destination or source; `of`: for MPI_Wait the call that began."""

    name: str
    peer: int = ANY
    tag: int = ANY
    of: int = 0

    @property
    def takes(self) -> bool:
        """Return whether it receives or probes."""
        return self.name in RECEIVES or self.name in PROBES


Program = list[list[Call]]


def random_program(chance: random.Random) -> Program:
    """Return a program in which each process receives as many messages as are sent to it."""
    size = chance.choice((2, 3, 3, 3, 4))
    program: Program = [[] for _ in range(size)]
    barriers = chance.choice((0, 0, 1, 2))
    for _ in range(barriers + 1):
        _add_messages(chance, program)
        for rank in range(size):
            program[rank].append(Call("MPI_Barrier"))
    for calls in program:
        calls.pop()
    return program


def _add_messages(chance: random.Random, program: Program) -> None:
    size = len(program)
    parts: list[list[list[Call]]] = [[] for _ in range(size)]
    for _ in range(chance.randrange(1, 5)):
        source, destination = chance.sample(range(size), 2)
        if chance.random() < 0.6:
            destination = 0 if source else destination
        tag = chance.randrange(2)
        parts[source].append([Call(chance.choice(SENDS), destination, tag)])
        asked = (
            ANY if chance.random() < 0.7 else source,
            ANY if chance.random() < 0.3 else tag,
        )
        name = chance.choice(("MPI_Recv", "MPI_Recv", "MPI_Irecv", "MPI_Irecv", "MPI_Mprobe"))
        part = [Call(name, *asked)]
        if name == "MPI_Recv" and chance.random() < 0.2:
            other = asked if chance.random() < 0.6 else (ANY, ANY)
            part.insert(0, Call("MPI_Probe", *other))
        parts[destination].append(part)
    for calls, some in zip(program, parts):
        chance.shuffle(some)
        pending: list[int] = []
        for part in some:
            for call in part:
                calls.append(call)
                if call.name in ("MPI_Irecv", "MPI_Issend"):
                    pending.append(len(calls) - 1)
            while pending and chance.random() < 0.4:
                at = pending.pop(chance.randrange(len(pending)))
                calls.append(Call("MPI_Wait", of=at))
        chance.shuffle(pending)
        calls.extend(Call("MPI_Wait", of=at) for at in pending)


class State:
    """The progress of each process, and the messages that receives have taken.

    `at[rank]` is twice the number of the next call, plus one inside it.
    """

    def __init__(self, program: Program, at: tuple[int, ...], taken: dict[Key, Key]) -> None:
        self.program = program
        self.at = at
        self.taken = taken

    def call(self, key: Key) -> Call:
        return self.program[key[0]][key[1]]

    def begun(self, key: Key) -> bool:
        return self.at[key[0]] > 2 * key[1]

    def _left(self, rank: int) -> Iterator[Key]:
        # The sends to a process whose messages no receive has taken, in each sender's order.
        done = set(self.taken.values())
        for source, calls in enumerate(self.program):
            for number, call in enumerate(calls):
                key = source, number
                if call.name in SENDS and call.peer == rank and self.begun(key) and key not in done:
                    yield key

    def accepts(self, taker: Key, send: Key) -> bool:
        asked, tag = self.call(taker), self.call(send).tag
        return asked.peer in (ANY, send[0]) and asked.tag in (ANY, tag)

    def choices(self, taker: Key) -> list[Key]:
        """Return the messages that a receive or probe could take now."""
        rank, number = taker
        found: dict[int, Key] = {}
        for send in self._left(rank):
            if self.accepts(taker, send):
                found.setdefault(send[0], send)
        before = [
            (rank, one)
            for one, call in enumerate(self.program[rank][:number])
            if call.name in RECEIVES and (rank, one) not in self.taken
        ]
        return [send for send in found.values() if not any(self.accepts(o, send) for o in before)]

    def may_end(self, key: Key) -> bool:
        """Return whether a call that has begun may return."""
        rank, number = key
        call = self.call(key)
        of = rank, call.of
        if call.name == "MPI_Wait":
            return self._is_matched(of)
        if call.name == "MPI_Barrier":
            turn = sum(one.name == call.name for one in self.program[rank][:number])
            return all(
                self.begun((other, _nth_barrier(calls, turn)))
                for other, calls in enumerate(self.program)
            )
        return call.name not in ("MPI_Recv", "MPI_Ssend") or self._is_matched(key)

    def _is_matched(self, key: Key) -> bool:
        return key in (self.taken if self.call(key).takes else self.taken.values())

    def moved(self, rank: int, by: int) -> State:
        at = list(self.at)
        at[rank] += by
        return State(self.program, tuple(at), self.taken)

    def with_taken(self, taker: Key, send: Key) -> State:
        return State(self.program, self.at, {**self.taken, taker: send})

    def next_calls(self) -> Iterator[Key]:
        for rank, calls in enumerate(self.program):
            if self.at[rank] < 2 * len(calls):
                yield rank, self.at[rank] // 2

    def waiting(self) -> Iterator[Key]:
        """Yield the receives that have begun and have no message."""
        for rank, calls in enumerate(self.program):
            for number, call in enumerate(calls):
                key = rank, number
                lasts = call.name in ("MPI_Recv", "MPI_Irecv")
                if lasts and self.begun(key) and key not in self.taken:
                    yield key


def _nth_barrier(calls: list[Call], turn: int) -> int:
    return [at for at, call in enumerate(calls) if call.name == "MPI_Barrier"][turn]


class Run:
    """One execution of a program in a random order.

    Attributes:
        took: the message of each receive and probe.
        is_whole: false if the processes wait for each other.
    """

    def __init__(self, program: Program, chance: random.Random) -> None:
        self.program = program
        self.took: dict[Key, Key] = {}
        self.order: list[tuple[str, Key]] = []
        state = State(program, (0,) * len(program), {})
        while True:
            moves = list(self._moves(state))
            if not moves:
                break
            state, what, key, found = chance.choice(moves)
            self.took.update(state.taken)
            if found is not None:
                self.took[key] = found
            self.order.append((what, key))
        self.is_whole = not list(state.next_calls())

    def _moves(self, state: State) -> Iterator[tuple[State, str, Key, Key | None]]:
        for key in state.next_calls():
            rank, call = key[0], state.call(key)
            if call.name in PROBES:
                for send in state.choices(key):
                    after = state.moved(rank, 2)
                    if call.name == "MPI_Mprobe":
                        yield after.with_taken(key, send), "end", key, send
                    else:
                        yield after, "end", key, send
            elif state.at[rank] % 2:
                if state.may_end(key):
                    yield state.moved(rank, 1), "end", key, None
            elif call.name in LASTING:
                yield state.moved(rank, 1), "begin", key, None
            elif state.may_end(key):
                yield state.moved(rank, 2), "end", key, None
        for key in state.waiting():
            for send in state.choices(key):
                yield state.with_taken(key, send), "match", key, send

    def events(self) -> dict[int, list[m.Event]]:
        """Return the events of all processes. The place of a call tells its key."""
        found: dict[int, list[m.Event]] = {rank: [] for rank in range(len(self.program))}
        channels = self._channels()
        for what, (rank, number) in self.order:
            call = self.program[rank][number]
            if what == "end":
                found[rank] += self._of((rank, number), call, channels)
        for rank, events in found.items():
            end = Moment(rank, 0, 4 * len(self.program[rank]) + 4, 0, "MPI_Finalize")
            events.append(m.Finalized(end))
        return found

    def _channels(self) -> dict[Key, Channel]:
        found, counts = {}, Counter[tuple[int, int, int]]()
        for rank, calls in enumerate(self.program):
            for number, call in enumerate(calls):
                if call.name in SENDS:
                    key = rank, call.peer, call.tag
                    found[rank, number] = Channel(1, *key, counts[key])
                    counts[key] += 1
        return found

    def _of(self, key: Key, call: Call, channels: dict[Key, Channel]) -> Iterator[m.Event]:
        rank, number = key
        moment = Moment(rank, 0, 4 * number + 4, place(key), call.name)
        if call.name in SENDS:
            is_synchronous = call.name in SYNCHRONOUS
            request = 1 + number if is_synchronous else 0
            yield Sent(moment, channels[key], is_synchronous, request)
            if call.name == "MPI_Ssend":
                yield m.Completed(moment._replace(number=moment.number + 1), (request,))
        elif call.takes:
            wild = call.peer == ANY, call.tag == ANY
            channel = channels[self.took[key]]
            if call.name in PROBES:
                yield Probed(moment, channel, *wild)
            if call.name == "MPI_Irecv":
                yield ReceiveBegun(moment, channel, *wild)
            elif call.name != "MPI_Probe":
                yield Received(moment._replace(number=moment.number + 1), channel, *wild)
        elif call.name == "MPI_Barrier":
            turn = sum(one.name == call.name for one in self.program[rank][:number])
            yield m.Collective(moment, 1, turn, len(self.program))
        elif self.program[rank][call.of].takes:
            of = self.program[rank][call.of]
            wild = of.peer == ANY, of.tag == ANY
            yield Received(moment, channels[self.took[rank, call.of]], *wild, True)
        else:
            yield m.Completed(moment, (1 + call.of,))


def place(key: Key) -> int:
    """Return the place of a call in its events."""
    return 1 + key[0] * 100 + key[1]


def _key(place: int) -> Key:
    return divmod(place - 1, 100)


def possible(run: Run) -> Races:
    """Return the races of a run, from all orders in which each receive takes its message."""
    program, found = run.program, set[tuple[Key, Key]]()
    states = [State(program, (0,) * len(program), {})]
    seen = set()
    while states:
        state = states.pop()
        known = state.at, frozenset(state.taken)
        if known in seen:
            continue
        seen.add(known)
        states += _followers(run, state, found)
    return found


def _followers(run: Run, state: State, found: Races) -> Iterator[State]:
    probing = [key for key in state.next_calls() if state.call(key).name in PROBES]
    for key in (*probing, *state.waiting()):
        own, choices = run.took[key], state.choices(key)
        is_wild = state.call(key).peer == ANY
        if is_wild:
            found.update((key, send) for send in choices if send != own)
        if own not in choices:
            continue
        if key not in probing:
            yield state.with_taken(key, own)
        elif state.call(key).name == "MPI_Mprobe":
            yield state.moved(key[0], 2).with_taken(key, own)
        else:
            yield state.moved(key[0], 2)
    for key in state.next_calls():
        rank, call = key[0], state.call(key)
        if call.name in PROBES:
            continue
        if state.at[rank] % 2:
            if state.may_end(key):
                yield state.moved(rank, 1)
        elif call.name in LASTING:
            yield state.moved(rank, 1)
        elif state.may_end(key):
            yield state.moved(rank, 2)


def compare(seed: int) -> tuple[list[str], int]:
    """Compare the analysis with `possible` for a random program.

    Returns the errors, and the number of races; -1 if the program hangs.
    """
    chance = random.Random(seed)
    program = random_program(chance)
    run = Run(program, chance)
    if not run.is_whole:
        return [], -1
    expected = possible(run)
    result = analyse(run.events())
    races = {
        (_key(race.taker.place), _key(race.other.event.moment.place))
        for race in result.races
        if not race.is_of_one_sender
    }
    if result.cut:
        return [f"seed {seed}: the events of ranks {sorted(result.cut)} are cut"], 0
    wrong = [f"seed {seed}: {pair} is no race" for pair in sorted(races - expected)]
    wrong += [f"seed {seed}: the race {pair} is missing" for pair in sorted(expected - races)]
    return wrong, len(expected)
