# SPDX-License-Identifier: MIT
"""The time to check processes that end one after the other, by a fake clock.

MPI_Finalize lets all processes continue at one time, so they end together even if they reached it
at different times.
"""

from __future__ import annotations

from unittest.mock import Mock

from mpipp.watcher.ipc.protocol import AT_WORK
from mpipp.watcher.processes.exit_batch import ExitBatch


def test_until_no_other_comes_for_a_second() -> None:
    batch, one = ExitBatch(), Mock()
    due = batch.due(None, 100.0, [one])
    assert due == 101.0
    due = batch.due(due, 100.5, [one])
    assert due == 101.5
    one.answer.assert_not_called()
    # A waiting process continues by itself after two seconds without a message.
    due = batch.due(due, 101.25, [one])
    assert due == 102.25
    one.answer.assert_called_once_with(AT_WORK)
    # The processes have been checked meanwhile.
    assert batch.due(None, 200.0, [one]) == 201.0


def test_not_for_ever() -> None:
    batch = ExitBatch()
    due = batch.due(None, 100.0, [])
    for quarters in range(3, 40, 3):
        due = batch.due(due, 100 + quarters / 4, [])
    assert due == 110.0


def test_what_is_due_for_another_reason_stays() -> None:
    batch = ExitBatch()
    batch.due(None, 100.0, [])
    assert batch.due(100.25, 100.125, []) == 100.25
    # A process has died. That is reported soon, even if others end then.
    due = batch.due(None, 200.0, [])
    batch.forget()
    assert batch.due(due, 200.5, []) == due
