# SPDX-License-Identifier: MIT
"""The callers of calls in findings: `mpipp run --frames`."""

from __future__ import annotations

import re

from tests import support
from tests.support import MPI
from tests.watcher import runs


def places(block: str) -> list[str]:
    """The lines of a report with places in the program."""
    return re.findall(r"(?:called at|from) (\S+ in (?:exchange|first|second|main))\n", block)


@support.on_mpi("mpich4", "openmpi4")
def test_of_active_and_of_completed_calls(mpi: MPI) -> None:
    program = runs.program("callers.c", mpi)
    run = runs.run(mpi, [program], "--frames", "3")
    # A negative count, checked in the call, and messages, compared at the end.
    counts = [places(block) for block in run.blocks if "count" in block.splitlines()[0]]
    types = [places(block) for block in run.blocks if "types sent" in block]
    outer = {"first": 27, "second": 28}
    # mpipp does not query the same place again in the next call.
    assert counts == [
        ["callers.c:11 in exchange", "callers.c:15 in first", "callers.c:27 in main"]
    ], run.blocks
    for name, line in (("first", 15), ("second", 19)):
        rest = [f"callers.c:{line} in {name}", f"callers.c:{outer[name]} in main"]
        assert [
            *["callers.c:8 in exchange", *rest],
            *["callers.c:10 in exchange", *rest],
        ] in types, run.blocks


@support.on_mpi("mpich4", "openmpi4")
def test_without_frames_only_the_place(mpi: MPI) -> None:
    run = runs.run(mpi, [runs.program("callers.c", mpi)])
    assert {tuple(places(block)) for block in run.blocks} == {
        ("callers.c:11 in exchange",),
        ("callers.c:8 in exchange", "callers.c:10 in exchange"),
    }
