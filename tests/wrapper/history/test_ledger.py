# SPDX-License-Identifier: MIT
"""The call history contains exactly the calls of a program, in any order."""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Iterator

import pytest

from mpipp.model import Call, Comm, DatatypeRecord
from tests import support
from tests.short import some
from tests.wrapper.watched import Process, watched

KINDS = ("MPI_INT", "MPI_FLOAT", "VECTOR", "VECTOR")
COLLECTIVES = ("MPI_Barrier", "MPI_Allreduce", "MPI_Bcast", "MPI_Alltoallv")
# The datatype for each element count, like programs/ledger.c.
RECEIVES = {3: ("MPI_Mrecv",), 4: ("MPI_Mrecv", "MPI_Recv")}
PHASES = 60
CALLS = some(10_000)
SEED = int(os.environ.get("MPIPP_SEED", "1"))

Past = dict[str, list[tuple[object, ...]]]


class Draws:
    """The random numbers that the program draws."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def draw(self, below: int) -> int:
        """Return the next random number from [0, below)."""
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % below


def drawn(seed: int, phases: int) -> Iterator[tuple[int, int, int]]:
    """The calls of the program: tag (3: a collective call), kind and count."""
    draw = Draws(seed).draw
    for _ in range(phases):
        period, times = 1 + draw(6 if draw(4) else 80), 1 + draw(9)
        pattern = [(draw(4), draw(4), draw(5)) for _ in range(period)]
        yield from itertools.chain.from_iterable(itertools.repeat(pattern, times))


def expected(seed: int, phases: int) -> Past:
    found: Past = {}
    for tag, kind, count in drawn(seed, phases):
        if tag < 3:
            names = RECEIVES.get(count, ("MPI_Irecv",))
            data = KINDS[kind], count
            found.setdefault(f"sends {tag}", []).extend(("MPI_Isend", *data) for _ in names)
            found.setdefault(f"receives {tag}", []).extend((name, *data) for name in names)
        else:
            found.setdefault("collectives 0", []).append(collective(kind, count))
    return found


def collective(kind: int, count: int) -> tuple[object, ...]:
    name = COLLECTIVES[kind]
    if name == "MPI_Barrier":
        return (name,)
    if name == "MPI_Alltoallv":
        return (name, "MPI_INT", [count])
    return (name, "VECTOR" if name == "MPI_Bcast" else "MPI_INT", count)


def said(call: Call) -> tuple[object, ...]:
    if not call.buffers:
        return (call.procedure,)
    buffer = call.buffers[-1]
    assert isinstance(buffer.datatype, DatatypeRecord)
    name = buffer.datatype.header.name or buffer.datatype.tree.combiner
    count = buffer.count if buffer.shares is None else [share.count for share in buffer.shares]
    return call.procedure, name, count


def kept(process: Process) -> Past:
    found: Past = {}
    for comm in process.registry.objects("comm"):
        assert isinstance(comm, Comm)
        for channel in comm.channels:
            stretches = process.registry.recorded_calls(comm, channel)
            calls = found.setdefault(f"{channel.sequence} {channel.tag}", [])
            for stretch in stretches:
                assert stretch.first == len(calls) + 1
                calls += [said(stretch.at(i).call) for i in range(stretch.first, stretch.end)]
    return {name: calls for name, calls in found.items() if calls}


def compare(mpi: support.MPI, seed: int, phases: int) -> int:
    """Compare the history of a process with its calls, and return their number."""
    with watched("ledger.c", mpi, args=[str(seed), str(phases)]) as (process,):
        process.until("now")
        put = expected(seed, phases)
        assert kept(process) == put, f"seed {seed}"
        process.check_consistent()
        process.end()
    return sum(map(len, put.values()))


@pytest.mark.parametrize("mpi", support.MPI_IDS, indirect=True)
def test_random_patterns(mpi: support.MPI) -> None:
    """Each pattern on at least two MPI libraries; `make fuzz` has more."""
    chance, done = random.Random(f"{SEED} {mpi.id}"), 0
    while done < CALLS:
        done += compare(mpi, chance.randrange(1 << 32), PHASES)
