# SPDX-License-Identifier: MIT
"""Send processes the window size of a target that their one-sided operation uses.

From then on they check the bounds themselves (wrapper/call_filter/other_arguments.c). The watcher
writes an entry of a struct mpipp_reaches into the memory of the process, which waits for the answer
meanwhile.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Sequence

from mpipp.analysis.calls import window_bounds
from mpipp.analysis.context.process import Process
from mpipp.model import Win
from mpipp.watcher.ipc.layouts import REACH, REACHES, ReachState
from mpipp.watcher.processes.process import OVER, RUNNING, WatchedProcess, operations

_REACH_SIZE = 176  # bytes of one entry
_STATE = struct.Struct("=Q")
# Tests for facts that other processes are about to record, and seconds between them.
_LOOKS, _INTERVAL = 50, 0.01


def targets(
    watched: Sequence[WatchedProcess], one: WatchedProcess, process: Process
) -> list[Process]:
    """The target process of a call on a window, if it is on this node.

    Also writes the size of the target's window into the memory of the calling process. Raises
    MpippError if the records are damaged.
    """
    inside = next(operations(process), None)
    if inside is None or inside.call.win is None:
        return []
    own, rank = process.usable("win", inside.call.win), inside.call.target_rank
    if not isinstance(own, Win) or not own.reaches or rank is None or rank == own.rank:
        return []
    if rank < 0:
        return []  # the target is MPI_PROC_NULL
    if _has(one, own):  # otherwise another window may already use the entry
        magic, count = REACHES.read(one.memory.read(own.reaches, REACHES.size))
        if magic != b"MPIPPWIN" or rank >= count:
            return []
    here = [
        (number, other) for number, other in enumerate(watched) if other.state in (RUNNING, OVER)
    ]
    for _, other in here:
        if other is not one:
            other.refresh()
    others = [other.process(number) for number, other in here if other is not one]
    # If all processes are on this node, the target may be about to record its window.
    info = process.registry.info
    all_here = sum(o.registry.info.job == info.job for _, o in here) >= (info.world_size or 0)
    found = window_bounds.find(others, process, own.identity, rank)
    for _ in range(_LOOKS if all_here else 0):
        if found is not None:
            break
        # All processes record a window before any frees it. If the window is freed by now, do not
        # wait for its record.
        if is_there := _has(one, own):
            time.sleep(_INTERVAL)
        for target in others:
            watched[target.number].refresh()
        found = window_bounds.find(others, process, own.identity, rank)
        if not is_there:
            break
    place = own.reaches + REACHES.size + rank * _REACH_SIZE
    if found is not None:
        watched[found[0].number].places.refresh()
    is_there = _has(one, own)
    if found is not None:
        if is_there:
            one.memory.write(place, REACH.written(0, found[1].size, found[1].disp_unit))
            one.memory.write(place, _STATE.pack(ReachState.KNOWN))
        return [found[0]]
    if not all_here and is_there:
        one.memory.write(place, _STATE.pack(ReachState.ELSEWHERE))
    return []


def _has(one: WatchedProcess, own: Win) -> bool:
    one.refresh()
    win = one.registry.find("win", own.header.handle)
    return (
        isinstance(win, Win)
        and not win.header.is_ended
        and (win.identity, win.reaches) == (own.identity, own.reaches)
    )
