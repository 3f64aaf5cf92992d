# SPDX-License-Identifier: MIT
"""MPI_THREAD_MULTIPLE: what several threads do at once is recorded without a mix-up."""

from __future__ import annotations

import support
from watched import watched

from mpipp.model import KINDS


@support.every_mpi
def test_four_threads(mpi: support.MPI) -> None:
    with watched("threads.c", mpi) as (process,):
        process.until("before")
        before = {kind: len(process.live(kind)) for kind in KINDS}
        process.until("after")
        left = {kind: len(process.live(kind)) - before[kind] for kind in KINDS}
        made = {"datatype": 40, "request": 12}
        assert left == {kind: made.get(kind, 0) for kind in KINDS}
        counts = sorted(t.tree.arguments["count"] for t in process.live("datatype"))
        assert counts == sorted(4 * list(range(1, 11)))
        assert len(process.pending()) == 12
        assert process.count("datatype") < 5000 and process.count("request") < 2000
        assert len(list(process.registry.threads())) == 1, "threads that ended are still listed"
        process.check_consistent()
        process.until("end")
        assert {kind: len(process.live(kind)) for kind in KINDS} == {
            **before,
            "comm": before["comm"] - 4,
        }
        process.end()
