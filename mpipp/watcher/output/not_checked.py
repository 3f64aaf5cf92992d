# SPDX-License-Identifier: MIT
"""The sentences at the end of a run about unchecked things."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from typing import Any

from mpipp.analysis.collectives import spawned_worlds
from mpipp.analysis.context.world import worlds
from mpipp.analysis.rules.selection import has_group
from mpipp.common.errors import MpippError
from mpipp.common.text import wording
from mpipp.common.text.sanitize import plain
from mpipp.model.objects import Comm, Win
from mpipp.reports.table_rows import Guarded
from mpipp.watcher.output.perturbation_summary import schedule
from mpipp.watcher.output.totals import covered
from mpipp.watcher.processes.labels import View
from mpipp.watcher.processes.process import RUNNING, WatchedProcess

_PAGE = "docs/reference/guarded-buffers.md"
_NOT_GUARDED = f"guards do not support them ({_PAGE})"

# Words for the kinds of objects, by their names in the registry.
_HINDRANCES = {
    "file": "the pages of buffers, after the program closed the file that they map",
    "held": "the pages of buffers, after the program locked or protected more than 256 ranges",
    "windows": "the pages of buffers, while more than 256 windows or attached ranges existed",
    "fork": (
        "after fork the child may see later stores of its parent: there was no memory for copies "
        "of guarded pages"
    ),
}


def unseen(one: WatchedProcess, made: Collection[str]) -> Iterator[str]:
    """Sentences on facts that a process could not record or query, and that selected checks need.

    Raises MpippError if the records are damaged.
    """
    info = one.registry.info
    if one.memory.not_there:
        yield f"{one.label()}: the system has no memory left that the watcher can read"
    compares = has_group(
        made, "messages", "collectives", "deadlocks", "portability", "rma", "races"
    )
    if info.forgotten and compares and one.state != RUNNING:
        count = wording.counted(info.forgotten, "call")
        yield f"{one.label()}: {count} beyond the capacity of the call history (see MPIPP_LEDGER)"
    if info.unasked and one.state != RUNNING:
        count = wording.counted(info.unasked, "call")
        yield f"{one.label()}: {count} because too many calls waited for the watcher at once"


def unwatched(processes: Sequence[WatchedProcess]) -> Iterator[str]:
    """A sentence if a process has started others that are not watched."""
    spawned = max((one.registry.info.spawned for one in processes), default=0)
    if spawned > sum(one.spawned > 0 for one in processes):
        yield "processes started by MPI_Comm_spawn are not watched"


def between_worlds(processes: Sequence[WatchedProcess]) -> Iterator[str]:
    """A sentence if processes used communicators with members of several MPI_COMM_WORLDs."""
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
    with suppress(MpippError):  # reading a channel may fail
        return _is_used_between_worlds(comm)
    return False


def _is_used_between_worlds(comm: object) -> bool:
    if not isinstance(comm, Comm) or comm.identity or comm.header.predefined or comm.header.null:
        return False
    ranks = comm.remote_world_ranks if comm.inter else comm.world_ranks
    known = ranks is not None and all(rank >= 0 for rank in ranks)
    return not known and any(channel.count for channel in comm.channels)


def concurrent(processes: Sequence[WatchedProcess]) -> Iterator[str]:
    """A sentence with the processes whose handles are less checked, because several threads call
    MPI."""
    found = [one for one in processes if one.registry.info.concurrent]
    if found:
        yield (
            "use of freed handles, and of completed, active or duplicate requests, in "
            f"{View(found).label(*range(len(found)))}: several threads call MPI"
        )


def unlogged(processes: Sequence[WatchedProcess]) -> Iterator[str]:
    """Sentences on processes whose RMA log was too small, in programs with windows."""
    if not any(map(_has_windows, processes)):
        return
    for one in sorted(processes, key=_world_rank):
        if lost := one.registry.info.unlogged:
            calls = f"{lost:,} {'call' if lost == 1 else 'calls'}"
            yield f"{one.label()}: {calls} beyond the capacity of the log (see MPIPP_RMA_LOG)"
        if unseen := one.registry.info.untraced:
            buffers = "buffer" if unseen == 1 else "buffers"
            yield (
                f"{one.label()}: loads and stores of {unseen:,} {buffers} of one-sided operations "
                "and windows: too many buffers, too large, or too many blocks"
            )


def _world_rank(one: WatchedProcess) -> int:
    return one.registry.info.world_rank or 0


def _has_windows(one: WatchedProcess) -> bool:
    # Return whether the process has windows; True also if that is uncertain.
    found = _objects(one, "win")
    return found is None or any(not isinstance(win, Win) or not win.header.null for win in found)


def _looks_at_no_loads(one: WatchedProcess) -> bool:
    info = one.registry.info
    return info.logged and not info.looks and _has_windows(one)


def _objects(one: WatchedProcess, kind: str) -> list[object] | None:
    # The objects, including freed ones; None if the records are damaged.
    try:
        return list(one.registry.objects(kind, ended=True))
    except MpippError:
        return None


def displaced(processes: Sequence[WatchedProcess]) -> Iterator[str]:
    """A sentence on windows that MPI moved: their memory is not at the address of the program."""
    of_all = (win for one in processes for win in _objects(one, "win") or ())
    windows = (win for win in of_all if isinstance(win, Win))
    found = [win for win in windows if win.size > 0 and win.base != win.taken_base]
    if found:
        count = wording.counted(len(found), "window")
        furthest = max(abs(win.base - win.taken_base) for win in found)
        yield (
            f"memory beside {count}: this MPI library moves windows by up to {furthest} bytes; use "
            "sizes and addresses that are multiples of 16"
        )


def last_words(
    processes: Sequence[WatchedProcess], made: Collection[str], not_checked: Callable[[str], None]
) -> dict[str, Any]:
    """The tables for the run's summary. Also reports unchecked things.

    Args:
        made: the names of the selected checks.
        not_checked: a function that takes a sentence.
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
        "no_loads": has_group(made, "rma") and any(map(_looks_at_no_loads, processes)),
    }


def _asks_of_handles(made: Collection[str]) -> bool:
    return has_group(made, "handles", "requests") or "freed-datatype" in made


def by_pages(processes: Sequence[WatchedProcess]) -> Iterator[str]:
    """A sentence on unchecked loads and stores of windows, if they are traced by pages."""
    pages = [one.registry.info.pages for one in processes]
    seen, every = (sum(one[i] for one in pages) for i in (0, 1))
    if every:
        yield of_pages(seen, every)


def of_pages(seen: int, every: int) -> str:
    """A sentence on incompletely traced pages: `seen` of `every` pages, and only their first
    accesses."""
    pages = f"{every:,} {'page' if every == 1 else 'pages'} of windows"
    if seen <= 0:
        return f"loads and stores of {pages}"
    if seen >= every:
        return f"accesses to {pages} after the first load and store between two calls"
    return (
        f"loads and stores of {every - seen:,} of {pages}, and accesses to the other pages after "
        "the first load and store between two calls"
    )


def covers(
    processes: Sequence[WatchedProcess], not_checked: Callable[[str], None]
) -> tuple[Guarded, ...]:
    """The guard coverage of the buffers of pending operations, for each place in the program."""
    rows: list[Sequence[Any]] = []
    for one in processes:
        try:
            rows += _rows(one)
        except MpippError as error:
            not_checked(f"{one.label()}: {error}")
    return covered(rows)


def _rows(one: WatchedProcess) -> Iterator[Sequence[Any]]:
    for cover in one.registry.covers():
        places = one.places.site(cover.site) if cover.procedure else ()
        place = next(iter(places), "other places")
        yield place, cover.procedure, *cover[2:]


def uninstrumented(processes: Sequence[WatchedProcess]) -> Iterator[str]:
    """Sentences on loads and stores that `mpipp cc` did not instrument, by source file."""
    of_files: dict[str, Counter[str]] = {}
    for one in processes:
        of_files.update(one.places.skipped_accesses())
    for source, count in sorted(sum(of_files.values(), Counter[str]()).items()):
        accesses, its = ("load or store", "its") if count == 1 else ("loads or stores", "their")
        yield f"{count:,} {accesses} of {plain(source, '')}: {its} code could not be followed"


def unguarded(processes: Sequence[WatchedProcess], rows: Sequence[Guarded]) -> Iterator[str]:
    """Sentences on buffers that were not guarded, in runs that guard buffers."""
    if any(one.registry.info.guard == "failed" for one in processes):
        yield f"buffers of pending operations: they cannot be guarded here ({_PAGE})"
        return
    if any(one.registry.info.guard == "memcheck" for one in processes):
        yield "the buffers that MPI writes: valgrind reports these itself"
    if any(one.registry.info.blind for one in processes):
        yield "accesses by instrumented code to buffers: no 16 TB of addresses (see ulimit -v)"
    every = sum(row.operations() for row in rows)
    if crowded := sum(one.registry.info.crowded for one in processes):
        yield (
            f"the pages of the buffers of {crowded:,} of {every:,} operations: the limit of "
            "mappings is reached (vm.max_map_count)"
        )
    if untold := sum(one.registry.info.untold for one in processes):
        accesses = "load or store" if untold == 1 else "loads or stores"
        yield (
            f"{untold:,} {accesses} in buffers of pending operations: too many between two MPI "
            "calls"
        )
    guarding = [one.registry.info for one in processes if one.registry.info.guard == "there"]
    for name, sentence in _HINDRANCES.items():
        if any(name in info.hindrances for info in guarding):
            yield sentence
    if any(row.accesses for row in rows):
        yield from uninstrumented(processes)
    rows = [row for row in rows if row.accesses < row.operations()]
    for left_out, why in (
        (sum(row.nothing for row in rows), _NOT_GUARDED),
        (
            sum(row.skipped for row in rows),
            "guarding them would exceed the time budget (see --budget)",
        ),
    ):
        if left_out:
            yield f"the buffers of {left_out:,} of {every:,} operations: {why}"
