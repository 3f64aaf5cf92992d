# SPDX-License-Identifier: MIT
"""Do one-sided operations, loads and stores conflict, which nothing orders? (MPI-4.1, chapter 12)

Asked when all processes of MPI_COMM_WORLD are at rest, of the logs that they have kept.
"""

from __future__ import annotations

from mpipp.checks.finding import Findings
from mpipp.checks.world import World
from mpipp.errors import MpippError


def check(known: World) -> Findings:
    """Conflicts, and synchronisation that is wrong by itself."""
    found = {known.rank(one): one.registry.onesided() for one in known.all}
    logs = {rank: log for rank, log in found.items() if rank is not None and log is not None}
    if not logs or len(logs) != known.size:
        return
    # It takes some time to load.
    from mpipp.checks.conflicting import Telling
    from mpipp.onesided import analyse

    telling = Telling(known, logs)
    reach = telling.reach
    result = analyse({rank: log.events(reach) for rank, log in logs.items()})
    yield from telling.conflicts(result.conflicts)
    for mistake in result.mistakes:
        yield telling.mistake(mistake)
    if result.undecided:
        one = len(result.undecided) == 1
        raise MpippError(
            f"{len(result.undecided)} conflict{'' if one else 's'} of one-sided communication: "
            f"values that processes have read may order {'it' if one else 'them'}"
        )
