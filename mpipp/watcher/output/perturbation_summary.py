# SPDX-License-Identifier: MIT
"""The perturbations of the calls of processes, for the end of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from mpipp.common.errors import MpippError
from mpipp.model import Site
from mpipp.reports.table_rows import Provoked
from mpipp.watcher.output.totals import provoked
from mpipp.watcher.processes.process import WatchedProcess


def schedule(
    processes: Sequence[WatchedProcess], not_checked: Callable[[str], None]
) -> tuple[Provoked, ...]:
    """The perturbations of all processes."""
    rows: list[Provoked] = []
    for one in processes:
        try:
            rows += _rows(one)
        except MpippError as error:
            not_checked(f"{one.label()}: {error}")
    return provoked(rows)


def _rows(one: WatchedProcess) -> Iterator[Provoked]:
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
