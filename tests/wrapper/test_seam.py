# SPDX-License-Identifier: MIT
"""The seam: hooks observe, change buffers, take calls over and change codes."""

from __future__ import annotations

import support
from watched import watched


@support.every_mpi
def test_hooks(mpi: support.MPI) -> None:
    with watched("seam.c", mpi) as (process,):
        process.until("done")  # the program checks itself and ends with status 0
        assert not process.live("request")
        taken = process.find("comm", "taken")
        assert "receives" in taken.uncertain and not taken.channels
        process.check_consistent()
        process.end()
