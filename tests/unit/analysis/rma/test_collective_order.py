# SPDX-License-Identifier: MIT
"""The collective calls in a log that order something, and those that do not."""

from __future__ import annotations

from array import array

import pytest

from mpipp.analysis.rma_engine import analyse
from mpipp.registry.rma_log.entries import NOT_KNOWN
from tests.unit.registry.rma_log_damage import KINDS, Logged, Writer

PROCESSES = 2


def _base(rank: int) -> int:
    return 0x10000 * (rank + 1)


class Called(Writer):
    """A put of process 0, a collective call of both, and a load of process 1."""

    def __init__(self, rank: int, procedure: str) -> None:
        self.rank, self.before, self.after = rank, 1 - rank, 1 - rank
        self.words, self.numbers = array("Q"), 0
        self.add(KINDS.comm, "Win_allocate", 1, 0, rank, PROCESSES, 0)
        self.add(KINDS.window, "Win_allocate", 5, 77, _base(rank), 512, 1, 2, 2, rank, 1, 0, 0)
        self._synchronize("Win_lock_all")
        if rank == 0:
            self._put("Put", 0)
            self._synchronize("Win_flush", 1)
        both = KINDS.sends | KINDS.takes
        self.add(KINDS.collective, procedure, 1, 1, NOT_KNOWN, 0, both)
        if rank == 1:
            self.add(KINDS.access, "", 0, _base(rank), 4, 0, 1, 1)
        self._synchronize("Win_unlock_all")
        self.add(KINDS.freed, "Win_free", 5, 0)
        self.add(KINDS.ended, "Finalize", 0)

    def _synchronize(self, procedure: str, target: int = NOT_KNOWN) -> None:
        self.add(KINDS.synchronization, procedure, 5, target, 0, 0)


@pytest.mark.parametrize(
    ("procedure", "orders"),
    [
        ("Barrier", True),
        ("Comm_dup", True),
        ("Comm_set_info", False),
        ("Comm_free", False),
        ("Comm_disconnect", False),
    ],
)
def test_some_collective_calls_wait_for_nobody(procedure: str, orders: bool) -> None:
    def reach(identity: int, target: int) -> tuple[int, int]:
        return _base(target), 1

    events = {
        rank: Logged(rank, PROCESSES, words=Called(rank, procedure).words).log().events(reach, ())
        for rank in range(PROCESSES)
    }
    result = analyse(events)
    assert not result.cut
    assert [one.rule for one in result.conflicts] == ([] if orders else ["rma-local"])
