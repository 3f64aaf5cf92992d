# SPDX-License-Identifier: MIT
"""What was done to the calls of processes so that errors show, for a run's last words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from mpipp.common.errors import MpippError
from mpipp.model import Site
from mpipp.reports.table_rows import Provoked
from mpipp.watcher.output.totals import provoked
from mpipp.watcher.processes.process import Watched


def schedule(
    processes: Sequence[Watched], not_checked: Callable[[str], None]
) -> tuple[Provoked, ...]:
    """What was done to all of them."""
    rows: list[Provoked] = []
    for one in processes:
        try:
            rows += _rows(one)
        except MpippError as error:
            not_checked(f"{one.label()}: {error}")
    return provoked(rows)


def _rows(one: Watched) -> Iterator[Provoked]:
    def place(site: Site) -> str:
        return next(iter(one.places.site(site)), "")

    rank = one.registry.info.world_rank
    for raw in one.registry.provoked():
        yield Provoked(
            place(raw.site),
            raw.procedure,
            raw.way,
            raw.by,
            place(raw.by_site),
            () if rank is None else (rank,),
            raw.times,
            raw.least,
            raw.most,
        )
