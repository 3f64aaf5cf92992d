# SPDX-License-Identifier: MIT
"""Random programs with threads, and their conflicts by an enumeration of all orders.

A program is a global sequence of steps, each of a thread of a process. Its order is that of each
thread, of releases and later acquires of an object, and of messages. The enumeration runs the steps
in every sequence that this order allows. Two accesses conflict if in one of these the second begins
while the first is pending.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from mpipp.analysis.rma_engine import analyse
from mpipp.model import rma_events as m
from mpipp.model.message_events import Channel, Received, Sent
from mpipp.model.moment import Moment
from tests.unit.analysis.rma.event_programs import BASE, LENGTH, WINDOW

BYTES = 4
# A part of a pending operation. It has the number of the step and the process with the memory. Two
# flags follow: it writes the memory, and a local flush ends it.
Part = tuple[int, int, bool, bool]
TARGET = 1  # the rank that is the target of all operations, and has one thread


class Step(NamedTuple):
    """One step: its kind, with the element or object that it uses."""

    process: int
    thread: int
    kind: str
    what: int = 0


class Program(NamedTuple):
    """The steps of a program, in the order of a run, and the number of threads of rank 0."""

    steps: list[Step]
    threads: int

    def events(self) -> dict[int, list[m.Event]]:
        """The logs of both processes."""
        logs: dict[int, list[m.Event]] = {0: [], 1: []}
        for rank, log in logs.items():
            made = Moment(rank, 0, 1, 1, "MPI_Win_allocate")
            log.append(m.WindowMade(made, WINDOW, BASE, LENGTH, 1, "allocate", False, (0, 1)))
        locked = Moment(0, 0, 2, 2, "MPI_Win_lock_all")
        logs[0].append(m.Synchronization(locked, "lock_all", WINDOW))
        for thread in range(1, self.threads):
            at = len(logs[0]) + 1
            logs[0].append(m.ThreadReleased(Moment(0, 0, at, at, ""), -thread))
            logs[0].append(m.ThreadAcquired(Moment(0, thread, at + 1, at, ""), -thread))
        sent = {"send": 0, "answer": 0}
        taken = {"send": 0, "answer": 0}
        for number, step in enumerate(self.steps):
            moment = Moment(step.process, step.thread, 100 + number, 100 + number, step.kind)
            logs[step.process].append(_event(step, moment, sent, taken))
        for rank, log in logs.items():
            log.append(m.Finalized(Moment(rank, 0, 1000, 1000, "MPI_Finalize")))
        return logs

    def predecessors(self) -> list[int]:
        """For each step the steps that precede it, as bits."""
        found = []
        for at, step in enumerate(self.steps):
            bits = 0
            for other, before in enumerate(self.steps[:at]):
                if _precedes(before, step):
                    bits |= 1 << other
            found.append(bits)
        for word in ("send", "answer"):
            sends = [at for at, step in enumerate(self.steps) if step.kind == word]
            takes = [at for at, step in enumerate(self.steps) if step.kind == f"take {word}"]
            for one, other in zip(sends, takes):
                found[other] |= 1 << one
        return found

    def conflicts(self) -> set[tuple[int, int]]:
        """The pairs of steps that conflict, by their numbers."""
        return set(_enumerated(self))


def _event(step: Step, moment: Moment, sent: dict[str, int], taken: dict[str, int]) -> m.Event:
    where = (m.Comb(BASE + BYTES * step.what, BYTES),)
    if step.kind in ("store", "load"):
        return m.Access(moment, step.kind == "store", where)
    if step.kind in ("put", "get"):
        # The buffer and the target are the same bytes of the two processes.
        return m.Operation(moment, step.kind, WINDOW, TARGET, where, where)
    if step.kind in ("flush", "flush_local"):
        return m.Synchronization(moment, step.kind, WINDOW, TARGET)
    if step.kind == "release":
        return m.ThreadReleased(moment, step.what)
    if step.kind == "acquire":
        return m.ThreadAcquired(moment, step.what)
    word = step.kind.removeprefix("take ")
    ends = (0, 1) if word == "send" else (1, 0)
    counts = taken if step.kind.startswith("take") else sent
    channel = Channel(1, *ends, 0, counts[word])
    counts[word] += 1
    return (Received if counts is taken else Sent)(moment, channel)


def _precedes(before: Step, step: Step) -> bool:
    if before.process != step.process:
        return False
    if before.thread == step.thread:
        return True
    return (before.kind, step.kind, before.what) == ("release", "acquire", step.what)


def random_program(seed: int) -> Program:
    """A random program of at most 14 steps."""
    chosen = random.Random(seed)
    threads = chosen.choice((2, 2, 3))
    queues = [_thread(chosen, thread) for thread in range(threads)]
    steps: list[Step] = []
    waiting = {"send": 0, "answer": 0}
    while any(queues) and len(steps) < 14:
        if chosen.random() < 0.2:
            steps.append(_target_step(chosen, waiting))
            continue
        step = chosen.choice([queue for queue in queues if queue]).pop(0)
        if step.kind == "send":
            waiting["send"] += 1
        elif step.kind == "take answer":
            if not waiting["answer"]:
                continue
            waiting["answer"] -= 1
        steps.append(step)
    return Program(steps, threads)


def _thread(chosen: random.Random, thread: int) -> list[Step]:
    # Accesses, most of them between an acquire and a release, and most of them complete there.
    steps = []
    for _ in range(chosen.randint(1, 2)):
        kinds = [chosen.choice(("acquire", "acquire", "acquire", "take answer", ""))]
        kinds += chosen.choices(("put", "get", "store", "load"), k=chosen.randint(1, 2))
        kinds += [chosen.choice(("flush", "flush", "flush_local", ""))]
        kinds += [chosen.choice(("release", "release", "release", "send", ""))]
        steps += [Step(0, thread, kind, int(chosen.random() < 0.2)) for kind in kinds if kind]
    return steps


def _target_step(chosen: random.Random, waiting: dict[str, int]) -> Step:
    kinds = ["store", "load", "answer"] + ["take send"] * 4 * bool(waiting["send"])
    kind = chosen.choice(kinds)
    if kind == "answer":
        waiting["answer"] += 1
    elif kind == "take send":
        waiting["send"] -= 1
    return Step(1, 0, kind, int(chosen.random() < 0.2))


def _pending_parts(step: Step) -> Iterator[tuple[int, bool, bool]]:
    # The parts of an operation: the process with the memory, whether it writes it, and whether a
    # local flush ends the part.
    if step.kind == "put":
        yield 0, False, True
        yield TARGET, True, False
    elif step.kind == "get":
        yield 0, True, True
        yield TARGET, False, True


def _conflict(pending: Part, owner: int, writes: bool) -> bool:
    _, place, is_written, _ = pending
    return place == owner and (is_written or writes)


def _touches(step: Step) -> Iterator[tuple[int, bool]]:
    # The memory that a step accesses from its beginning: its process, and whether it is written.
    if step.kind in ("store", "load"):
        yield step.process, step.kind == "store"
    for owner, is_written, _ in _pending_parts(step):
        yield owner, is_written


def _ends(step: Step, part: Part) -> bool:
    return step.kind == "flush" or (step.kind == "flush_local" and part[3])


def _enumerated(program: Program) -> Iterator[tuple[int, int]]:
    steps, before = program.steps, program.predecessors()
    # A state: the steps that have run, and the pending parts of operations.
    first: tuple[int, frozenset[Part]] = (0, frozenset())
    seen, left = {first}, [first]
    while left:
        done, pending = left.pop()
        for at, step in enumerate(steps):
            if done >> at & 1 or before[at] & ~done:
                continue
            for part in pending:
                touches = _touches(step) if steps[part[0]].what == step.what else ()
                if any(_conflict(part, *touch) for touch in touches):
                    yield min(at, part[0]), max(at, part[0])
            now = {part for part in pending if not _ends(step, part)}
            now |= {(at, *part) for part in _pending_parts(step)}
            state = done | 1 << at, frozenset(now)
            if state not in seen:
                seen.add(state)
                left.append(state)


def reported(program: Program) -> set[tuple[int, int]]:
    """The pairs of steps that the analysis reports."""
    order = {0: m.ThreadOrder(program.threads, observed=True, atomics=True)}
    result = analyse(program.events(), threads=order)
    assert not result.undecided and not result.cut
    found = set()
    for one in result.conflicts:
        numbers = [side.event.moment.number - 100 for side in (one.first, one.second)]
        found.add((min(numbers), max(numbers)))
    return found


def differs(seed: int) -> str:
    """Compare the analysis of one program with the enumeration; "" if they agree.

    The analysis may report one of two accesses that conflict with a third one.
    """
    program = random_program(seed)
    found, expected = reported(program), program.conflicts()
    one_side = {side for pair in found for side in pair}
    if found <= expected and all(one_side & {*pair} for pair in expected):
        return ""
    return f"{seed}: {found} in place of {expected}: {program.steps}"
