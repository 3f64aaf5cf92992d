# SPDX-License-Identifier: MIT
"""Random programs of one-sided operations, correct and incorrect, compared with the oracle."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from mpipp.analysis.rma_engine import Result, analyse
from mpipp.model.rma_events import Memory
from tests.unit.analysis.rma.event_programs import INT, Program, at, buffer
from tests.unit.analysis.rma.oracle import Oracle, Told

Step = Callable[[Program], None]
OPERATIONS = ("put", "get", "accumulate", "get_accumulate", "fetch_and_op", "compare_and_swap")
QUIET = ("put", "get", "accumulate")  # operations that cannot implement a flag
OPS = ("MPI_SUM", "MPI_SUM", "MPI_SUM", "MPI_PROD", "MPI_REPLACE", "MPI_NO_OP")
SLOT = 16


class Made:
    """A random program as steps; those in `removable` may be left out.

    In a careful program, each process uses its own part of each window, which changes with each
    phase. So the program is correct unless a step is missing.
    """

    def __init__(self, seed: int) -> None:
        self.random, self.odd = random.Random(seed), random.Random(~seed)
        self.direct = random.Random(f"direct {seed}")
        self.number = self.random.randint(2, 4)
        self.careful = self.random.random() < 0.5
        self.flags = self.random.random() < 0.3  # use exclusive locks, and operations that fetch
        self.steps: list[Step] = []
        self.removable: list[int] = []
        self.phase = 0
        self.how: dict[str, Any] = {"separate": self.random.random() < 0.3}
        if self.random.random() < 0.2:
            self.how["accumulate_ops"] = "same_op"
        if self.random.random() < 0.3:
            keys = [key for key in ("rar", "raw", "war", "waw") if self.random.random() < 0.5]
            self.how["accumulate_ordering"] = frozenset(keys)
        self.shared = not self.how["separate"] and self.direct.random() < 0.25
        if self.shared:
            self.how["flavor"] = "shared"
        for _ in range(self.random.randint(1, 4)):
            self.random.choice([self._fenced, self._locked, self._all_locked, self._started])()
            self._between()
            self.phase += 1

    def add(self, step: Step, *, removable: bool = False) -> None:
        if removable:
            self.removable.append(len(self.steps))
        self.steps.append(step)

    def program(self, without: int | None = None) -> Program:
        """The program as events, without the step of this number."""
        program = Program(self.number, **self.how)
        for number, step in enumerate(self.steps):
            if number != without:
                step(program)
        program.end()
        return program

    def place(self, process: int, wide: bool = True) -> Memory:
        """Random bytes of a window for an access by a process."""
        slot = (process + self.phase) % 5 if self.careful else self.random.randrange(3)
        if self.careful or self.random.random() < 0.7:
            return at(slot * SLOT, 8 if wide and self.random.random() < 0.5 else 4)
        if self.random.random() < 0.5:
            return at(slot * SLOT + 4, self.random.choice((4, 8)))
        return at(slot * 4, 4, 12, 3)

    def access(self, process: int) -> None:
        """Add a load or a store of window memory, or of a buffer."""
        which = self.random.random()
        stores = self.random.random() < 0.5
        memory = self.place(process)
        owner = self.direct.randrange(self.number) if self.shared else -1
        if which < 0.3 and not self.careful:
            memory, owner = buffer(100 + self.random.randrange(2)), -1

        def step(program: Program) -> None:
            (program[process].store if stores else program[process].load)(memory, owner)

        self.add(step)

    def operation(self, process: int, target: int, passive: bool = False) -> list[Step]:
        """Add an operation. Returns the steps that complete its request, if it has one."""
        kind = self.random.choice(OPERATIONS if self.flags else QUIET)
        memory = self.place(process, kind not in ("fetch_and_op", "compare_and_swap"))
        op = "MPI_SUM" if self.careful else self.random.choice(OPS)
        type_ = INT if self.careful or self.random.random() < 0.8 else "MPI_UNSIGNED"
        origin = None
        if not self.careful and self.random.random() < 0.3:
            origin = buffer(100 + self.random.randrange(2))
        elif self.random.random() < 0.1:
            origin = self.place(process)
        if "acc" in kind and not self.careful and self.odd.random() < 0.3:
            # Elements at unaligned offsets, or of a vector whose stride is no multiple of their
            # size.
            slot, odd = SLOT * self.odd.randrange(2), self.odd.choice((2, 4, 6))
            memory = at(slot + odd, 4 * self.odd.randint(1, 2))
            if self.odd.random() < 0.4:
                memory = at(slot + odd % 4, 4, 6, 3)
        request = 0
        if passive and kind in ("put", "get", "accumulate") and self.random.random() < 0.3:
            request = len(self.steps) + 1000
        plain = kind in ("put", "get", "compare_and_swap")

        def step(program: Program) -> None:
            program[process].operation(
                kind, target, memory, origin, None, "" if plain else op, [type_], request
            )

        self.add(step)
        return [lambda program: (program[process].completed(request), None)[1]] if request else []

    def some(self, process: int, targets: list[int], passive: bool = False) -> None:
        """Add operations and accesses of one process within an epoch."""
        for target in targets:
            waits = []
            for _ in range(1 if self.careful else self.random.randint(0, 2)):
                waits += self.operation(process, target, passive)
            if not self.careful and self.random.random() < 0.3:
                self.access(process)
                if passive and self.odd.random() < 0.5:
                    self.sync(process, "sync", removable=True)
            for wait in waits:
                self.add(wait, removable=True)
            if passive and self.random.random() < 0.5:
                kinds = ("flush", "flush_local", "flush_all", "flush_local_all")
                kind = self.random.choice(kinds)
                self.sync(process, kind, -1 if "all" in kind else target, removable=True)
                if self.careful:
                    self.operation(process, target, passive)

    def sync(
        self, process: int, kind: str, target: int = -1, *group: int, removable: bool = False
    ) -> None:
        def step(program: Program) -> None:
            program[process].sync(kind, target, group)

        self.add(step, removable=removable)

    def shuffled(self) -> list[int]:
        return self.random.sample(range(self.number), self.number)

    def _fenced(self) -> None:
        asserted = ("MPI_MODE_NOPRECEDE",) if self.random.random() < 0.3 else ()
        self.add(lambda program: program.sync("fence", *asserted))
        for round_ in range(self.random.randint(1, 2)):
            self.phase += round_
            for process in self.shuffled():
                # In a careful program, a single process accesses each place.
                self.some(process, [self.random.randrange(self.number)])
            for process in self.shuffled():
                if self.random.random() < 0.3:
                    self.access(process)
            if not round_:
                self.add(lambda program: program.sync("fence"), removable=True)
        self.add(lambda program: program.sync("fence", "MPI_MODE_NOSUCCEED"))

    def _all_locked(self) -> None:
        self.add(lambda program: program.sync("lock_all"))
        for process in self.shuffled():
            self.some(process, self.random.sample(range(self.number), 2), passive=True)
            if self.random.random() < 0.5:
                self._between()
        if self.random.random() < 0.5:
            for process in self.shuffled():
                self.sync(process, "sync", removable=True)
        self.add(lambda program: program.sync("unlock_all"))

    def _locked(self) -> None:
        for process in self.shuffled():
            target = self.random.randrange(self.number)
            exclusive = self.flags and self.random.random() < 0.6

            def lock(
                program: Program,
                process: int = process,
                target: int = target,
                exclusive: bool = exclusive,
            ) -> None:
                program[process].sync("lock", target, exclusive=exclusive)

            self.add(lock)
            self.some(process, [target], passive=True)
            if process == target and self.random.random() < 0.5:
                self.access(process)
            self.sync(process, "unlock", target)

    def _started(self) -> None:
        target, *origins = self.shuffled()
        self.access(target)
        for times in range(self.random.randint(1, 2)):
            self.phase += times
            self.sync(target, "post", -1, *origins)
            for origin in origins:
                self.sync(origin, "start", -1, target)
                self.some(origin, [target])
                self.sync(origin, "complete")
                if self.random.random() < 0.2:
                    self.access(origin)
            if not self.careful and self.random.random() < 0.3:
                self.access(target)
            self.sync(target, "wait")
            self.access(target)

    def _between(self) -> None:
        # Order one phase before the next, or only parts of them.
        number = self.number
        if not self.careful:
            root = self.random.randrange(number)
            flow = self.random.choice(("from root", "to root", "prefix", "none", "all"))
            one, other = self.random.sample(range(number), 2)
            some: list[Step] = [
                lambda program: program.collective(flow, root),
                lambda program: program.message(one, other),
                lambda program: program.synchronous(one, other),
                lambda program: None,
            ]
            self.add(self.random.choice(some), removable=True)
            return
        which = self.random.randrange(4)
        if which == 0:
            self.add(lambda program: program.barrier(), removable=True)
        elif which == 1:
            requests: list[int] = []

            def begun(program: Program) -> None:
                requests[:] = program.begun()

            self.add(begun)

            def completed(program: Program) -> None:
                for rank, request in zip(program.ranks, requests):
                    rank.completed(request)

            self.add(completed, removable=True)
        elif which == 2:
            self.add(lambda program: program.collective("to root", 0), removable=True)
            self.add(lambda program: program.collective("from root", 0), removable=True)
        else:
            # A token around the ring, twice, orders all processes.
            for _ in range(2):
                for process in range(number):
                    self.add(
                        lambda program, at=process: program.message(at, (at + 1) % number),  # type: ignore[misc]
                        removable=True,
                    )


ALIKE = {"rma-apart": "rma-local", "rma-copies": "rma-local"}


def keys(result: Result, undecided: bool) -> set[Told]:
    """The conflicts in the oracle's form."""
    some = result.conflicts + (result.undecided if undecided else [])
    found = set()
    for one in some:
        processes = one.first.event.moment.process, one.second.event.moment.process
        found.add((one.rule, min(processes), max(processes), one.owner))
    return found


def alike(told: set[Told]) -> set[Told]:
    """The conflicts, with three rules for the same two accesses treated as one."""
    return {(ALIKE.get(rule, rule), one, other, owner) for rule, one, other, owner in told}


def exposed(result: Result) -> set[tuple[int, int]]:
    """The places of locks and posts that may overlap, in the oracle's form."""
    return {
        (one.event.moment.place, one.other.moment.place)
        for one in result.mistakes
        if one.rule == "rma-exposed" and one.other is not None
    }


def difference(program: Program) -> tuple[int, str]:
    """The number of conflicts in a program, and the error in mpipp's analysis, or ""."""
    result = analyse(program.events())
    oracle = Oracle(program.events())
    expected, certain = oracle.conflicts(), oracle.conflicts(certain=True)
    # After an operation that conflicts with itself, mpipp need not report its other conflicts.
    least = oracle.conflicts(apart=True)
    told, all_ = keys(result, False), keys(result, True)
    wrong = ""
    if result.cut or result.forgotten:
        wrong = f"not all was read: {result.cut}"
    elif not exposed(result) <= oracle.exposed():
        wrong = f"not locked and exposed at once: {result.mistakes}"
    elif any(one.rule != "rma-exposed" for one in result.mistakes):
        wrong = f"mistakes: {result.mistakes}"
    elif not alike(told) <= alike(certain):
        wrong = f"false: {told - certain}"
    elif not alike(least) <= alike(all_) <= alike(expected):
        wrong = f"missing: {expected - all_}"
    return len(expected), wrong


def compare(seed: int) -> tuple[list[str], int, int]:
    """Compare the analysis with the oracle for a program, and for two copies with one step less.

    Returns the errors, the number of compared programs, and the number of those with conflicts.
    """
    made = Made(seed)
    removed = [None, *made.random.sample(made.removable, min(2, len(made.removable)))]
    found, conflicting = [], 0
    for without in removed:
        number, wrong = difference(made.program(without))
        if wrong:
            found.append(f"one-sided, seed {seed} without step {without}: {wrong}")
        conflicting += bool(number)
    return found, len(removed), conflicting
