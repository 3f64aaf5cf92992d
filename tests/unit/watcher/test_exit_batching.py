# SPDX-License-Identifier: MIT
"""When those are looked at that come to their ends one after the other, on a clock of the test's.

MPI_Finalize lets all go at one time: what a program does before does not part them.
"""

from __future__ import annotations

from unittest.mock import Mock

from mpipp.watcher.ipc.protocol import AT_WORK
from mpipp.watcher.processes.exit_batching import Together


def test_until_no_other_comes_for_a_second() -> None:
    together, one = Together(), Mock()
    due = together.due(None, 100.0, [one])
    assert due == 101.0
    due = together.due(due, 100.5, [one])
    assert due == 101.5
    one.answer.assert_not_called()
    # Who waits goes on where it hears nothing for two seconds.
    due = together.due(due, 101.25, [one])
    assert due == 102.25
    one.answer.assert_called_once_with(AT_WORK)
    # They have been looked at meanwhile.
    assert together.due(None, 200.0, [one]) == 201.0


def test_not_for_ever() -> None:
    together = Together()
    due = together.due(None, 100.0, [])
    for quarters in range(3, 40, 3):
        due = together.due(due, 100 + quarters / 4, [])
    assert due == 110.0


def test_what_is_due_for_another_reason_stays() -> None:
    together = Together()
    together.due(None, 100.0, [])
    assert together.due(100.25, 100.125, []) == 100.25
    # Somebody has died: it is told soon, whoever ends then.
    due = together.due(None, 200.0, [])
    together.forget()
    assert together.due(due, 200.5, []) == due
