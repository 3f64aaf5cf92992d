# SPDX-License-Identifier: MIT
"""Long random programs with few conflicts, analysed from all entries and from the selected ones.

Each process uses its own part of each window, and seldom bytes that others use, too. No call is
wrong by itself, so the screen selects the entries for the conflicts.
"""

from __future__ import annotations

import random

from mpipp.model.rma_events import Comb, Memory
from tests.unit.analysis.rma.event_programs import BASE, BUFFERS, WINDOW, Program, at, buffer
from tests.unit.analysis.rma.random_programs import OPERATIONS, OPS, QUIET

_OWN = 0x200  # bytes of each window that belong to one process
_APART = 0x2000  # distance between the windows
_LOCAL = 0xC00  # the first displacement that only the owner uses


class Suspicious:
    """A random program; `events` are its events."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"suspicious {seed}")
        choice, chance = self.random.choice, self.random.random
        self.number = self.random.randint(2, 4)
        self.windows = range(WINDOW, WINDOW + self.random.randint(1, 2))
        self.common = choice((0.002, 0.01, 0.05, 0.3))  # part of the accesses to bytes of others
        self.flags = chance() < 0.5  # use exclusive locks, and operations that fetch
        self.reads_first = chance() < 0.5
        self.lines = choice((1, 3, 10, 1000))  # of the program
        self.length = choice((3, 20, 100))  # accesses in an epoch
        self.program = Program(self.number)
        for window in self.windows[1:]:
            self.program.make(window, base=BASE + _APART)
        passive = [self._locked, self._all_locked, self._loose]
        kinds = [self._fenced, *choice((passive, [self._started]))]
        for _ in range(self.random.randint(1, 8)):
            choice(kinds)()
            self._between()
        self.program.end()

    def _line(self) -> None:
        self.program.places = self.random.randrange(self.lines)

    def _between(self) -> None:
        self._line()
        which = self.random.randrange(4)
        if which == 0:
            self.program.barrier()
        elif which == 1:
            self.program.message(*self.random.sample(range(self.number), 2))
        elif which == 2:
            self.program.synchronous(*self.random.sample(range(self.number), 2))

    def _memory(self, process: int, first: int = 0) -> Memory:
        if self.random.random() < self.common:
            return at(4 * self.random.randrange(8), self.random.choice((4, 8)))
        first = first or 0x100 + process * _OWN
        if self.random.random() < 0.05:
            return at(first, 4, 12, self.random.randint(2, 10))
        return at(first + 4 * self.random.randrange(60), self.random.choice((4, 4, 8, 16)))

    def _in(self, window: int, memory: Memory) -> Memory:
        apart = _APART * (window - WINDOW)
        return tuple(comb._replace(first=comb.first + apart) for comb in memory)

    def _access(self, process: int) -> None:
        self._line()
        one = self.program[process]
        memory = self._in(self.random.choice(self.windows), self._memory(process, _LOCAL))
        if self.random.random() < 0.2:
            memory = buffer(100 + self.random.randrange(4))
        (one.store if self.random.random() < 0.5 else one.load)(memory)

    def _operation(self, process: int, target: int, window: int, passive: bool) -> None:
        self._line()
        one = self.program[process]
        kind = self.random.choice(OPERATIONS if self.flags else QUIET)
        origin: Memory = (Comb(BUFFERS + 0x1000 * self.random.randrange(100), 4),)
        if self.random.random() < self.common:
            origin = buffer(100 + self.random.randrange(4))
        elif self.random.random() < self.common:
            origin = self._memory(process, _LOCAL)
        elif passive or kind != "get":
            origin = one.own()
        plain = kind in ("put", "get", "compare_and_swap")
        op = "" if plain else self.random.choice(OPS)
        request = self.program.request() if passive and self.random.random() < 0.1 else 0
        if kind not in QUIET:
            request = 0
        memory = self._in(window, self._memory(process))
        one.operation(kind, target, memory, origin, None, op, (), request, window)
        if request and self.random.random() < 0.7:
            self._line()
            one.completed(request)

    def _some(self, process: int, targets: list[int], window: int, passive: bool) -> None:
        for _ in range(self.random.randint(0, self.length)):
            target = self.random.choice(targets)
            if self.random.random() < 0.3:
                self._access(process)
            else:
                self._operation(process, target, window, passive)
            if passive and self.random.random() < 0.3:
                self._line()
                kind = self.random.choice(("flush", "flush_local", "flush_all", "flush_local_all"))
                target = -1 if "all" in kind else target
                self.program[process].sync(kind, target, window=window)

    def _fenced(self) -> None:
        window = self.random.choice(self.windows)
        self.program.sync("fence", window=window)
        for _ in range(self.random.randint(1, 6)):
            for process in range(self.number):
                self._some(process, [*range(self.number)], window, passive=False)
            self._line()
            self.program.sync("fence", window=window)
        self.program.sync("fence", "MPI_MODE_NOSUCCEED", window=window)

    def _all_locked(self) -> None:
        window = self.random.choice(self.windows)
        self.program.sync("lock_all", window=window)
        for _ in range(self.random.randint(1, 3)):
            for process in range(self.number):
                self._some(process, [*range(self.number)], window, passive=True)
                if self.flags and len(self.windows) > 1 and self.random.random() < 0.3:
                    self._epoch(process, WINDOW + (window == WINDOW))
            self._between()
        self.program.sync("unlock_all", window=window)

    def _locked(self) -> None:
        for process in range(self.number):
            for _ in range(self.random.randint(1, 20)):
                self._epoch(process, self.random.choice(self.windows))

    def _loose(self) -> None:
        # Epochs of two targets at a time.
        if self.number < 3:
            return
        for process in range(self.number):
            window = self.random.choice(self.windows)
            one, other = self.random.sample(range(self.number), 2)
            self._lock(process, one, window)
            self._some(process, [one], window, passive=False)
            self._lock(process, other, window)
            self._some(process, [one, other], window, passive=False)
            self.program[process].sync("unlock", one, window=window)
            self._some(process, [other], window, passive=False)
            self.program[process].sync("unlock", other, window=window)

    def _lock(self, process: int, target: int, window: int) -> bool:
        self._line()
        exclusive = self.flags and self.random.random() < 0.6
        self.program[process].sync("lock", target, exclusive=exclusive, window=window)
        return exclusive

    def _epoch(self, process: int, window: int) -> None:
        target = self.random.randrange(self.number)
        exclusive = self._lock(process, target, window)
        if exclusive and self.reads_first:
            self._line()
            memory = self._in(window, self._memory(process))
            self.program[process].operation("get", target, memory, window=window)
        length, self.length = self.length, min(self.length, 8)
        self._some(process, [target], window, passive=True)
        self.length = length
        self._line()
        self.program[process].sync("unlock", target, window=window)

    def _started(self) -> None:
        window = self.random.choice(self.windows)
        target, *origins = self.random.sample(range(self.number), self.number)
        self.program[target].sync("post", -1, origins, window=window)
        for origin in origins:
            self.program[origin].sync("start", -1, [target], window=window)
            self._some(origin, [target], window, passive=False)
            self.program[origin].sync("complete", window=window)
        self._access(target)
        self.program[target].sync("wait", window=window)
