# SPDX-License-Identifier: MIT
"""The processes of a job on this node, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mpipp.common.errors import MpippError
from mpipp.toolchain.running_jobs import Process


def read_each(
    processes: Sequence[Process], read: Callable[[Process], None], failures: list[str]
) -> None:
    """Read the processes one after the other, so that only one is stopped at a time.

    Args:
        failures: gets a sentence for each process that cannot be read.
    """
    for process in processes:
        if process.obstacle:
            failures.append(f"process {process.pid} {process.obstacle}")
            continue
        try:
            read(process)
        except MpippError as error:
            failures.append(f"process {process.pid}: {error}")
