# SPDX-License-Identifier: MIT
"""The hooks at the seam: they observe calls, change buffers, replace calls and change
error codes."""

from __future__ import annotations

from tests import support
from tests.wrapper.watched import watched


@support.every_mpi
def test_hooks(mpi: support.MPI) -> None:
    with watched("hooks.c", mpi) as (process,):
        process.until("done")  # the program tests itself, and ends with status 0
        assert not process.live("request")
        taken = process.find("comm", "taken")
        assert "receives" in taken.uncertain and not taken.channels
        process.check_consistent()
        process.end()


@support.every_mpi
def test_what_hooks_are_told(mpi: support.MPI) -> None:
    with watched("hook_results.c", mpi) as (process,):
        process.until("done")
        taken = process.find("comm", "taken")
        assert not taken.uncertain
        counts = {(c.sequence, c.tag): c.count for c in taken.channels}
        assert counts == {
            ("sends", 1): 2,
            ("sends", 2): 0,
            ("sends", 3): 0,
            ("sends", 4): 1,
            ("receives", 4): 1,
            ("receives", 5): 0,
            ("collectives", 0): 0,
        }
        assert taken.posted_any == taken.returned_any == 1
        process.check_consistent()
        process.end()
