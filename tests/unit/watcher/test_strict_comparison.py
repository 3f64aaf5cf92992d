# SPDX-License-Identifier: MIT
"""Calls that wait to be compared before they begin (`--strict`)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from mpipp.watcher.ipc.protocol import Disagreeing
from mpipp.watcher.processes import strict_comparison
from mpipp.watcher.strict.blocking import ComparedCall


def test_all_that_asked_have_died() -> None:
    # Others of the communicator have not asked, and live on.
    one = ComparedCall("")
    connection: Any = SimpleNamespace()
    one.add(connection, Disagreeing(pid=100, tid=100, number=7, identity=1, here=3, processes=3))
    assert strict_comparison.compared(one.members([])) == []
