# SPDX-License-Identifier: MIT
"""The pending requests, locks and numerous objects of hanging processes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from mpipp.analysis.calls import leaks
from mpipp.common.errors import MpippError
from mpipp.common.text import wording
from mpipp.model import Header, Request, Site, Win
from mpipp.watcher.processes.labels import ShownProcess, View, place
from mpipp.watcher.processes.process import RUNNING, WatchedProcess

MANY = 100  # objects that were created at one place
_MOST = 8  # lines of each sort for one process
TITLE = "objects in use, by the line that created them:"


def lines(of: Sequence[ShownProcess]) -> Iterator[str]:
    """A title, and the holdings of processes, with equal ones merged; nothing if there are none."""
    view = View(of)
    groups: dict[tuple[str, ...], list[int]] = {}
    for number in sorted(range(len(of)), key=lambda number: view.rank(number) or 0):
        one = of[number]
        if isinstance(one, WatchedProcess) and one.state == RUNNING:
            groups.setdefault(tuple(_of_process(one)), []).append(number)
    groups.pop((), None)
    if groups:
        yield TITLE
    for held, numbers in groups.items():
        yield f"  {view.label(*numbers)}:"
        yield from (f"    {line}" for line in held)


def unfinished(one: WatchedProcess) -> Iterator[str]:
    """The pending requests of one process, and the locks that it holds."""
    return _lines(one, _requests, _locks)


def _of_process(one: WatchedProcess) -> Iterator[str]:
    return _lines(one, _requests, _locks, _objects)


def _lines(one: WatchedProcess, *sorts: Callable[[WatchedProcess], Iterator[str]]) -> Iterator[str]:
    for sort in sorts:
        try:
            yield from list(sort(one))
        except MpippError as error:
            yield str(error)


def _requests(one: WatchedProcess) -> Iterator[str]:
    found: Counter[tuple[str, Site]] = Counter()
    for request in one.registry.objects("request"):
        if isinstance(request, Request) and request.pending:
            found[request.call.procedure, request.call.site] += 1
    for (procedure, site), count in found.most_common(_MOST):
        yield f"{wording.counted(count, 'pending request')}: {procedure}{_at(one, site)}"
    if len(found) > _MOST:
        yield f"pending requests of {len(found) - _MOST} more places"


def _locks(one: WatchedProcess) -> Iterator[str]:
    for win in one.registry.objects("win"):
        if not isinstance(win, Win) or not win.lock_count:
            continue
        name = f'window "{win.header.name}"' if win.header.name else "a window"
        for rank, is_exclusive in win.locks[:_MOST]:
            kind = "exclusive" if is_exclusive else "shared"
            yield f"{kind} lock of rank {rank} in {name}{_made(one, win.header)}"
        if win.lock_count > len(win.locks[:_MOST]):
            yield f"{win.lock_count - len(win.locks[:_MOST])} more locks in {name}"


def _objects(one: WatchedProcess) -> Iterator[str]:
    for kind, site, count in leaks.counts(one.process(0)):
        if count >= MANY:
            where = place(one.places, site) or "a place that is not known"
            yield f"{count:,} {leaks.noun(kind)}s from {where}"


def _at(one: WatchedProcess, site: Site) -> str:
    where = place(one.places, site)
    return f", called at {where}" if where else ""


def _made(one: WatchedProcess, header: Header) -> str:
    where = place(one.places, header.site)
    return f", made at {where}" if where else ""
