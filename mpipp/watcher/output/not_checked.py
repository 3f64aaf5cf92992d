# SPDX-License-Identifier: MIT
"""What nobody has looked at: sentences for the last lines of a run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from typing import Any

from mpipp.analysis.collectives import spawned_worlds
from mpipp.analysis.context.world import worlds
from mpipp.analysis.rules.selection import has_group
from mpipp.common.errors import MpippError
from mpipp.common.text import wording
from mpipp.model.objects import Comm, Win
from mpipp.reports.table_rows import Guarded
from mpipp.watcher.output.perturbation_summary import schedule
from mpipp.watcher.output.totals import covered
from mpipp.watcher.processes.labels import View
from mpipp.watcher.processes.process import RUNNING, Watched

_NOT_GUARDED = (
    "they lie in memory of a device or that others share, have more than 64 MiB without pages of "
    "their own, too many parts, or parts too far apart or that overlap to be received into, are "
    "another operation's, too many are pending, or there is no room for more mappings"
)

# By the names that the registry has.
_HINDRANCES = {
    "file": "the pages of buffers, once the program had closed the file they are in",
    "held": "the pages of buffers, once more than 256 ranges were locked or protected",
    "windows": "the pages of buffers, while more than 256 windows, or attached ranges, were there",
    "fork": (
        "the child of a fork may see what its parent stores later: there was no memory for "
        "copies of guarded pages"
    ),
}


def unseen(one: Watched, made: Collection[str]) -> Iterator[str]:
    """What a process could not record for the checks that are made, or ask. Raises MpippError."""
    info = one.registry.info
    if one.memory.not_there:
        yield f"{one.label()}: the system had no more memory that the watcher can see"
    compares = has_group(made, "messages", "collectives", "deadlocks", "rma")
    if info.forgotten and compares and one.state != RUNNING:
        count = wording.counted(info.forgotten, "call")
        yield f"{one.label()}: {count} that the ledger had no room for: see MPIPP_LEDGER"
    if info.unasked and one.state != RUNNING:
        count = wording.counted(info.unasked, "call")
        yield f"{one.label()}: {count} of which too many had to be looked at at once"


def unwatched(processes: Sequence[Watched]) -> Iterator[str]:
    """Whether any have started others that are not among them."""
    spawned = max((one.registry.info.spawned for one in processes), default=0)
    if spawned > sum(one.spawned > 0 for one in processes):
        yield "processes that MPI_Comm_spawn has started are not watched"


def between_worlds(processes: Sequence[Watched]) -> Iterator[str]:
    """Whether any have called on communicators that are of several MPI_COMM_WORLDs."""
    known = [one.process(number) for number, one in enumerate(processes)]
    compared: list[spawned_worlds.Between] = []
    with suppress(MpippError):
        compared += spawned_worlds.between(worlds(known))
    found = (
        comm
        for one, process in zip(processes, known)
        for comm in _objects(one, "comm") or ()
        if not any(isinstance(comm, Comm) and both.covers(comm, process) for both in compared)
    )
    if any(map(_is_of_several_worlds, found)):
        yield (
            "messages and collective calls on communicators with processes of another "
            "MPI_COMM_WORLD (MPI_Comm_spawn, MPI_Comm_accept)"
        )


def _is_of_several_worlds(comm: object) -> bool:
    with suppress(MpippError):  # its channels are read one by one
        return _is_used_between_worlds(comm)
    return False


def _is_used_between_worlds(comm: object) -> bool:
    if not isinstance(comm, Comm) or comm.identity or comm.header.predefined or comm.header.null:
        return False
    ranks = comm.remote_world_ranks if comm.inter else comm.world_ranks
    known = ranks is not None and all(rank >= 0 for rank in ranks)
    return not known and any(channel.count for channel in comm.channels)


def concurrent(processes: Sequence[Watched]) -> Iterator[str]:
    """Of which processes handles are not looked at as those of others are."""
    found = [one for one in processes if one.registry.info.concurrent]
    if found:
        yield (
            "whether handles that calls are given were freed, and requests complete, active or "
            f"given twice, in {View(found).label(*range(len(found)))}: several threads call MPI"
        )


def unlogged(processes: Sequence[Watched]) -> Iterator[str]:
    """Whose logs of one-sided communication had too little room, where there is any of that."""
    if not any(map(_has_windows, processes)):
        return
    for one in sorted(processes, key=_world_rank):
        if lost := one.registry.info.unlogged:
            calls = f"{lost:,} {'call' if lost == 1 else 'calls'}"
            yield f"{one.label()}: {calls} for which the log had no room: see MPIPP_RMA_LOG"
        if unseen := one.registry.info.untraced:
            buffers = "buffer" if unseen == 1 else "buffers"
            yield (
                f"{one.label()}: loads and stores of {unseen:,} {buffers} of one-sided operations "
                "and windows: they are too many, too large, or of too many blocks"
            )


def _world_rank(one: Watched) -> int:
    return one.registry.info.world_rank or 0


def _has_windows(one: Watched) -> bool:
    # Where that is not certain it has.
    found = _objects(one, "win")
    return found is None or any(not isinstance(win, Win) or not win.header.null for win in found)


def _looks_at_no_loads(one: Watched) -> bool:
    info = one.registry.info
    return info.logged and not info.looks and _has_windows(one)


def _objects(one: Watched, kind: str) -> list[object] | None:
    # Freed ones, too; None where they make no sense.
    try:
        return list(one.registry.objects(kind, ended=True))
    except MpippError:
        return None


def displaced(processes: Sequence[Watched]) -> Iterator[str]:
    """Windows that MPI takes for memory which is not what the program has given, or was given."""
    of_all = (win for one in processes for win in _objects(one, "win") or ())
    windows = (win for win in of_all if isinstance(win, Win))
    found = [win for win in windows if win.size > 0 and win.base != win.taken_base]
    if found:
        count, them = wording.counted(len(found), "window"), "it" if len(found) == 1 else "them"
        furthest = max(abs(win.base - win.taken_base) for win in found)
        yield (
            f"what lies beside {count}: this MPI library takes {them} "
            f"to begin up to {furthest} bytes from the program's memory, and operations on "
            "windows access that; sizes and addresses that are multiples of 16 avoid it"
        )


def last_words(
    processes: Sequence[Watched], made: Collection[str], not_checked: Callable[[str], None]
) -> dict[str, Any]:
    """The members of a total that are tables; what nobody has looked at is said.

    Args:
        made: the words of the checks that are made.
    """
    guarded = covers(processes, not_checked)
    for sentence in (
        *unwatched(processes),
        *(between_worlds(processes) if has_group(made, "messages", "collectives") else ()),
        *(concurrent(processes) if _asks_of_handles(made) else ()),
        *unlogged(processes),
        *(displaced(processes) if has_group(made, "windows", "buffers", "rma") else ()),
        *by_pages(processes),
        *unguarded(processes, guarded),
    ):
        not_checked(sentence)
    in_valgrind = any(one.registry.info.guard == "memcheck" for one in processes)
    return {
        "covered": guarded,
        "provoked": schedule(processes, not_checked),
        "in_valgrind": in_valgrind,
        "no_loads": any(map(_looks_at_no_loads, processes)),
    }


def _asks_of_handles(made: Collection[str]) -> bool:
    return has_group(made, "handles", "requests") or "freed-datatype" in made


def by_pages(processes: Sequence[Watched]) -> Iterator[str]:
    """Which loads and stores of windows, in runs that look at these by their pages."""
    pages = [one.registry.info.pages for one in processes]
    seen, every = (sum(one[i] for one in pages) for i in (0, 1))
    if every:
        yield of_pages(seen, every)


def of_pages(seen: int, every: int) -> str:
    """What was not looked at where `seen` of `every` pages were: of these the first access was."""
    pages = f"{every:,} {'page' if every == 1 else 'pages'} of windows"
    if seen <= 0:
        return f"loads and stores of {pages}"
    if seen >= every:
        return f"loads and stores of {pages} but the first of each between two calls"
    return (
        f"loads and stores of {every - seen:,} of {pages}, and of each other page all but the "
        "first between two calls"
    )


def covers(processes: Sequence[Watched], not_checked: Callable[[str], None]) -> tuple[Guarded, ...]:
    """How the buffers of pending operations were looked at, for each place in the program."""
    rows: list[Sequence[Any]] = []
    for one in processes:
        try:
            rows += _rows(one)
        except MpippError as error:
            not_checked(f"{one.label()}: {error}")
    return covered(rows)


def _rows(one: Watched) -> Iterator[Sequence[Any]]:
    for cover in one.registry.covers():
        places = one.places.site(cover.site) if cover.procedure else ()
        place = next(iter(places), "other places")
        yield place, cover.procedure, *cover[2:]


def unguarded(processes: Sequence[Watched], rows: Sequence[Guarded]) -> Iterator[str]:
    """What of these buffers was not looked at, in runs that guard them."""
    if any(one.registry.info.guard == "failed" for one in processes):
        yield "buffers of pending operations: they cannot be guarded here (docs/guard.md)"
        return
    if any(one.registry.info.guard == "memcheck" for one in processes):
        yield "the buffers that MPI writes: valgrind tells of these itself"
    if any(one.registry.info.blind for one in processes):
        yield "what compiled programs do to buffers: there are no 16 TB of addresses (ulimit -v)"
    every = sum(row.operations() for row in rows)
    if crowded := sum(one.registry.info.crowded for one in processes):
        yield (
            f"the pages of the buffers of {crowded:,} of {every:,} operations: there is no room "
            "for more mappings (vm.max_map_count)"
        )
    if untold := sum(one.registry.info.untold for one in processes):
        accesses = "load or store" if untold == 1 else "loads or stores"
        yield (
            f"{untold:,} {accesses} in buffers of pending operations: too many came between two "
            "calls of MPI"
        )
    guarding = [one.registry.info for one in processes if one.registry.info.guard == "there"]
    for name, sentence in _HINDRANCES.items():
        if any(name in info.hindrances for info in guarding):
            yield sentence
    rows = [row for row in rows if row.accesses < row.operations()]
    for left_out, why in (
        (sum(row.nothing for row in rows), _NOT_GUARDED),
        (sum(row.skipped for row in rows), "it would have taken too long (see --budget)"),
    ):
        if left_out:
            yield f"the buffers of {left_out:,} of {every:,} operations: {why}"
