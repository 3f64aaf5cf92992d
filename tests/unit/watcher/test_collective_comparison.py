# SPDX-License-Identifier: MIT
"""Collective calls that are compared before they begin (`--strict`)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from mpipp.watcher.collective_precheck.blocking import ComparedCall
from mpipp.watcher.ipc.protocol import CollectiveQuery
from mpipp.watcher.processes import collective_comparison


def test_all_that_asked_have_died() -> None:
    # Two other processes of the communicator run, but have sent no query.
    one = ComparedCall("")
    connection: Any = SimpleNamespace()
    one.add(
        connection, CollectiveQuery(pid=100, tid=100, number=7, identity=1, here=3, processes=3)
    )
    assert collective_comparison.compared(one.members([])) == []
