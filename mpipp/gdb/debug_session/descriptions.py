# SPDX-License-Identifier: MIT
"""The place of a rank, and the cause of its stop, in words."""

from __future__ import annotations

import linecache
import os
from collections.abc import Sequence

import gdb

from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain
from mpipp.gdb import console
from mpipp.gdb.debug_session import running_calls
from mpipp.gdb.debug_session.breakpoints import MemoryWatchpoint
from mpipp.gdb.debug_session.frames import own_frame
from mpipp.gdb.printers import buffer_lookup
from mpipp.gdb.program import calling_frame, sessions, symbol_names
from mpipp.gdb.program.inferior_memory import selected
from mpipp.gdb.selected_thread import selected_thread
from mpipp.model import Thread
from mpipp.ranks.stops import Stop

_WATCHPOINTS = (
    gdb.BP_WATCHPOINT,
    gdb.BP_HARDWARE_WATCHPOINT,
    gdb.BP_READ_WATCHPOINT,
    gdb.BP_ACCESS_WATCHPOINT,
)

_hits: dict[int, int] = {}  # the number of stops so far, by breakpoint


def stop(
    rank: int, event: gdb.StopEvent | None, hit: Sequence[gdb.Breakpoint] | None = None
) -> Stop:
    """The stop of the selected thread. With `event` None, the cause is left out.

    Args:
        hit: the breakpoints that have stopped it, as `breakpoints` returns them.
    """
    place, source = _place()
    return Stop(rank, _cause(event, hit or ()), place, source)


def breakpoints(event: gdb.StopEvent) -> list[gdb.Breakpoint]:
    """The breakpoints with numbers that have stopped a thread. Call it once for each event."""
    if not isinstance(event, gdb.BreakpointEvent):
        return []
    visible = [point for point in event.breakpoints if point.is_valid() and point.number > 0]
    return [point for point in visible if _has_stopped(point)]


def ended(rank: int, event: gdb.ExitedEvent) -> Stop:
    """The end of a rank."""
    if hasattr(event, "exit_code"):
        return Stop(rank, f"exited with status {event.exit_code}", "", has_ended=True)
    return Stop(rank, f"been killed{_by_signal()}", "", has_ended=True)


def _by_signal() -> str:
    try:
        import signal

        return f" by {signal.Signals(int(console.value('$_exitsignal'))).name}"
    except (gdb.error, ValueError):
        return ""


def running(inferior: gdb.Inferior) -> str:
    """The place of a rank whose threads run: the MPI call, or outside MPI."""
    try:
        with selected(inferior), sessions.also_running() as session:
            if session is None:
                return "running"
            threads = [one for one in session.registry.threads() if isinstance(one, Thread)]
            calls = [one for one in threads if one.call is not None]
            for one in calls:
                assert one.call is not None
                return f"in {_call(session, one)}"
    except (MpippError, gdb.error):
        return "running"
    return "running outside of MPI"


def _call(session: sessions.Session, thread: Thread) -> str:
    from mpipp.analysis.context.process import Operation, Process  # slow to import
    from mpipp.analysis.deadlock import names

    assert thread.call is not None
    place = running_calls.place(thread, session)
    process = Process(0, session.registry, session, None)
    operation = Operation(process, thread.call, None, thread.tid)
    return f"{names.call(operation)}, called at {place}"


def _cause(event: gdb.StopEvent | None, hit: Sequence[gdb.Breakpoint]) -> str:
    if isinstance(event, gdb.SignalEvent):
        return "" if event.stop_signal in ("SIGSTOP", "0") else str(event.stop_signal)
    return ", ".join(map(_point, hit))


def _has_stopped(point: gdb.Breakpoint) -> bool:
    # The event also lists breakpoints at this place that did not stop the thread. If gdb evaluates
    # a breakpoint's condition, it counts a hit only if the condition is true. Other breakpoints
    # know themselves whether they stopped the thread.
    own = getattr(point, "has_stopped", None)
    if own is not None:
        return bool(own)
    before = _hits.get(point.number, 0)
    _hits[point.number] = point.hit_count
    return bool(point.hit_count != before)


def is_watchpoint(point: gdb.Breakpoint) -> bool:
    """Return whether a breakpoint watches the value of an expression."""
    return point.type in _WATCHPOINTS


def _point(point: gdb.Breakpoint) -> str:
    if not is_watchpoint(point):
        return f"Breakpoint {point.number}"
    # Each rank has a watchpoint of its own. Without its number, equal stops have equal texts.
    if isinstance(point, MemoryWatchpoint):
        return plain(point.text(), "")
    expression = plain(point.expression or "", "")
    try:
        value = console.value(expression).format_string()
    except (gdb.error, MpippError):
        return f"watchpoint {expression}"
    return f"watchpoint {expression} = {plain(value, '')}"


def _place() -> tuple[str, str]:
    # The place in words, and the source line.
    with_call = _calling_place()
    if with_call:
        return with_call, ""
    frame = own_frame()
    if frame is None:
        return "running", ""
    line = frame.find_sal()
    name = symbol_names.function(frame) or f"{frame.pc():#x}"
    if line.symtab is None or not line.line:
        return name, ""
    place = f"{name} at {os.path.basename(symbol_names.file(line.symtab))}:{line.line}"
    text = linecache.getline(symbol_names.path(line.symtab), line.line)
    return place, f"{line.line}\t{plain(text.rstrip(), '').expandtabs()}" if text else ""


def _calling_place() -> str:
    # The MPI call that the thread is in, as text.
    try:
        session = sessions.current()
        thread = selected_thread()
        call = buffer_lookup.active_call(session) if session is not None else None
        if call is None or session is None or thread is None:
            return ""
        place = calling_frame.place(call.site, thread.ptid[1], session)
        return f"in {call.procedure}, called at {place}"
    except (MpippError, gdb.error):
        return ""
