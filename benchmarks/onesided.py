# SPDX-License-Identifier: MIT
"""The cost of the analysis of one-sided communication: a million events of four processes.

The logs are screened first, and only replayed if the screen is not certain. Both are measured, and
the replay of the entries that the screen selects for one data race.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

from benchmarks.table import Figure
from mpipp.analysis.rma_engine import analyse
from mpipp.model.moment import Moment
from mpipp.model.rma_events import (
    Access,
    Collective,
    Comb,
    Event,
    Finalized,
    Operation,
    Synchronization,
    WindowMade,
)
from tests.unit.analysis.rma.repetition.repeated_events import RepeatedEvents
from tests.unit.analysis.rma.screen.screened_programs import library, reason, selected
from tests.unit.analysis.rma.screen.written_logs import Written

PROCESSES = 4
RANKS = tuple(range(PROCESSES))
EVENTS = 1_000_000
LOOPED = 200_000  # these are in memory
BASE = 1 << 20
ROW = 8192
INT = ("MPI_INT",)


class Log:
    """Creates the events of one process on demand."""

    def __init__(self, rank: int) -> None:
        self.rank = rank
        self.number = 0

    def moment(self, place: int) -> Moment:
        self.number += 1
        return Moment(self.rank, 0, self.number, place, "")

    def made(self) -> Event:
        return WindowMade(self.moment(1), 1, BASE, 1 << 24, 1, "allocate", False, RANKS)

    def sync(self, kind: str, target: int = -1, exclusive: bool = False) -> Event:
        return Synchronization(self.moment(2), kind, 1, target, (), exclusive)

    def operation(self, kind: str, target: int, first: int, length: int) -> Event:
        at = (Comb(BASE + first, length),)
        fetches = kind == "fetch_and_op"
        op = "" if kind in ("put", "get") else "MPI_SUM"
        result = (Comb(1 << 14, 8),) if fetches else ()
        buffer = (Comb((1 << 15) + (target << 14) + first % (1 << 13), length),)
        return Operation(self.moment(3), kind, 1, target, buffer, at, result, (), op, INT)

    def access(self, store: bool, comb: Comb) -> Event:
        return Access(self.moment(4 + store), store, (comb,), comb.times)


def stencil(rank: int, number: int) -> Iterator[Event]:
    """Puts of edges to both neighbors, loads and stores of rows, and fences."""
    log = Log(rank)
    yield log.made()
    yield log.sync("fence")
    while log.number < number:
        for half in (0, 1):
            rows = half * (ROW << 4)
            for at, to in enumerate((rank - 1, rank + 1)):
                yield log.operation("put", to % PROCESSES, rows + at * ROW, ROW)
            yield log.sync("fence")
            yield log.access(False, Comb(BASE + rows, ROW, ROW, 8))
            yield log.access(True, Comb(BASE + rows + (ROW << 3), 8, 16, ROW // 2))
    yield log.sync("fence")
    yield Finalized(log.moment(6))


def transpose(rank: int, number: int) -> Iterator[Event]:
    """Gets of columns from all processes under lock_all, each time with a flush and a barrier."""
    log = Log(rank)
    yield log.made()
    yield log.sync("lock_all")
    rounds = 0
    while log.number < number:
        for target in RANKS:
            for column in range(8):
                yield log.operation("get", target, (rank * 8 + column) * 64, 64)
        yield log.sync("flush_all")
        yield Collective(log.moment(7), 1, rounds, PROCESSES)
        rounds += 1
    yield log.sync("unlock_all")
    yield Finalized(log.moment(6))


def counters(rank: int, number: int) -> Iterator[Event]:
    """Atomic counters with flushes. Nothing else ever orders the processes."""
    log = Log(rank)
    yield log.made()
    yield log.sync("lock_all")
    while log.number < number:
        target = log.number // 2 % PROCESSES
        yield log.operation("fetch_and_op", target, 8 * (log.number // 2 % 64), 4)
        yield log.sync("flush", target)
    yield log.sync("unlock_all")
    yield Finalized(log.moment(6))


def scattered(rank: int, number: int) -> Iterator[Event]:
    """Puts to always new places, each with a lock, and a barrier after some ten
    thousand of them."""
    log = Log(rank)
    yield log.made()
    rounds = 0
    while log.number < number:
        for place in range(10_000):
            target = place % PROCESSES
            yield log.sync("lock", target)
            yield log.operation("put", target, (place * PROCESSES + rank) * 16, 16)
            yield log.sync("unlock", target)
        yield Collective(log.moment(7), 1, rounds, PROCESSES)
        rounds += 1
    yield Finalized(log.moment(6))


def loads(rank: int, number: int) -> Iterator[Event]:
    """Loads and stores of rows and columns during gets by others, and fences.

    Each event stands for a thousand loads or stores.
    """
    log = Log(rank)
    yield log.made()
    yield log.sync("fence")
    while log.number < number:
        for row in range(16):
            yield log.access(False, Comb(BASE + row * ROW, 8, 8, 1000))
            yield log.access(True, Comb(BASE + (1 << 20) + row * 8, 8, ROW, 1000))
        yield log.sync("fence")
        yield log.operation("get", (rank + 1) % PROCESSES, 0, 16 * ROW)
        yield log.sync("fence")
    yield Finalized(log.moment(6))


PROGRAMS: dict[str, Callable[[int, int], Iterator[Event]]] = {
    function.__name__: function for function in (stencil, transpose, counters, scattered, loads)
}


def racing(name: str, rank: int, number: int) -> Iterator[Event]:
    """The events of a program in which two processes put to the same bytes, once."""
    after = {"stencil": "fence", "transpose": "flush_all", "counters": "flush", "scattered": "lock"}
    added = 0
    for event in PROGRAMS[name](rank, number):
        moment = event.moment._replace(number=event.moment.number + added)
        yield event._replace(moment=moment)
        if rank > 1 or added or moment.number < number // 2:
            continue
        if isinstance(event, Synchronization) and event.kind == after.get(name, "fence"):
            added = 1
            moment = moment._replace(number=moment.number + 1, place=50)
            target = max(event.target, 0)
            memory = (Comb(BASE + (1 << 23), 8),)
            yield Operation(moment, "put", 1, target, (Comb(100, 8),), memory, (), (), "", INT)


def run_racing(name: str, events: int) -> None:
    """Screen the logs of a program with a data race, and analyse the entries that this selects."""
    library()  # compiled before the measurement
    written = Written({rank: racing(name, rank, events // PROCESSES) for rank in RANKS})
    begin = time.process_time()
    found = selected(written)
    took = time.process_time() - begin
    assert found is not None
    result, _ = found
    assert len([*result.conflicts, *result.undecided]) == 1, result
    print(took, 0, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def run_repeated(name: str, events: int) -> None:
    """Analyse events that know which of them repeat. Print processor seconds, and MB."""
    each = events // PROCESSES
    of = {rank: RepeatedEvents(list(PROGRAMS[name](rank, each))) for rank in RANKS}
    begin = time.process_time()
    result = analyse(of)
    took = time.process_time() - begin
    assert not (result.conflicts or result.cut or result.mistakes), result
    assert result.events > 10 * (result.events - sum(some.left_out for some in of.values()))
    print(took, 0, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def run_screened(name: str, events: int) -> None:
    """Screen the logs of events. Print processor seconds, and MB."""
    library()  # compiled before the measurement
    written = Written({rank: PROGRAMS[name](rank, events // PROCESSES) for rank in RANKS})
    begin = time.process_time()
    assert not reason(written)
    print(time.process_time() - begin, 0, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def run(name: str, events: int) -> None:
    """Analyse events. Print processor seconds of the analysis and of creating the
    events, and MB."""
    program = PROGRAMS[name]
    each = events // PROCESSES
    begin = time.process_time()
    for rank in RANKS:
        for _ in program(rank, each):
            pass
    made = time.process_time()
    result = analyse({rank: program(rank, each) for rank in RANKS})
    assert not (result.conflicts or result.cut or result.mistakes), result
    print(
        time.process_time() - made,
        made - begin,
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    )


def apart(name: str, events: int, *options: str) -> tuple[float, float]:
    """Run the analysis in a new process. Returns its seconds without creating the
    events, and MB."""
    words = [sys.executable, "-m", "benchmarks.onesided", name, str(events), *options]
    printed = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    took, takes, memory = map(float, printed.split())
    return took - takes, memory


def figures() -> Iterator[Figure]:
    for name in PROGRAMS:
        number = 100_000 if name == "loads" else EVENTS
        # Other load only makes it slower, so take the minimum.
        pairs = [(apart(name, number // 4), apart(name, number)) for _ in range(3)]
        few = min(fewer[0] for fewer, _ in pairs)
        took = min(all_of_them[0] for _, all_of_them in pairs)
        memory = max(all_of_them[1] for _, all_of_them in pairs)
        what = f"{name}, {number:,} events"
        if name == "loads":
            what = "100,000,000 loads and stores"
        screened = min(apart(name, number, "screened")[0] for _ in range(3))
        yield Figure(f"one-sided analysis, {what}", screened, 2, "s")
        yield Figure("... replayed, as for a program with unusual calls", took, 30, "s")
        raced = min(apart(name, number, "racing")[0] for _ in range(3))
        yield Figure("... with a data race, by the entries that the screen selects", raced, 2, "s")
        yield Figure("... memory", memory, 500, "MB")
        yield Figure("... time of four times as many events", took / few, 5, "times")
    for name in ("stencil", "transpose"):
        took = min(apart(name, LOOPED, "repeated")[0] for _ in range(3))
        what = f"one-sided analysis, {name}, {LOOPED:,} events of a loop that repeats them"
        yield Figure(what, took, 0.5, "s")


if __name__ == "__main__":
    ways = {"": run, "repeated": run_repeated, "screened": run_screened, "racing": run_racing}
    ways["".join(sys.argv[3:])](sys.argv[1], int(sys.argv[2]))
