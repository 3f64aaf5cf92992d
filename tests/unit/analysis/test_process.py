# SPDX-License-Identifier: MIT
"""A process in the form that the checks use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mpipp.model import Thread
from tests.unit.jobs import Recorded, call, processes


class Again(Recorded):
    """A process whose only thread is read twice, the second time in its next call."""

    def threads(self) -> Iterator[Thread]:
        for one in super().threads():
            yield one
            yield replace(one, serial=one.serial + 1)


def test_a_thread_is_in_one_call() -> None:
    receive = call("MPI_Recv", source=1, tag=5)
    (process,) = processes(Again(0, 1).inside(receive))
    assert [thread.serial for thread in process.threads] == [1]
    assert len(process.operations) == 1
