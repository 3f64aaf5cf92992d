# SPDX-License-Identifier: MIT
"""Random programs in loops, analysed with and without their repetitions."""

from __future__ import annotations

import random

from mpipp.analysis.rma_engine import analyse
from tests.unit.analysis.rma.event_programs import Program
from tests.unit.analysis.rma.random_programs import Made
from tests.unit.analysis.rma.repetition.repeated_events import RepeatedEvents

TURNS = (5, 40, 100)


def looped(seed: int) -> Program:
    """A random program whose steps, perhaps without one, are the body of a loop."""
    made, how = Made(seed), random.Random(f"loop {seed}")
    program = Program(made.number, **made.how)
    without = how.choice([None, *made.removable])

    def once() -> None:
        for number, step in enumerate(made.steps):
            if number != without:
                step(program)

    if how.random() < 0.5:
        once()
    places, buffers = program.places, [rank.buffers for rank in program.ranks]
    ordered = how.random() < 0.8
    for _ in range(how.choice(TURNS)):
        program.places = places
        for rank, number in zip(program.ranks, buffers):
            rank.buffers = number
        once()
        if ordered:
            program.barrier()
    if how.random() < 0.5:
        once()
    program.end()
    return program


def difference(seed: int) -> tuple[int, str]:
    """The number of events that the analysis leaves out, and the error that this causes, or ""."""
    events = looped(seed).events()
    repeated = {rank: RepeatedEvents(some) for rank, some in events.items()}
    expected, found = analyse(events), analyse(repeated)
    wrong = "" if found == expected else f"repeated, seed {seed}: {found} instead of {expected}"
    return sum(some.left_out for some in repeated.values()), wrong
