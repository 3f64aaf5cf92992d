# SPDX-License-Identifier: MIT
"""A case of random damage, by its seed, and runs of many cases."""

from __future__ import annotations

import functools
import random
import resource
import signal
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from mpipp.common.errors import MpippError
from tests import support
from tests.fuzz import places, snapshots, views
from tests.fuzz.snapshots import Endless, Pages, Snapshot
from tests.fuzz.views import Case

_LONGEST = 10  # seconds of processor time to read a case
MOST_MEMORY = 4 << 30  # bytes of address space, as for `ulimit -v`


class Found(NamedTuple):
    """The failure of a case."""

    seed: int
    look: str
    error: str  # the last line of the traceback
    place: str  # the place in mpipp that raised the error
    trace: str


@functools.cache
def _taken(mpi_id: str) -> list[tuple[Snapshot, ...]]:
    return snapshots.taken(support.find_mpi(mpi_id))


def run(seed: int, mpi_id: str) -> Found | None:
    """Run the case of a seed. Returns None if the output has only sentences."""
    chance = random.Random(seed)
    look = "reading"
    try:
        case = _case(chance, mpi_id)
        steps = views.some(case)
        while True:
            with patience():
                look = next(steps, "")
            if not look:
                return None
    except MpippError:  # the registry itself is unusable
        return None
    except Exception as error:
        return _found(seed, look, error)


def _case(chance: random.Random, mpi_id: str) -> Case:
    sides = []
    pages = chance.choice((Pages, Pages, Endless))
    for number, snapshot in enumerate(chance.choice(_taken(mpi_id))):
        memory = pages(snapshot.pages)
        if number == 0 or chance.random() < 0.1:
            places.damage(chance, snapshot.targets, memory)
        sides.append((memory, snapshot.address, snapshot.handles))
    return Case(chance, sides)


def _found(seed: int, look: str, error: Exception) -> Found:
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/mpipp/" in frame.filename] or list(frames)
    place = f"{ours[-1].filename}:{ours[-1].lineno}"
    last = "".join(traceback.format_exception_only(type(error), error)).strip()[:300]
    return Found(seed, look, last, place, "".join(traceback.format_exception(error)[-30:]))


def limit_memory() -> None:
    """Limit the memory of this process. Larger requests raise MemoryError."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


@contextmanager
def patience() -> Iterator[None]:
    """End a case that takes too long."""

    def ended(*_: object) -> None:
        raise TimeoutError(f"more than {_LONGEST} s")

    before = signal.signal(signal.SIGPROF, ended)
    signal.setitimer(signal.ITIMER_PROF, _LONGEST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
